"""Suspending and Suspended: never both, no pod is created meanwhile, and none is left at the end.

A creation that was allowed by a look at the log before the phase stood there may still land, within
one call deadline; while Suspended, none may.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from sandbox.history import WatchEvent
from shared.aggregates.phases import SUSPENDED, SUSPENDING
from shared.events.envelope import Record
from shared.events.objects import ResourceSeen
from shared.events.records import StatusWritten
from shared.kernel.manifests import entries_at, name_of, uid_of
from tests.simulation.invariants.invariant import Invariant, Scene, owner_uid
from tests.simulation.kubernetes import CALL_DEADLINE
from tests.simulation.nature import RAYCLUSTERS, names


class SuspendedMeansEmpty(Invariant):
    """The two phases of a suspended cluster."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._told_at: dict[str, datetime] = {}

    def recorded(self, record: Record) -> Iterator[str]:
        body = record.envelope.body
        if isinstance(body, ResourceSeen | StatusWritten):
            uid = record.envelope.uid
            if holds({"status": body.status}, SUSPENDING):
                self._told_at.setdefault(uid, record.at)
            else:
                self._told_at.pop(uid, None)
        yield from ()

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if resource == RAYCLUSTERS and change.type != "DELETED":
            pods = names(self.scene.nature.owned("pods", uid_of(change.object)))
            suspended = holds(change.object, SUSPENDED)
            if suspended and holds(change.object, SUSPENDING):
                yield f"{name_of(change.object)} is suspending and suspended"
            if suspended and pods:
                yield f"{name_of(change.object)} is suspended and has {', '.join(pods)}"
        elif resource == "pods" and change.type == "ADDED":
            yield from self._created(change)

    def _created(self, change: WatchEvent) -> Iterator[str]:
        owner = self.scene.nature.find_uid(owner_uid(change.object))
        if owner is None:
            return
        name = name_of(change.object)
        if holds(owner, SUSPENDED):
            yield f"{name} was created while its cluster is suspended"
        told_at = self._told_at.get(uid_of(owner))
        now = self.scene.nature.cluster.state.clock()
        if holds(owner, SUSPENDING) and told_at is not None:
            late = now - told_at
            if late > timedelta(seconds=CALL_DEADLINE):
                yield f"{name} was created {late.total_seconds():.1f} s into suspending"


def holds(raw: object, type_: str) -> bool:
    """Say whether a condition of an object is true."""
    return any(
        entry.get("type") == type_ and entry.get("status") == "True"
        for entry in entries_at(raw, "status", "conditions")
    )
