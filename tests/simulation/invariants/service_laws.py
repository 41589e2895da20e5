"""The laws of RayServices over the whole system: those that every story of the model is held to.

31 active and pending, no more; 32 requests are led only where somebody takes them; 34 a cluster
that is replaced stays until its delay is over; 35 an unchanged spec makes no cluster; 36 states
move along the table, and in the end the newest spec is served by one cluster.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from sandbox.history import WatchEvent
from sandbox.objects import Object as SandboxObject
from sandbox.requests import Request
from services.reconciler.manifests.rayservice.cluster import HASH
from services.status.conditions.rayservice.table import GIVEN_UP, state_of
from shared.aggregates.phases import SERVICE_SUSPENDED, SERVICE_SUSPENDING
from shared.aggregates.rayservice import ACTIVE, PENDING
from shared.kernel.hashing import recreate_hash
from shared.kernel.instants import read_instant
from shared.kernel.manifests import (
    annotations_of,
    integer_at,
    mapping_at,
    name_of,
    text_at,
    uid_of,
    value_at,
)
from shared.ports.cluster import Object
from shared.resources.labels import CLUSTER, SERVE
from shared.resources.service_timeout import initializing_timeout
from tests.simulation.invariants.invariant import Invariant, Scene, answers, label, owner_uid
from tests.simulation.invariants.suspended_means_empty import holds
from tests.simulation.kinds import RAYCLUSTERS, RAYSERVICES
from tests.simulation.nature import names
from tests.support.moves import SERVICE_MOVES, may_follow

SECOND = timedelta(seconds=1)
"""What is lost of a moment that is told in whole seconds."""
LATELY = timedelta(minutes=1)
"""How old a sight may be that traffic is moved on."""


class ServiceLaws(Invariant):
    """RayServices, their clusters and where requests are led."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._left: dict[str, datetime] = {}
        """Since when clusters are no longer named."""
        self._served: dict[str, datetime] = {}
        """When a pod of a cluster was last seen to take requests."""

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if resource == RAYSERVICES and change.previous is not None and change.type != "DELETED":
            yield from self._told(change.previous, change.object)
        elif resource == RAYCLUSTERS and change.type == "ADDED":
            yield from self._made(change.object)
        elif resource == "pods":
            self._served |= dict.fromkeys(serving(change), self._now())
        elif resource == "services" and change.type != "DELETED":
            yield from self._led(change)

    def asked(self, who: str, request: Request) -> Iterator[str]:
        if request.verb != "delete" or request.resource != RAYCLUSTERS:
            return
        found = self.scene.nature.find_uid(request.deletion.uid or "")
        service = self._service_of(found)
        if found is None or service is None:
            return
        going = text_at(service, "metadata", "deletionTimestamp")
        if going or holds(service, SERVICE_SUSPENDING):
            return
        name = name_of(found)
        left = self._left.get(name)
        if name in named(service):
            yield f"34: {name} was deleted although it is needed"
        delay = integer_at(service, "spec", "rayClusterDeletionDelaySeconds") or 0
        if left is not None and self._now() < left + timedelta(seconds=delay) - SECOND:
            yield f"34: {name} was deleted {self._now() - left} after it was replaced"

    def _service_of(self, found: Object | None) -> Object | None:
        owner = self.scene.nature.find_uid(owner_uid(found)) if found is not None else None
        return owner if owner is not None and owner.get("kind") == "RayService" else None

    def _told(self, before: Object, after: Object) -> Iterator[str]:
        states = state_of(mapping_at(before, "status")), state_of(mapping_at(after, "status"))
        if not may_follow(SERVICE_MOVES, *states):
            yield f"service {name_of(after)}: 36: {states[0]} to {states[1]}"
        gone, kept = named(before) - named(after), named(after)
        self._left |= dict.fromkeys(gone, self._now())
        for name in kept:
            self._left.pop(name, None)

    def _made(self, made: Object) -> Iterator[str]:
        service = self._service_of(made)
        if service is None:
            return
        name = name_of(made)
        clusters = self.scene.nature.owned(RAYCLUSTERS, uid_of(service))
        if name not in named(service):
            yield f"31: {name} was made under a name that nobody told"
        wanted = [one for one in names(clusters) if one not in self._left]
        if len(wanted) > 2:
            yield f"31: there are {', '.join(wanted)}"
        active = text_at(service, "status", ACTIVE, "rayClusterName")
        for one in clusters:
            alive = not text_at(one, "metadata", "deletionTimestamp")
            same = annotations_of(one).get(HASH) == annotations_of(made).get(HASH)
            if name_of(one) == active != name and alive and same:
                yield f"35: {name} was made from the spec that {active} has"

    def _led(self, change: WatchEvent) -> Iterator[str]:
        """Judge where the serve service leads now; a cluster's own leads nowhere else."""
        selector = mapping_at(change.object, "spec", "selector")
        before = mapping_at(change.previous or {}, "spec", "selector")
        to = str(selector.get(CLUSTER, ""))
        service = self._service_of(change.object)
        if SERVE not in selector or selector == before or service is None:
            return
        if not before and self._served.keys().isdisjoint(named(service)):
            return  # nobody has ever taken requests
        seen = self._served.get(to)
        lately = seen is not None and self._now() - seen <= LATELY
        if not lately and not self._serves(to):
            yield f"32: {name_of(change.object)} leads to {to}, where nobody takes requests"

    def _serves(self, cluster: str) -> bool:
        """Whether a pod of a cluster takes requests, for however long nothing changed about it."""
        pods = self.scene.nature.objects("pods")
        return any(label(pod, CLUSTER) == cluster and takes_requests(pod) for pod in pods)

    def _now(self) -> datetime:
        return self.scene.nature.cluster.state.clock()


