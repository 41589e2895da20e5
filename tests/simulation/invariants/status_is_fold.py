"""Every written status is what the log, as far as it was read, says it is."""

from collections.abc import Iterator

from services.status.conditions.raycluster import assess_raycluster
from services.status.patch import difference
from services.status.reading import readable_cluster
from shared.events.envelope import Record
from shared.events.records import StatusWritten
from shared.events.subjects import place_of
from tests.simulation.invariants.invariant import Invariant


class StatusIsFold(Invariant):
    """Status records, assessed again."""

    def recorded(self, record: Record) -> Iterator[str]:
        body, place = record.envelope.body, place_of(record.subject)
        if not isinstance(body, StatusWritten) or place is None:
            return
        view = self.scene.archive.view(place.key, body.based_on)
        again = assess_raycluster(view, readable_cluster(view))
        if apart := difference(again, body.status):
            yield f"status of {place.key.name} at {record.sequence} differs: {apart}"
