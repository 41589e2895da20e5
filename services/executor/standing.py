"""Whether an act still stands, given the last records of its resource. Pure.

An act stands while it is the last of its resource. It is overtaken when uid, generation, deletion
or phase are newer than what it saw: then nothing of it is done, creations as well as deletions.
"""

from msgspec import Struct

from shared.aggregates.phases import phase_of
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.objects import ResourceSeen
from shared.events.records import StatusWritten


class Stands(Struct, frozen=True):
    """Go on."""


class Superseded(Struct, frozen=True):
    """There is a newer act: this one has no outcome of its own."""


class OvertakenBy(Struct, frozen=True):
    """There is newer news than the act saw."""

    because: str


Standing = Stands | Superseded | OvertakenBy


def standing(
    asked: Record, last_act: Record | None, own: Record | None, status: Record | None
) -> Standing:
    """Compare an act with the last records of its resource."""
    act = asked.envelope.body
    if not isinstance(act, Decided) or last_act is None or last_act.sequence != asked.sequence:
        return Superseded()
    newer = _newer(act, asked.envelope.uid, own.envelope.body if own else None, status)
    return OvertakenBy(because=newer) if newer else Stands()


def _newer(act: Decided, uid: str, seen: object, status: Record | None) -> str:
    """Say what is newer than the act saw; empty if nothing is."""
    if not isinstance(seen, ResourceSeen):
        return "the resource is gone"
    if seen.meta.uid != uid:
        return "another resource has its name now"
    if seen.meta.deleted_at is not None and not act.seen.deleting:
        return "the resource is being deleted"
    if seen.meta.generation > act.seen.generation:
        return "its spec was changed"
    return "" if _phase(seen, status) == act.seen.phase else "its phase has changed"


def _phase(seen: ResourceSeen, status: Record | None) -> str:
    written = status.envelope.body if status else None
    if (
        status is not None
        and isinstance(written, StatusWritten)
        and status.envelope.uid == seen.meta.uid
        and written.resource_version > seen.meta.resource_version
    ):
        return phase_of(written.status)
    return phase_of(seen.status)
