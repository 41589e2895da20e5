"""Virtual time: an event loop whose time passes only while nobody has anything to do.

Waiting costs nothing, and the same program takes the same steps every time, on every machine: sets
of tasks are ordered by when tasks were made, not by where they lie in memory.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from itertools import count
from selectors import SelectorKey
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.SelectSelector):
    """Looks at the sockets without waiting, and tells how long it should have waited.

    While somebody has something to do, nobody looks: that is cheap, and sockets can wait.
    """

    def __init__(self) -> None:
        super().__init__()
        self.passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        ready = super().select(0) if timeout != 0 else []
        if not ready and timeout is None:
            raise RuntimeError("everybody waits and nothing is due")
        if not ready and timeout:
            self.passed += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop on virtual time."""

    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        """Return the virtual seconds passed so far."""
        return self._virtual.passed

    def pass_until(self, moment: float) -> None:
        """Let time pass; it never goes back."""
        self._virtual.passed = max(self._virtual.passed, moment)


class NumberedTask(asyncio.Task[T]):
    """A task whose place in a set follows from its number."""

    numbers = count(1)

    def __init__(self, coro: Coroutine[Any, Any, T], **more: Any) -> None:
        self._number = next(NumberedTask.numbers)
        super().__init__(coro, **more)

    def __hash__(self) -> int:
        return self._number


class OrderedLoop(VirtualLoop):
    """A virtual loop that takes the same steps in every process."""

    def __init__(self) -> None:
        super().__init__()
        NumberedTask.numbers = count(1)
        self.set_task_factory(_numbered)


def _numbered(loop: asyncio.AbstractEventLoop, coro: Any, **more: Any) -> NumberedTask[Any]:
    return NumberedTask(coro, loop=loop, **more)
