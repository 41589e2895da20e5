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
        self._read = (-1.0, epoch)
        """The loop's time when somebody asked last, and the moment that it was."""

    def now(self) -> datetime:
        """Return the present moment."""
        passed, moment = asyncio.get_running_loop().time(), self._read[1]
        if passed != self._read[0]:
            moment = self._epoch + timedelta(seconds=passed - self._origin())
            self._read = (passed, moment)
        return moment

    def call_at(self, moment: datetime, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back at a moment, or at once if it has passed."""
        when = self._origin() + (moment - self._epoch).total_seconds()
        return asyncio.get_running_loop().call_at(when, callback)

    def _origin(self) -> float:
        if self._zero is None:
            self._zero = asyncio.get_running_loop().time()
        return self._zero
