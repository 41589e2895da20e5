"""What acts rest on: the sessions of the watchers under which they were decided.

After a break of the log a consumer may give an old act once more, and the records that would tell
that it is overtaken may be lost. So an act is carried out only while its sessions are the present
ones: after a break there are none until everything has been listed anew, and then they are others.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from services.executor.standing import OvertakenBy, Stands
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.following.sessions import Sessions
from shared.ports.event_log import Bus

LOOK_AGAIN = timedelta(seconds=2)
"""An act that waits may be superseded meanwhile, or its time be over: nothing else tells."""


class Footing:
    """Follows sessions; without any kinds everything stands."""

    def __init__(self, bus: Bus, kinds: Sequence[str]) -> None:
        self._kinds = tuple(kinds)
        self._sessions = Sessions(bus, self._kinds, self._tell)
        self._news = asyncio.Event()

    async def run(self) -> None:
        """Follow until cancelled."""
        await self._sessions.run()

    def of(self, asked: Record) -> Stands | OvertakenBy | None:
        """Tell how an act stands to the present sessions; None while nobody can know.

        Sessions that it does not name and that listed before it was decided are news that have
        not come here yet.
        """
        act = asked.envelope.body
        if (
            not self._kinds
            or not isinstance(act, Decided)
            or self._sessions.still(act.seen.session)
        ):
            return Stands()
        if self._sessions.current is None or self._sessions.listed_at < asked.sequence:
            return None
        return OvertakenBy(because="the watchers have listed everything anew")

    async def changed(self) -> None:
        """Wait for other sessions, and not for long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_AGAIN.total_seconds()):
                await self._news.wait()

    def _tell(self) -> None:
        """Wake everybody who waits now."""
        news, self._news = self._news, asyncio.Event()
        news.set()
