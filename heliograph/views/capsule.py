"""What a capsule holds, as values: a slice of the log, and a page that says what it is. Pure.

A slice is one or more resources, what they are owned by and own, the settings that their acts name
and the marks of listed kinds. Invariant: every act of the range has under it what it rests on. So a
slice begins, for each resource, with the last record of each subject at the moment on which its
first act rests, be that before the range: its base. Redaction is in `heliograph.views.sealing`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from shared.events.decisions import Decided, SettingsUsed
from shared.events.envelope import Record
from shared.events.modes import ModeChosen
from shared.events.objects import ObjectGone, ResourceSeen
from shared.events.records import KindListed
from shared.events.subjects import Place, place_of
from shared.kernel.keys import ResourceKey

FORMAT = 1
"""Raised when older code can no longer read what newer code writes."""
OURS = frozenset({"raycluster", "rayjob", "rayservice", "raycronjob"})

Histories = Mapping[ResourceKey, Sequence[Record]]


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A record in a capsule.

    `base` says that it is from before the range, `altered` that it is an act which is decided
    otherwise because of redaction. Neither is compared.
    """

    record: Record
    base: bool = False
    altered: bool = False


class Span(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which part of the log: what was asked for, and the first and last record that came of it."""

    since: datetime | None = None
    until: datetime | None = None
    first: int = 0
    last: int = 0
    began_at: datetime | None = None
    ended_at: datetime | None = None


class Tally(Struct, frozen=True, kw_only=True):
    """How decisions compare: the same, not the same, and what has nothing to rest on."""

    identical: int = 0
    different: int = 0
    missing: int = 0

    @property
    def all(self) -> int:
        """How many decisions there are."""
        return self.identical + self.different + self.missing


class Manifest(Struct, frozen=True, kw_only=True):
    """What a capsule says of itself.

    `on_source` compares before redaction, `in_capsule` after it. `altered` names acts that are
    decided otherwise over redacted records: they are carried as they were recorded. `shadow` says
    whether the log is of an installation that only looks on; None if nobody wrote that down.
    """

    format: int
    product: str
    log: str
    span: Span
    resources: tuple[str, ...]
    records: int
    base: int
    counts: dict[str, dict[str, int]]
    redacted: dict[str, int]
    on_source: Tally
    in_capsule: Tally
    altered: tuple[int, ...]
    sha256: str = ""
    shadow: bool | None = None


class Slice(Struct, frozen=True, kw_only=True):
    """Records for a capsule, oldest first, and what was asked for."""

    lines: tuple[Line, ...]
    resources: tuple[ResourceKey, ...]
    span: Span = field(default_factory=Span)
    shadow: bool | None = None


def linked(
    key: ResourceKey, history: Iterable[Record]
) -> tuple[set[ResourceKey], set[ResourceKey]]:
    """Return the resources of ours that own this one, and those that it owns, ever seen."""
    above: set[ResourceKey] = set()
    below: set[ResourceKey] = set()
    for record in history:
        place, body = place_of(record.subject), record.envelope.body
        if place is None or place.key != key or not isinstance(body, ResourceSeen | ObjectGone):
            continue
        if place.rest == (key.kind, key.name):
            above |= _owners(key, body)
        elif place.rest[0] in OURS:
            below.add(ResourceKey(place.rest[0], key.namespace, place.rest[1]))
    return above, below


def _owners(key: ResourceKey, body: ResourceSeen | ObjectGone) -> set[ResourceKey]:
    owners = body.meta.owners if isinstance(body, ResourceSeen) else ()
    kinds = ((owner.kind.lower(), owner.name) for owner in owners)
    return {ResourceKey(kind, key.namespace, name) for kind, name in kinds if kind in OURS}


def cut(records: Sequence[Record], since: datetime | None, until: datetime | None) -> Slice:
    """Cut a range out of records of whole histories, each resource with its base."""
    kept = [record for record in records if until is None or record.at <= until]
    histories: dict[ResourceKey, list[Record]] = {}
    beside: list[Record] = []
    for record in kept:
        place = place_of(record.subject)
        (beside if place is None else histories.setdefault(place.key, [])).append(record)
    lines = [line for history in histories.values() for line in _based(history, since)]
    if since is not None:
        histories = {key: each for key, each in histories.items() if each[-1].at >= since}
    lines += [*_beside(beside, lines, ranged=since is not None)]
    lines.sort(key=_sequence)
    return Slice(
        lines=tuple(lines),
        resources=tuple(sorted(histories)),
        span=_span(lines, since, until),
        shadow=_mode(records),
    )


def _mode(records: Iterable[Record]) -> bool | None:
    """Return whether the log is a shadow's; a log has one mode, whenever the mark was written."""
    marks = (body for record in records if isinstance(body := _body(record), ModeChosen))
    return next((mark.shadow for mark in marks), None)


def _span(lines: Sequence[Line], since: datetime | None, until: datetime | None) -> Span:
    span = Span(since=since, until=until)
    if not lines:
        return span
    first, last = lines[0].record, lines[-1].record
    return replace(
        span, first=first.sequence, last=last.sequence, began_at=first.at, ended_at=last.at
    )


def _based(history: Sequence[Record], since: datetime | None) -> Iterator[Line]:
    """Yield a resource's records of the range after the base of the first; nothing if none is."""
    if since is None:
        yield from (Line(record=record) for record in history)
        return
    within = [record for record in history if record.at >= since]
    if not within:
        return
    rests = (body.based_on for record in within if isinstance(body := _body(record), Decided))
    start = min((within[0].sequence - 1, *rests))
    last = {record.subject: record for record in history if record.sequence <= start}
    yield from (Line(record=record, base=True) for record in last.values())
    for record in history:
        if record.sequence > start:
            yield Line(record=record, base=record.at < since)


def _beside(records: Iterable[Record], told: Sequence[Line], *, ranged: bool) -> Iterator[Line]:
    """Yield the settings that acts name, and the marks of the range after the last before it."""
    acts = (body for line in told if isinstance(body := _body(line.record), Decided))
    named = {body.settings for body in acts}
    first = min((line.record.sequence for line in told if not line.base), default=0)
    marks: dict[str, Record] = {}
    for record in records:
        body = _body(record)
        if isinstance(body, SettingsUsed) and body.digest in named:
            yield Line(record=record, base=ranged and record.sequence < first)
        elif isinstance(body, KindListed) and ranged and record.sequence < first:
            marks[record.subject] = record
        elif isinstance(body, KindListed) and told:
            yield Line(record=record)
    yield from (Line(record=record, base=True) for record in marks.values())


def counts_of(lines: Iterable[Line]) -> dict[str, dict[str, int]]:
    """Count records by kind of resource and facet."""
    found: dict[str, Counter[str]] = {}
    for line in lines:
        place = place_of(line.record.subject) or _beside_place(line.record.subject)
        found.setdefault(place.key.kind, Counter())[place.facet] += 1
    return {kind: dict(sorted(each.items())) for kind, each in sorted(found.items())}


def _beside_place(subject: str) -> Place:
    word = subject.split(".")[1]
    return Place(ResourceKey("beside", "", ""), word)


def _sequence(line: Line) -> int:
    return line.record.sequence


def _body(record: Record) -> object:
    return record.envelope.body
