"""What a shadow would have done beside what another operator did. Pure.

Two questions. Of everything that appeared or went: would our rules have done it, too, at that
moment (`supposing.py`)? Of everything that we wanted: did it come within a while? What is answered
yes matches. What only the other did is extra, what only we wanted is missing. A wish that ends
sooner than that while counts for nothing: what it went by was on its way.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from msgspec import Struct

from heliograph.views.course import Course, Match, Parted
from heliograph.views.effects import effects_in
from heliograph.views.supposing import Would
from shared.events.codec import UnreadableRecordError, decode
from shared.events.envelope import Record
from shared.events.modes import ModeChosen
from shared.events.records import KindListed
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Message

WITHIN = timedelta(seconds=30)


class RuleParity(Struct, frozen=True, kw_only=True):
    """How decisions of one kind compare."""

    rule: str
    matched: int
    missing: int
    extra: int
    percent: float


class Parity(Struct, frozen=True, kw_only=True):
    """How everything compares. `percent` is None if there was nothing to compare."""

    resources: int
    matched: int
    missing: int
    extra: int
    undecided: int
    """What is too fresh to be told."""
    percent: float | None
    rules: tuple[RuleParity, ...] = ()
    differences: tuple[Parted, ...] = ()


class Comparing:
    """Compares as the log goes by; holds one view of each resource, and what differs."""

    def __init__(
        self, would: Would, within: timedelta = WITHIN, since: datetime | None = None
    ) -> None:
        self._would = would
        self._within = within
        self._since = since
        self._listed: set[str] = set()
        self._courses: dict[ResourceKey, Course] = {}
        self.shadow: bool | None = None
        """Whether the log says that it is of an installation that only looks on."""

    def hear(self, message: Message, *, base: bool = False) -> None:
        """Take the next message; one that nobody can read is left out."""
        try:
            self.take(decode(message), base=base)
        except UnreadableRecordError:
            return

    def take(self, record: Record, *, base: bool = False) -> None:
        """Take the next record; what was there at the beginning (`base`) nobody did since."""
        place, body = place_of(record.subject), record.envelope.body
        if isinstance(body, KindListed):
            self._listed.add(body.kind)
        if isinstance(body, ModeChosen):
            self.shadow = body.shadow
        if place is None:
            return
        course = self._courses.get(place.key)
        if course is None:
            course = Course(place.key, self._would, self._within)
            self._courses[place.key] = course
        is_child = place.facet == "obs" and place.rest != (place.key.kind, place.key.name)
        if is_child and not base and place.rest[0] in self._listed:
            name = (place.rest[0], place.rest[1])
            course.expect(effects_in(record, name, course.seen(record.subject)))
        course.take(record)

    def result(self, now: datetime) -> Parity:
        """Return how it all compares, as of this moment."""
        matches, parted, undecided = list[Match](), list[Parted](), 0
        for course in self._courses.values():
            course.end(now)
            matches += [one for one in course.matches if self._counts(one.at)]
            parted += [one for one in course.parted if self._counts(one.at)]
            undecided += course.undecided
        alike = len(matches)
        missing = sum(1 for one in parted if one.verdict == "missing")
        return Parity(
            resources=len(self._courses),
            matched=alike,
            missing=missing,
            extra=len(parted) - missing,
            undecided=undecided,
            percent=percent_of(alike, len(parted)) if alike or parted else None,
            rules=tuple(_by_rule(matches, parted)),
            differences=tuple(sorted(parted, key=lambda one: (one.at, one.sequence, one.what))),
        )

    def _counts(self, at: datetime) -> bool:
        return self._since is None or at >= self._since


def _by_rule(matches: Iterable[Match], parted: Iterable[Parted]) -> Iterator[RuleParity]:
    """Count by rule, those that differ most first."""
    counts: dict[str, dict[str, int]] = {}
    everything: list[Match | Parted] = [*matches, *parted]
    for one in everything:
        of_rule = counts.setdefault(one.rule, {"matched": 0, "missing": 0, "extra": 0})
        of_rule[one.verdict] += 1
    told = [
        RuleParity(
            rule=rule,
            **found,
            percent=percent_of(found["matched"], sum(found.values()) - found["matched"]),
        )
        for rule, found in counts.items()
    ]
    yield from sorted(told, key=lambda one: (one.percent, one.rule))


def percent_of(alike: int, apart: int) -> float:
    """Return how many in a hundred are alike, rounded down: a hundred means all."""
    return alike * 1000 // (alike + apart) / 10
