"""What changed of a resource between two moments, field by field, and which record did it. Pure."""

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from heliograph.views.bounds import Bound, Bounds
from heliograph.views.changes import Change, changes, words_of
from heliograph.views.moment import SECTIONS, Folding, Snapshot
from shared.events.envelope import Record
from shared.events.objects import ResourceSeen
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey

NOISE = (
    *("mind.lastAct.id", "mind.lastAct.basedOn", "mind.timers.refresh"),
    "status.lastUpdateTime",
)
"""What changes with every act or status and says nothing."""


class Difference(Struct, frozen=True, kw_only=True):
    """One field that differs, and the last record that changed it."""

    path: str
    old: object
    new: object
    text: str
    record: int = 0
    at: datetime | None = None
    by: str = ""
    """Who changed the resource, where that record is of a change and Kubernetes tells."""


class Diff(Struct, frozen=True, kw_only=True):
    """Two moments of a resource, compared."""

    resource: str
    first: int
    first_at: datetime | None
    last: int
    last_at: datetime | None
    differences: tuple[Difference, ...]


def diff(
    key: ResourceKey, records: Iterable[Record], first: Bound | None, last: Bound | None
) -> Diff | None:
    """Compare a resource after `first` with how it was at `last`; None if nothing was known."""
    begun, ended = Bounds(last=first), Bounds(last=last)
    folding = Folding(key)
    before: Snapshot | None = None
    done_by: dict[str, Record] = {}
    for record in records:
        if ended.passed(record.sequence, record.at):
            break
        inside = first is not None and begun.passed(record.sequence, record.at)
        if inside and before is None:
            before = folding.snapshot() or _nothing(key)
            folding.compare_from_here()
        for change in folding.take(record, compare=inside):
            if inside:
                done_by[change.path] = record
    after = folding.snapshot()
    if after is None:
        return None
    before = before or (after if first is not None else _nothing(key))
    return _compared(before, after, done_by)


def _compared(before: Snapshot, after: Snapshot, done_by: dict[str, Record]) -> Diff:
    found = [
        _difference(change, done_by)
        for name in SECTIONS
        for change in changes(getattr(before, name), getattr(after, name), name)
        if change.path not in NOISE
    ]
    return Diff(
        resource=after.resource,
        first=before.record,
        first_at=before.at if before.record else None,
        last=after.record,
        last_at=after.at,
        differences=tuple(found),
    )


def _difference(change: Change, done_by: dict[str, Record]) -> Difference:
    record = _doer(change.path, done_by)
    return Difference(
        path=change.path,
        old=change.old,
        new=change.new,
        text=words_of(change),
        record=record.sequence if record else 0,
        at=record.at if record else None,
        by=_changed_by(record),
    )


def _changed_by(record: Record | None) -> str:
    """Return who changed the resource with a record; nothing of a child, a status or an act."""
    body, place = (record.envelope.body, place_of(record.subject)) if record else (None, None)
    if place is None or not isinstance(body, ResourceSeen):
        return ""
    return body.meta.changed_by if place.rest == (place.key.kind, place.key.name) else ""


def _doer(path: str, done_by: dict[str, Record]) -> Record | None:
    """Return the last record that changed a path, something under it, or something around it."""
    if path in done_by:
        return done_by[path]
    near = [
        record
        for changed, record in done_by.items()
        if _under(changed, path) or _under(path, changed)
    ]
    return max(near, key=lambda one: one.sequence, default=None)


def _under(path: str, around: str) -> bool:
    return path.startswith((f"{around}.", f"{around}["))


def _nothing(key: ResourceKey) -> Snapshot:
    return Snapshot(
        resource=str(key),
        at=datetime.min,  # noqa: DTZ901 - never shown: there is no record 0
        record=0,
        state="",
        waits=(),
        metadata={},
        spec={},
        children={},
        status={},
        mind={},
    )