def serving(change: WatchEvent) -> Iterator[str]:
    """Yield the cluster whose pod takes requests, or did until now."""
    for pod in (change.previous, change.object):
        if pod is not None and takes_requests(pod):
            yield label(pod, CLUSTER)


def takes_requests(pod: Object) -> bool:
    """Say whether a service that leads to applications leads to this pod."""
    return label(pod, SERVE) == "true" and answers(pod)


def named(service: Object) -> set[str]:
    """Return the clusters that the status names."""
    return {text_at(service, "status", which, "rayClusterName") for which in (ACTIVE, PENDING)} - {
        ""
    }


def unserved(scene: Scene, service: Object) -> Iterator[str]:
    """Yield what is not as it should be of a RayService in the end."""
    name = f"service {name_of(service)}"
    clusters = scene.nature.owned(RAYCLUSTERS, uid_of(service))
    if text_at(service, "metadata", "deletionTimestamp"):
        yield f"{name} is still on its way out"
    elif value_at(service, "spec", "suspend") is True:
        if clusters or not holds(service, SERVICE_SUSPENDED):
            yield f"36: {name} is not suspended, it has {names(clusters)}"
    elif state_of(mapping_at(service, "status")) == GIVEN_UP:
        if clusters or not _may_be_given_up(scene, service):
            yield f"36: {name} was given up, its clusters are {names(clusters)}"
    else:
        yield from (f"36: {name} {told}" for told in _amiss(service, clusters))


def _may_be_given_up(scene: Scene, service: Object) -> bool:
    """Whether somebody set a limit, and it could have passed since the service was made."""
    limit = initializing_timeout(annotations_of(service))
    made = read_instant(text_at(service, "metadata", "creationTimestamp"))
    now = scene.nature.cluster.state.clock()
    return limit is not None and made is not None and now >= made + limit


def _amiss(service: Object, clusters: tuple[SandboxObject, ...]) -> Iterator[str]:
    """Yield what is not as it should be of a RayService that is to serve."""
    active = text_at(service, "status", ACTIVE, "rayClusterName")
    if not holds(service, "Ready") or names(clusters) != [active]:
        yield f"does not serve by {active} alone, it has {names(clusters)}"
    config = mapping_at(service, "spec", "rayClusterConfig")
    stamps = {annotations_of(one).get(HASH) for one in clusters}
    if stamps != {recreate_hash(config)}:
        yield "serves an old spec"
    wished = text_at(service, "spec", "serveConfigV2")
    runs = mapping_at(service, "status", ACTIVE, "applicationStatuses")
    if not runs or not all(f"name: {one}\n" in wished for one in runs):
        yield f"runs {', '.join(runs)}"
