"""What a resource waited for over time: since when, and how long such waits usually take. Pure.

A book takes one resource's records as they come. What it waits for follows from the records
(`shared.aggregates.blame`); here it is dated. A wait that ends and is there again within a moment
went on: what was refused is tried again from time to time.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from shared.aggregates.blame import Wait, waits_beside_pods, waits_of_pod
from shared.aggregates.view import view
from shared.events.envelope import Record
from shared.events.objects import ObjectGone, PodSeen, ResourceSeen
from shared.events.subjects import own, place_of
from shared.kernel.keys import ResourceKey

SAME_WITHIN = timedelta(seconds=30)
"""A wait that is back so soon has not been over."""

Topic = tuple[str, str]
"""Cause and object."""


class Lasted(Struct, frozen=True, kw_only=True):
    """A wait that is over."""

    wait: Wait
    began_at: datetime
    ended_at: datetime
    record: int
    """The record with which it began."""


class Usual(Struct, frozen=True, kw_only=True):
    """How long waits for one cause took."""

    median: timedelta
    count: int


class _Open(Struct):
    wait: Wait
    began_at: datetime
    record: int


class WaitBook:
    """The waits of one resource."""

    def __init__(self, key: ResourceKey) -> None:
        self.key = key
        self._itself = own(key)
        self.over: list[Lasted] = []
        self._open: dict[Topic, _Open] = {}
        self._parts: dict[str, dict[Topic, Wait]] = {}
        self._told: Counter[Topic] = Counter()
        """How many parts tell of each topic."""
        self._latest: dict[str, Record] = {}

    def take(self, record: Record) -> None:
        """Take the next record in."""
        place, body = place_of(record.subject), record.envelope.body
        if place is None or place.key != self.key:
            return
        if record.subject == self._itself and self._ends(body):
            for part in tuple(self._parts):
                self._become(record, part, ())
        pod = place.facet == "obs" and place.rest[0] == "pod"
        if pod:
            found = waits_of_pod(body) if isinstance(body, PodSeen) else ()
            self._become(record, record.subject, found)
        else:
            self._latest[record.subject] = record
            beside = waits_beside_pods(view(self.key, self._latest.values()))
            self._become(record, "", beside)

    def _ends(self, body: object) -> bool:
        """Whether the resource is gone, or another one has its name."""
        former = self._latest.get(self._itself)
        known = former.envelope.body if former else None
        if isinstance(body, ResourceSeen) and isinstance(known, ResourceSeen):
            return body.meta.uid != known.meta.uid
        return isinstance(body, ObjectGone)

    def _become(self, record: Record, part: str, waits: Iterable[Wait]) -> None:
        """Let one part of the resource wait for this and nothing else."""
        now = {(one.cause, one.what): one for one in waits}
        former = self._parts.get(part, {})
        self._told.update(now.keys() - former.keys())
        self._told.subtract(former.keys() - now.keys())
        self._parts[part] = now
        for topic in former.keys() - now.keys():
            if not self._told[topic]:
                self._end(record, topic)
        for topic, wait in now.items():
            if topic in self._open:
                self._open[topic].wait = wait
            else:
                self._open[topic] = self._begun(record, topic, wait)

    def _end(self, record: Record, topic: Topic) -> None:
        ended = self._open.pop(topic)
        self.over.append(
            Lasted(
                wait=ended.wait, began_at=ended.began_at, ended_at=record.at, record=ended.record
            )
        )

    def _begun(self, record: Record, topic: Topic, wait: Wait) -> _Open:
        for index in range(len(self.over) - 1, -1, -1):
            past = self.over[index]
            if record.at - past.ended_at > SAME_WITHIN:
                break
            if (past.wait.cause, past.wait.what) == topic:
                del self.over[index]
                return _Open(wait, past.began_at, past.record)
        return _Open(wait, record.at, record.sequence)

    def now(self) -> tuple[Wait, ...]:
        """Return what is waited for now, since when, the worst first."""
        dated = (replace(one.wait, since=one.began_at) for one in self._open.values())
        return tuple(sorted(dated, key=lambda one: (one.rank, one.what)))

    def began_with(self, wait: Wait) -> int:
        """Return the record with which a present wait began."""
        return self._open[wait.cause, wait.what].record


def book_of(key: ResourceKey, records: Iterable[Record]) -> WaitBook:
    """Keep the book of a resource over its records, oldest first."""
    book = WaitBook(key)
    for record in records:
        book.take(record)
    return book


def usual(cause: str, books: Iterable[WaitBook]) -> Usual | None:
    """Return how long waits for this cause took, where any is over."""
    spans = [
        one.ended_at - one.began_at
        for book in books
        for one in book.over
        if one.wait.cause == cause
    ]
    if not spans:
        return None
    seconds = median(span.total_seconds() for span in spans)
    return Usual(median=timedelta(seconds=seconds), count=len(spans))


def wait_words(wait: Wait, now: datetime, usually: Usual | None) -> str:
    """Say what is waited for, since when, and how long that usually takes."""
    return "; ".join(_parts(wait, now, usually))


def _parts(wait: Wait, now: datetime, usually: Usual | None) -> Iterator[str]:
    yield f"waits ({wait.cause}) for {wait.where}: {wait.words}"
    if wait.since is not None:
        yield f"for {span_words(now - wait.since)} now"
    if usually is not None:
        times = "once" if usually.count == 1 else f"{usually.count} times"
        yield f"usually {span_words(usually.median)} ({times} in this log)"


def span_words(span: timedelta) -> str:
    """Say how long: two units at most."""
    seconds = max(span.total_seconds(), 0)
    if seconds < 10:  # noqa: PLR2004 - tenths matter below ten
        return f"{seconds:.1f} s"
    minutes, left = divmod(round(seconds), 60)
    hours, minutes_left = divmod(minutes, 60)
    days, hours_left = divmod(hours, 24)
    for big, unit, small, part in (
        (days, "d", hours_left, "h"),
        (hours, "h", minutes_left, "min"),
        (minutes, "min", left, "s"),
    ):
        if big:
            return f"{big} {unit} {small} {part}" if small else f"{big} {unit}"
    return f"{left} s"
