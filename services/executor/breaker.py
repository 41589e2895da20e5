"""The blast-radius breaker: deletions beyond the budget are held back until people approve.

It follows what all executors did (`res`) and what people approved, over the window and from then
on. Nothing that destroys is done before the window is read. A deletion that is held back is a
refusal of our own: the resource's conditions say so in words, and it is tried again with pauses.
"""

import asyncio
import logging
from datetime import datetime, timedelta

from services.executor.budgets import Account, Budgets, destructive
from services.executor.finding import Job
from services.executor.metrics import HELD_BACK, SPENT, TRIPPED
from shared.actions.objects import Action
from shared.actions.outcomes import Refused
from shared.events.approvals import FLEET
from shared.events.codec import UnreadableRecordError, decode
from shared.events.subjects import ALL_ANSWERS, ALL_APPROVALS
from shared.ports.clock import Clock
from shared.ports.event_log import Bus, FromSnapshot, FromTime, Message, Reset

log = logging.getLogger(__name__)

REASON = "DestructiveBudgetExceeded"
TOO_MANY = 429
MORE = 2
"""How many windows are read at a start: our clock may not be the server's."""


class Breaker:
    """Counts what is destroyed, and says when it is enough."""

    def __init__(self, bus: Bus, clock: Clock, budgets: Budgets) -> None:
        self._bus = bus
        self._clock = clock
        self._budgets = budgets
        self._account = Account(budgets)
        self._read = asyncio.Event()
        self._last: tuple[datetime, float] | None = None
        """The newest moment of the log, and when it was read by the loop's clock."""

    async def ready(self) -> None:
        """Wait until what was done within the window is known."""
        await self._read.wait()

    async def run(self) -> None:
        """Follow what is done until cancelled."""
        self._account.clear()
        async for message in self._bus.log.read((ALL_APPROVALS,), FromSnapshot()):
            self._note(message)
        start = FromTime(self._clock.now() - MORE * self._budgets.window)
        async with self._bus.log.follow((ALL_ANSWERS, ALL_APPROVALS), start) as news:
            async for batch in news:
                if isinstance(batch, Reset):
                    self._account.clear()
                    continue
                for message in batch.messages:
                    self._note(message)
                if batch.synced:
                    self._read.set()
                self._show()

    def _note(self, message: Message) -> None:
        self.hears(message.at)
        try:
            self._account.note(decode(message))
        except UnreadableRecordError as problem:
            log.warning("record left out", extra={"error": str(problem)})

    def hears(self, at: datetime) -> None:
        """Take note of a moment of the log: it is that late, or later.

        Approvals and answers may be old when they are read: without the act that asks, one that ran
        out long ago would count as given just now.
        """
        if self._last is None or at > self._now():
            self._last = (at, asyncio.get_running_loop().time())

    def _now(self) -> datetime:
        """Return the log's time, as well as we know it: a wrong clock of ours does no harm."""
        if self._last is None:
            return self._clock.now()
        at, read_at = self._last
        return at + timedelta(seconds=asyncio.get_running_loop().time() - read_at)

    def holds(self, job: Job, action: Action) -> Refused | None:
        """Say that an action must wait, if so."""
        if not destructive(action) or job.act.seen.deleting:
            return None
        refusal = self._account.take(job.key, job.act.id, self._now())
        self._show()
        if refusal is None:
            return None
        HELD_BACK.inc()
        return Refused(code=TOO_MANY, reason=REASON, message=refusal)

    def _show(self) -> None:
        SPENT.set(self._account.spent().get(FLEET, 0))
        TRIPPED.set(self._account.exhausted(self._now()))
