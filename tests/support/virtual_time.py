"""An event loop whose time passes only while nobody has anything to do.

Waiting costs nothing, and the same program takes the same steps every time.
"""

import asyncio
import selectors
from selectors import SelectorKey


class _Selector(selectors.SelectSelector):
    """Looks at the sockets without waiting, and tells how long it should have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        ready = super().select(0)
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
