"""What is told of an object never goes back, and nothing follows its end."""

from collections.abc import Iterator

from shared.events.envelope import Record
from shared.events.objects import (
    ChildSeen,
    ObjectGone,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
    uid_of,
    version_of,
)
from shared.events.subjects import place_of
from tests.simulation.invariants.invariant import Invariant


class VersionsRise(Invariant):
    """Observations of one subject, in their order."""

    def recorded(self, record: Record) -> Iterator[str]:
        body, place = record.envelope.body, place_of(record.subject)
        if place is None or not isinstance(
            body, PodSeen | ServiceSeen | ChildSeen | ResourceSeen | ObjectGone
        ):
            return
        before = self.scene.archive.latest(place.key, record.sequence - 1).get(record.subject)
        known = before.envelope.body if before else None
        if not isinstance(known, PodSeen | ServiceSeen | ChildSeen | ResourceSeen | ObjectGone):
            return
        if version_of(body) < version_of(known):
            yield f"{record.subject} goes back from {version_of(known)} to {version_of(body)}"
        if isinstance(known, ObjectGone) and known.uid == uid_of(body):
            yield f"{record.subject} tells of {known.uid} after its end"
