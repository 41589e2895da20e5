"""What a record shows to have been made or taken away of what a resource controls. Pure."""

from collections.abc import Iterator

from heliograph.views.likeness import CREATE, DELETE, name_of
from heliograph.views.supposing import Effect
from shared.aggregates.expectations import Name
from shared.events.envelope import Record
from shared.events.objects import (
    ChildSeen,
    ObjectGone,
    ObjectSeen,
    Observation,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
)

RULE_ANNOTATION = "heliograph.dev/rule"
"""Where an object says which rule made it, if an operator of ours did."""


def observation_in(record: Record | None) -> Observation | None:
    """Return what a record shows of an object; None if it shows something else."""
    body = record.envelope.body if record is not None else None
    if isinstance(body, PodSeen | ServiceSeen | ChildSeen | ResourceSeen | ObjectGone):
        return body
    return None


def effects_in(record: Record, name: Name, before: Observation | None) -> Iterator[Effect]:
    """Compare what is seen of a child with how it was before."""
    now = observation_in(record)
    was = None if isinstance(before, ObjectGone) or before is None else before
    if now is None:
        return
    seen = None if isinstance(now, ObjectGone) else now
    another = was is None or seen is None or was.meta.uid != seen.meta.uid
    if was is not None and was.meta.deleted_at is None and (another or _going(seen)):
        yield from _effect(DELETE, record, name, was, before=was)
    if seen is not None and another:
        yield from _effect(CREATE, record, name, seen, before=None)


def _going(seen: ObjectSeen | None) -> bool:
    return seen is not None and seen.meta.deleted_at is not None


def _effect(
    verb: str, record: Record, name: Name, seen: ObjectSeen, *, before: ObjectSeen | None
) -> Iterator[Effect]:
    """Tell of an effect, if anybody controls the object."""
    owner = next((one.uid for one in seen.meta.owners if one.controller), "")
    if owner:
        yield Effect(
            like=(verb, name[0], name_of(name[0], seen)),
            name=name,
            owner=owner,
            at=record.at,
            sequence=record.sequence,
            before=before,
            rule=seen.meta.annotations.get(RULE_ANNOTATION, ""),
        )
