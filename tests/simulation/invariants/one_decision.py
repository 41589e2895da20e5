"""One decision for each state of a resource: every act was written right after the one it knew."""

from collections.abc import Iterator

from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.subjects import place_of
from tests.simulation.invariants.invariant import Invariant


class OneDecision(Invariant):
    """Acts of one resource, in their order."""

    def recorded(self, record: Record) -> Iterator[str]:
        act, place = record.envelope.body, place_of(record.subject)
        if not isinstance(act, Decided) or place is None:
            return
        before = self.scene.archive.latest(place.key, record.sequence - 1).get(record.subject)
        known = before.sequence if before is not None else 0
        if act.fence != known:
            yield f"act {record.sequence} of {place.key.name} follows {known}, it knew {act.fence}"
