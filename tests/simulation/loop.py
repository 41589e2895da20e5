"""Virtual time for a whole system: processes can be frozen, and every run takes the same steps.

Freezing a process stops its tasks and nothing else: time passes, messages reach its door, and when
it is thawed it goes on with what it remembered. The loop beneath (`heliograph.simulator.loop`)
takes the same steps every time, so that a seed tells the same story on every machine.
"""

import asyncio
from collections import deque
from collections.abc import Coroutine
from contextvars import Context, ContextVar
from heapq import heappop
from typing import Any, TypeVar

from heliograph.simulator.loop import OrderedLoop

T = TypeVar("T")
OWNER: ContextVar[str] = ContextVar("owner", default="")
"""Which process a task belongs to; empty for the world itself."""
RESOLUTION = 1e-9
"""Timers that are no further apart than this are due together."""


class SimulationLoop(OrderedLoop):
    """A virtual loop whose processes can be frozen."""

    _ready: "deque[Any]"
    _scheduled: list[Any]
    _stopping: bool
    _timer_cancelled_count: int

    def __init__(self) -> None:
        super().__init__()
        self._frozen: dict[str, list[asyncio.Handle]] = {}

    def freeze(self, owner: str) -> None:
        """Let no task of this process take a step."""
        self._frozen.setdefault(owner, [])

    def thaw(self, owner: str) -> None:
        """Let it go on, with everything that came for it meanwhile."""
        self._ready.extend(self._frozen.pop(owner, ()))

    def _run_once(self) -> None:
        """Take one round of steps, in asyncio's own order; nobody here has a socket to look at."""
        ready = self._ready
        if self._frozen:
            for _ in range(len(ready)):
                handle = ready.popleft()
                self._frozen.get(_owner(handle), ready).append(handle)
        self._make_due()
        for _ in range(len(ready)):
            handle = ready.popleft()
            if not handle._cancelled:
                handle._run()

    def _make_due(self) -> None:
        """Let time pass if nobody has anything to do; what is due by then is ready."""
        timers = self._scheduled
        while timers and timers[0]._cancelled:
            heappop(timers)._scheduled = False
            self._timer_cancelled_count -= 1
        if not self._ready and not self._stopping:
            if not timers:
                raise RuntimeError("everybody waits and nothing is due")
            self.pass_until(timers[0]._when)
        due = self.time() + RESOLUTION
        while timers and timers[0]._when < due:
            timer = heappop(timers)
            timer._scheduled = False
            self._ready.append(timer)


def _owner(handle: asyncio.Handle) -> str:
    context: Context = handle._context  # type: ignore[attr-defined] # typeshed leaves it out
    return context.get(OWNER, "")


def own_task(owner: str, coro: Coroutine[Any, Any, T], name: str = "") -> asyncio.Task[T]:
    """Run a coroutine as a task of this process, whoever asks for it."""
    context = Context()
    context.run(OWNER.set, owner)
    return asyncio.get_running_loop().create_task(coro, name=name or owner, context=context)
