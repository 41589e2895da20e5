"""Virtual time for a whole system: processes can be frozen, and every run takes the same steps.

Freezing a process stops its tasks and nothing else: time passes, messages reach its door, and when
it is thawed it goes on with what it remembered. The loop beneath (`heliograph.simulator.loop`)
takes the same steps every time, so that a seed tells the same story on every machine.
"""

import asyncio
from collections import deque
from collections.abc import Coroutine
from contextvars import Context, ContextVar
from typing import Any, TypeVar

from heliograph.simulator.loop import OrderedLoop

T = TypeVar("T")
OWNER: ContextVar[str] = ContextVar("owner", default="")
"""Which process a task belongs to; empty for the world itself."""


class SimulationLoop(OrderedLoop):
    """A virtual loop whose processes can be frozen."""

    _ready: deque[asyncio.Handle]

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
        if self._frozen:
            for _ in range(len(self._ready)):
                handle = self._ready.popleft()
                self._frozen.get(_owner(handle), self._ready).append(handle)
        super()._run_once()  # type: ignore[misc] # the loop's own step, which typeshed leaves out


def _owner(handle: asyncio.Handle) -> str:
    context: Context = handle._context  # type: ignore[attr-defined] # likewise
    return context.get(OWNER, "")


def own_task(owner: str, coro: Coroutine[Any, Any, T], name: str = "") -> asyncio.Task[T]:
    """Run a coroutine as a task of this process, whoever asks for it."""
    context = Context()
    context.run(OWNER.set, owner)
    return asyncio.get_running_loop().create_task(coro, name=name or owner, context=context)
