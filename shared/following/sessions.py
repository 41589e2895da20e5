"""Whether the watchers have listed everything, and under which sessions.

A kind is synced when `ray.sync.<kind>` names the session that holds the kind's lease now. Nothing,
creation included, is decided or assessed before all kinds are: after a break, "no head" may only
mean that nobody has looked yet.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta

from shared.bus.leases import ALL_LEASES, Book, Terms
from shared.events.codec import UnreadableRecordError, decode
from shared.events.records import KindListed
from shared.events.subjects import ALL_SYNCS
from shared.ports.event_log import Batch, Bus, EventLog, FromSnapshot, Message, News

DOUBT = Terms().ttl + timedelta(seconds=1)
"""How long a session from before a reconnection is doubted: its lease ends sooner if it is over."""


class Sessions:
    """Follows leases and session marks."""

    def __init__(self, bus: Bus, kinds: Sequence[str], on_change: Callable[[], None]) -> None:
        self._bus = bus
        self._kinds = tuple(kinds)
        self._on_change = on_change
        self._marks: dict[str, str] = {}
        self._marked_at: dict[str, int] = {}
        self._book = Book()
        self._former: frozenset[str] = frozenset()
        """Marks from before the last reconnection: their sessions may be over, unnoticed."""
        self._told: str | None = None
        """What was current when it was said last that something changed."""
        self._generation = -1
        self._named: str | None = None
        self._listed_at = 0
        self._reckon()

    @property
    def current(self) -> str | None:
        """Name the sessions that everything rests on; None while a kind is not listed."""
        return self._named if self._generation == self._bus.generation else None

    @property
    def listed_at(self) -> int:
        """The sequence of the last mark: what a session has listed stands before its mark."""
        return self._listed_at

    def _reckon(self) -> None:
        """Reckon once what will be asked often, whenever something was learned."""
        self._named = self._names()
        self._listed_at = max((self._marked_at.get(kind, 0) for kind in self._kinds), default=0)

    def _names(self) -> str | None:
        named: dict[str, list[str]] = {}
        for kind in self._kinds:
            mark, holder = self._marks.get(kind), self._book.holder(kind)
            if mark is None or holder is None or mark != holder.value or mark in self._former:
                return None
            named.setdefault(mark, []).append(kind)
        if len(named) == 1:
            return next(iter(named))
        return " ".join(f"{mark}={','.join(kinds)}" for mark, kinds in named.items())

    def still(self, named: str) -> bool:
        """Whether what rested on these sessions, as `current` named them, rests on them now."""
        if self.current is None:
            return False
        return all(_session_of(kind, named) in {None, self._marks[kind]} for kind in self._kinds)

    async def run(self) -> None:
        """Follow until cancelled; a reconnection starts from nothing."""
        while True:
            self._generation = self._bus.generation
            self._former = frozenset(self._marks.values())
            self._told = None
            self._forget_marks()
            self._book = Book()
            self._reckon()
            trusting = asyncio.get_running_loop().call_later(DOUBT.total_seconds(), self._trust)
            async with asyncio.TaskGroup() as group:
                marks = group.create_task(
                    self._follow(self._bus.log, (ALL_SYNCS,), self._learn_marks)
                )
                holders = group.create_task(
                    self._follow(self._bus.presence, ALL_LEASES, self._book.learn)
                )
                await self._bus.reconnected(self._generation)
                trusting.cancel()
                marks.cancel()
                holders.cancel()

    def _trust(self) -> None:
        """Take sessions for living that kept their leases through a whole term since."""
        if self._former:
            self._former = frozenset()
            self._reckon()
            self._told = self.current
            self._on_change()

    async def _follow(
        self, log: EventLog, what: Sequence[str], learn: Callable[[News], bool]
    ) -> None:
        async with log.follow(what, FromSnapshot()) as news:
            async for one in news:
                if not learn(one):
                    continue
                self._reckon()
                if self.current != self._told:
                    self._told = self.current
                    self._on_change()

    def _learn_marks(self, news: News) -> bool:
        if not isinstance(news, Batch):
            self._forget_marks()
            return True
        for message in news.messages:
            self._mark(message)
        return True

    def _mark(self, message: Message) -> None:
        try:
            body = decode(message).envelope.body
        except UnreadableRecordError:
            return
        if isinstance(body, KindListed):
            self._marks[body.kind] = body.session
            self._marked_at[body.kind] = message.sequence

    def _forget_marks(self) -> None:
        self._marks.clear()
        self._marked_at.clear()


def _session_of(kind: str, named: str) -> str | None:
    """Return the session that had listed a kind; None if nothing is said of that kind."""
    if " " not in named:
        return named
    parts = (part.partition("=") for part in named.split(" "))
    return next((mark for mark, _, kinds in parts if kind in kinds.split(",")), None)
