"""Server time on the event loop's clock, so that a loop with virtual time moves the whole bus."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

EPOCH = datetime(2030, 1, 1, tzinfo=UTC)


class LoopClock:
    """The loop's seconds since first use, counted from a given moment."""

    def __init__(self, epoch: datetime = EPOCH) -> None:
        self._epoch = epoch
        self._zero: float | None = None

    def now(self) -> datetime:
        """Return the present moment."""
        return self._epoch + timedelta(seconds=asyncio.get_running_loop().time() - self._origin())

    def call_at(self, moment: datetime, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back at a moment, or at once if it has passed."""
        when = self._origin() + (moment - self._epoch).total_seconds()
        return asyncio.get_running_loop().call_at(when, callback)

    def _origin(self) -> float:
        if self._zero is None:
            self._zero = asyncio.get_running_loop().time()
        return self._zero
