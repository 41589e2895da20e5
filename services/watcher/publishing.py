"""Facts into the log, many at once, one at a time for each subject, never backwards.

Every write is a compare-and-set on its subject: the fence is the last sequence known, and whoever
is refused looks at what is there and compares versions. While a write is in flight later facts of
its subject wait, and of those only the newest is written. A publisher lives as long as its session:
once the lease is lost or the bus has been away, what it knows is worthless and it writes no more.
"""

import asyncio
import logging
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from services.watcher import metrics
from services.watcher.entries import TooLarge, entry_of, known_of
from services.watcher.gaps import Inventory, Known, Wanted, is_news
from services.watcher.translate.facts import Fact
from services.watcher.translate.resources import without_spec
from shared.bus.commit import Committed, commit
from shared.events.objects import ResourceSeen
from shared.ports.clock import Clock
from shared.ports.event_log import Entry, EventLog, Message

ATTEMPTS_MAX = 16

log = logging.getLogger(__name__)


class SessionOverError(Exception):
    """A session cannot go on; the message says why. What it knew must be forgotten."""


class Style(Struct, frozen=True, kw_only=True):
    """How a kind is published: `code` names our version in each record."""

    kind: str
    code: str
    in_flight_max: int = 256


class Publisher:
    """The writing half of one session; its tasks live in the session's group."""

    def __init__(
        self,
        events: EventLog,
        clock: Clock,
        group: asyncio.TaskGroup,
        *,
        style: Style,
        still: Callable[[], bool],
    ) -> None:
        self._events = events
        self._clock = clock
        self._group = group
        self._style = style
        self._still = still
        self._known: dict[str, Known] = {}
        self._writing: set[str] = set()
        self._waiting: dict[str, Wanted] = {}
        self._free = asyncio.Semaphore(style.in_flight_max)
        self._idle = asyncio.Event()
        self._idle.set()

    def learn(self, inventory: Inventory) -> None:
        """Take over what the log holds; only while nothing is in flight."""
        self._known = dict(inventory)

    async def offer(self, wanted: Wanted) -> None:
        """Write a fact if it is news; wait while too many are in flight."""
        subject = wanted.fact.subject
        if subject in self._writing:
            self._wait(wanted)
        elif wanted.refresh or is_news(wanted.fact, self._known.get(subject)):
            await self._free.acquire()
            self._writing.add(subject)
            self._idle.clear()
            self._group.create_task(self._write(wanted), name=f"publish {subject}")

    async def settled(self) -> None:
        """Wait until nothing is in flight."""
        await self._idle.wait()

    def _wait(self, wanted: Wanted) -> None:
        before = self._waiting.get(wanted.fact.subject)
        if before is not None:
            metrics.COALESCED.labels(self._style.kind).inc()
            if before.fact.version >= wanted.fact.version:
                return
        self._waiting[wanted.fact.subject] = wanted

    async def _write(self, wanted: Wanted) -> None:
        subject = wanted.fact.subject
        try:
            await self._append(wanted)
            while (later := self._waiting.pop(subject, None)) is not None:
                if is_news(later.fact, self._known.get(subject)):
                    await self._append(later)
        finally:
            self._writing.discard(subject)
            self._free.release()
            if not self._writing:
                self._idle.set()

    async def _append(self, wanted: Wanted) -> None:
        for attempt in range(ATTEMPTS_MAX):
            if await self._try(wanted, again=attempt > 0):
                return
            if wanted.refresh or not is_news(wanted.fact, self._known.get(wanted.fact.subject)):
                return
        log.warning("fact is refused again and again", extra={"subject": wanted.fact.subject})

    async def _try(self, wanted: Wanted, *, again: bool) -> bool:
        """Write once; True if there is nothing more to do."""
        self.check()
        fact = wanted.fact
        entry = self._entry(fact, repeated=again or wanted.refresh)
        if isinstance(entry, TooLarge):
            self._leave_out(entry)
            if not isinstance(fact.body, ResourceSeen):
                return True
            rest = replace(fact, body=without_spec(fact.body, entry.size))
            entry = self._entry(rest, repeated=again or wanted.refresh)
            if isinstance(entry, TooLarge):
                return True
        answer = await commit(self._events, entry, still=self._still)
        if isinstance(answer, Committed):
            self._remember(fact, answer.sequence)
            return True
        self._learn_from(fact.subject, answer.message)
        return False

    def _entry(self, fact: Fact, *, repeated: bool) -> Entry | TooLarge:
        known = self._known.get(fact.subject)
        return entry_of(
            fact,
            fence=known.sequence if known else 0,
            repeated=repeated,
            code=self._style.code,
            now=self._clock.now(),
        )

    def check(self) -> None:
        """Stop here if the session is over."""
        if not self._still():
            raise SessionOverError("the lease is lost, the bus was away, or the log is another")

    def _remember(self, fact: Fact, sequence: int) -> None:
        metrics.PUBLISHED.labels(self._style.kind).inc()
        self._known[fact.subject] = Known(
            sequence=sequence,
            version=fact.version,
            uid=fact.uid,
            gone=fact.gone,
            at=self._clock.now(),
        )

    def _learn_from(self, subject: str, stands: Message | None) -> None:
        metrics.REFUSED.labels(self._style.kind).inc()
        if stands is None:
            self._known.pop(subject, None)
        else:
            self._known[subject] = known_of(stands)

    def _leave_out(self, entry: TooLarge) -> None:
        metrics.UNUSABLE.labels(self._style.kind).inc()
        log.warning(
            "object is too large for the log", extra={"subject": entry.subject, "size": entry.size}
        )
