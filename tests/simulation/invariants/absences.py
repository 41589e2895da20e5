"""Nobody is told to be gone who is there: a read that failed is never an absence."""

from collections.abc import Iterator

from shared.events.envelope import Record
from shared.events.objects import ObjectGone
from tests.simulation.invariants.invariant import Invariant


class Absences(Invariant):
    """Tombstones in the log, held against what Kubernetes has in that moment."""

    def recorded(self, record: Record) -> Iterator[str]:
        body = record.envelope.body
        if isinstance(body, ObjectGone) and self.scene.nature.find_uid(body.uid) is not None:
            yield f"7: {record.subject} is told to be gone, and {body.uid} is there"
