"""Nobody is told to be gone who is there: a read that failed is never an absence.

What has lost its owner is gone as far as that owner is concerned: a claim that shall outlive its
cluster is let go, and stays.
"""

from collections.abc import Iterator

from shared.events.envelope import Record
from shared.events.objects import ObjectGone
from shared.events.subjects import place_of
from shared.kernel.manifests import name_of
from tests.simulation.invariants.invariant import Invariant, owner_uid


class Absences(Invariant):
    """Tombstones in the log, held against what Kubernetes has in that moment."""

    def recorded(self, record: Record) -> Iterator[str]:
        body, place = record.envelope.body, place_of(record.subject)
        if not isinstance(body, ObjectGone) or place is None:
            return
        found = self.scene.nature.find_uid(body.uid)
        if found is None:
            return
        is_itself = name_of(found) == place.key.name and body.kind == place.key.kind
        if is_itself or owner_uid(found) == record.envelope.uid:
            yield f"7: {record.subject} is told to be gone, and {body.uid} is there"
