"""Notices that the log is another one, or shorter, also while there is nothing to write.

A session rests on what it and others told the log. Whoever has deleted the log, or taken it back,
has made that untrue, and nobody is told: the connection stays. One follower for a whole process
sees it; every session ends then, and what there is gets listed anew.
"""

import asyncio

from shared.events.subjects import ALL_SYNCS
from shared.ports.event_log import EventLog, FromSnapshot, Reset


class Guard:
    """Counts how often what the log had told was taken back."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._news = asyncio.Event()
        self.breaks = 0

    async def run(self) -> None:
        """Look until cancelled."""
        async with self._log.follow((ALL_SYNCS,), FromSnapshot()) as news:
            async for one in news:
                if isinstance(one, Reset):
                    self.breaks += 1
                    self._news.set()
                    self._news = asyncio.Event()

    async def broken(self, breaks: int) -> None:
        """Wait until the count is another than this."""
        while self.breaks == breaks:
            await self._news.wait()
