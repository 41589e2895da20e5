"""Every written status is what the log, as far as it was read, says it is.

Zeros that the API server adds, because the definition has them as defaults, say nothing. What rests
on a log that is lost meanwhile cannot be judged.
"""

from collections.abc import Iterator

from services.status.assessing import assessed
from services.status.patch import difference
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
        if body.based_on < self.scene.archive.first:
            return
        view = self.scene.archive.view(place.key, body.based_on)
        again = assessed(view, self.scene.features)
        if again is None:
            return
        stored = {key: told for key, told in body.status.items() if key in again or told}
        if apart := difference(again, stored):
            yield f"status of {place.key.name} at {record.sequence} differs: {apart}"
