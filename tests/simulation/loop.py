"""Virtual time for a whole system: processes can be frozen, and every run takes the same steps.

Freezing a process stops its tasks and nothing else: time passes, messages reach its door, and when
it is thawed it goes on with what it remembered. The loop beneath (`heliograph.simulator.loop`)
takes the same steps every time, so that a seed tells the same story on every machine. Nobody here
has a socket or a thread, so that taking a step can be cheaper than asyncio's own way.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context, ContextVar, copy_context
from heapq import heappop, heappush
from typing import Any, ClassVar, TypeVar

from msgspec import Struct

from heliograph.simulator.loop import OrderedLoop

T = TypeVar("T")
OWNER: ContextVar[str] = ContextVar("owner", default="")
"""Which process a task belongs to; empty for the world itself."""
RESOLUTION = 1e-9
"""Timers that are no further apart than this are due together."""


class Step(Struct, eq=False):
    """Something to be called in its turn, unless it is cancelled: all of a handle we need."""

    callback: Callable[..., object]
    args: tuple[Any, ...]
    context: Context
    when_due: float = 0.0
    off: bool = False

    _source_traceback: ClassVar[None] = None

    def cancel(self) -> None:
        """Do not call it, and let go of what it holds."""
        self.off = True
        self.args = ()

    def cancelled(self) -> bool:
        return self.off

    def when(self) -> float:
        return self.when_due


class SimulationLoop(OrderedLoop):
    """A virtual loop whose processes can be frozen."""

    _ready: "deque[Step]"
    _stopping: bool

    get_debug = staticmethod(bool)
    """Never, and at no cost."""

    def __init__(self) -> None:
        super().__init__()
        self._frozen: dict[str, list[Step]] = {}
        self._timers: list[tuple[float, int, Step]] = []
        self._armed = 0

    def freeze(self, owner: str) -> None:
        """Let no task of this process take a step."""
        self._frozen.setdefault(owner, [])

    def thaw(self, owner: str) -> None:
        """Let it go on, with everything that came for it meanwhile."""
        self._ready.extend(self._frozen.pop(owner, ()))

    def call_soon(  # type: ignore[override] # all of a handle that is used
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> Step:
        """Call it in this round or the next."""
        step = Step(callback, args, copy_context() if context is None else context)
        self._ready.append(step)
        return step

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> Step:
        """Call it after a time."""
        return self.call_at(self._virtual.passed + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Any = None
    ) -> Step:
        """Call it at a moment; of those that are due at once, the first armed comes first."""
        step = Step(callback, args, copy_context() if context is None else context, when)
        self._armed += 1
        heappush(self._timers, (when, self._armed, step))
        return step

    def _call_soon(
        self, callback: Callable[..., object], args: tuple[Any, ...], context: Context | None
    ) -> Step:
        return self.call_soon(callback, *args, context=context)

    def _run_once(self) -> None:
        """Take rounds of steps, in asyncio's own order, until the end or until one breaks."""
        ready, frozen = self._ready, self._frozen
        while True:
            if frozen:
                self._set_aside()
            self._make_due()
            for _ in range(len(ready)):
                step = ready.popleft()
                if not step.off:
                    step.context.run(step.callback, *step.args)
            if self._stopping:
                return

    def _make_due(self) -> None:
        """Let time pass if nobody has anything to do; what is due by then is ready."""
        timers, ready = self._timers, self._ready
        while timers and timers[0][2].off:
            heappop(timers)
        if not ready and not self._stopping:
            if not timers:
                raise RuntimeError("everybody waits and nothing is due")
            self.pass_until(timers[0][0])
        due = self._virtual.passed + RESOLUTION
        while timers and timers[0][0] < due:
            ready.append(heappop(timers)[2])

    def _set_aside(self) -> None:
        """Let what came for frozen processes wait until they are thawed."""
        ready = self._ready
        for _ in range(len(ready)):
            step = ready.popleft()
            self._frozen.get(step.context.get(OWNER, ""), ready).append(step)


def own_task(owner: str, coro: Coroutine[Any, Any, T], name: str = "") -> asyncio.Task[T]:
    """Run a coroutine as a task of this process, whoever asks for it."""
    context = Context()
    context.run(OWNER.set, owner)
    return asyncio.get_running_loop().create_task(coro, name=name or owner, context=context)
