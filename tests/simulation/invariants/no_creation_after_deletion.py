"""Nothing is created for a resource whose deletion was in the log one call deadline ago.

But for what cleans up after it in Redis, and is made for this reason.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from sandbox.history import WatchEvent
from shared.events.envelope import Record
from shared.events.objects import ObjectGone, ResourceSeen
from shared.events.subjects import place_of
from shared.kernel.manifests import name_of
from shared.resources.labels import NODE_TYPE, REDIS_CLEANUP
from tests.simulation.invariants.invariant import Invariant, Scene, label, owner_uid
from tests.simulation.kubernetes import CALL_DEADLINE


class NoCreationAfterDeletion(Invariant):
    """Children of resources that are gone or going."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._told_at: dict[str, datetime] = {}

    def recorded(self, record: Record) -> Iterator[str]:
        body, place = record.envelope.body, place_of(record.subject)
        if place is None or place.rest != (place.key.kind, place.key.name):
            return
        if isinstance(body, ObjectGone):
            self._told_at.setdefault(body.uid, record.at)
        elif isinstance(body, ResourceSeen) and body.meta.deleted_at is not None:
            self._told_at.setdefault(body.meta.uid, record.at)
        yield from ()

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if change.type != "ADDED" or label(change.object, NODE_TYPE) == REDIS_CLEANUP:
            return
        told_at = self._told_at.get(owner_uid(change.object))
        now = self.scene.nature.cluster.state.clock()
        if told_at is not None and now - told_at > timedelta(seconds=CALL_DEADLINE):
            late = (now - told_at).total_seconds()
            yield f"{name_of(change.object)} was created {late:.1f} s after its owner's deletion"
