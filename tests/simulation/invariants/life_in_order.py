"""Who listens to the life of a resource misses nothing and hears nothing twice.

Events are numbered without a gap as far as the log still knows the former one, a uid is told of
until it is told to be deleted, and never afterwards.
"""

from collections.abc import Iterator

from shared.events.envelope import Record
from shared.events.lifecycle import DELETED, LifeTold
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey
from tests.simulation.invariants.invariant import Invariant


class LifeInOrder(Invariant):
    """Lifecycle events, in their order."""

    def recorded(self, record: Record) -> Iterator[str]:
        body, place = record.envelope.body, place_of(record.subject)
        if not isinstance(body, LifeTold) or place is None:
            return
        former = self._before(place.key, record.sequence)
        if former is None:
            return
        told, uid = former.envelope.body, former.envelope.uid
        assert isinstance(told, LifeTold)
        if body.number != told.number + 1:
            yield f"41: {record.subject} is event {body.number} after event {told.number}"
        if record.envelope.uid == uid and told.what == DELETED:
            yield f"41: {record.subject} tells of {uid} after its end"
        if record.envelope.uid != uid and told.what != DELETED:
            yield f"41: {record.subject} tells of {record.envelope.uid}, {uid} has no end"

    def _before(self, key: ResourceKey, sequence: int) -> Record | None:
        """Return the last event of a resource that the log still has."""
        known = self.scene.archive.latest(key, sequence - 1).values()
        lives = [one for one in known if isinstance(one.envelope.body, LifeTold)]
        return max(lives, key=lambda one: one.sequence, default=None)
