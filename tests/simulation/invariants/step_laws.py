"""The laws of RayServices whose traffic moves in steps: 32, 33 and 34, as the model has them.

Every change of a route is judged as it is committed, and by what the log told whoever decided it: a
pod may die and an application fall ill between a look and a step, but nobody steps without a look.
"""

from collections.abc import Iterator
from datetime import datetime

from sandbox.history import WatchEvent
from sandbox.requests import Request
from services.status.conditions.rayservice.stepping import TARGET_CAPACITY, TRAFFIC
from shared.actions.objects import CreateObject, PatchObject
from shared.aggregates.phases import SERVICE_SUSPENDING
from shared.aggregates.rayservice import (
    ACTIVE,
    PENDING,
    all_run,
    last_served,
    rayservice_state,
    served,
)
from shared.aggregates.service_routes import serve_service_of
from shared.aggregates.view import View
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import integer_at, mapping_at, name_of, text_at, uid_of, value_at
from shared.ports.cluster import Object
from shared.resources.labels import CLUSTER
from shared.resources.service_options import INCREMENTAL
from tests.simulation.gateways import KINDS_OF_STEPS, ROUTES
from tests.simulation.invariants.invariant import Invariant, Scene, label, owner_uid
from tests.simulation.invariants.service_laws import LATELY, SECOND, serving, takes_requests
from tests.simulation.invariants.suspended_means_empty import holds
from tests.simulation.kinds import RAYCLUSTERS, RAYSERVICES, SERVICE
from tests.simulation.nature import NAMESPACE, names
from tests.support.trafficlaws import WHOLE, Split, Weights, pace_of, weights_in


class StepLaws(Invariant):
    """Routes, who is behind them, and who is promoted or deleted."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._strategies: dict[tuple[str, int], object] = {}
        """What each generation of each RayService wished."""
        self._splits: dict[str, Weights] = {}
        self._moved_at: dict[str, datetime] = {}
        self._served: dict[str, datetime] = {}
        """When a pod of a cluster was last seen to take requests."""

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if self.scene.nature.gateways is None:
            return
        if resource == "pods":
            self._served |= dict.fromkeys(serving(change), self._now())
        if change.type == "DELETED":
            return
        if resource == RAYSERVICES:
            generation = integer_at(change.object, "metadata", "generation") or 0
            wished = mapping_at(change.object, "spec", "upgradeStrategy")
            self._strategies[uid_of(change.object), generation] = wished
            yield from self._promoted(change)
        elif resource == ROUTES:
            yield from self._routed(change.object)

    def recorded(self, record: Record) -> Iterator[str]:
        act, place = record.envelope.body, place_of(record.subject)
        if not isinstance(act, Decided) or place is None or place.key.kind != SERVICE:
            return
        wished = _wished(act)
        if wished is None or act.based_on < self.scene.archive.first:
            return
        seen = self.scene.archive.view(place.key, act.based_on)
        route = rayservice_state(seen).route
        split = Split(before=weights_in(route.spec if route else {}), after=wished)
        for sentence in split.misled(lambda name: _told_to_serve(seen, name)):
            yield f"act {record.sequence} leads where nobody is known to serve: {sentence}"

    def asked(self, who: str, request: Request) -> Iterator[str]:
        if request.verb != "delete" or request.resource != RAYCLUSTERS:
            return
        found = self.scene.nature.find_uid(request.deletion.uid or "")
        service = self.scene.nature.find_uid(owner_uid(found)) if found is not None else None
        if found is None or service is None or not steps(service) or _leaves(service):
            return
        name = name_of(found)
        if self._splits.get(uid_of(service), {}).get(name) and self._serves(service, name):
            yield f"34: {name} was deleted although requests are led to it"

    def _routed(self, route: Object) -> Iterator[str]:
        """Judge what a route does with requests from now on."""
        service, after = self._owner(route), weights_in(mapping_at(route, "spec"))
        if service is None:
            return
        uid = uid_of(service)
        split = Split(before=self._splits.get(uid, {}), after=after)
        if split.before == after:
            return
        self._splits[uid] = after
        act = self._act(uid, after)
        if act is None:
            yield f"33: nobody decided on {after}"
            return
        moved_at, now = self._moved_at.get(uid), self._now()
        waited = now - moved_at + SECOND if moved_at is not None else None
        pace = pace_of(self._strategies.get((uid, act.seen.generation)))
        yield from split.ill_measured(pace, waited)
        yield from split.misled(lambda name: self._serves(service, name), self._served_lately)
        if split.moves:
            self._moved_at[uid] = now

    def _promoted(self, change: WatchEvent) -> Iterator[str]:
        """Judge who becomes the active cluster, while the one before is there."""
        before, after = change.previous, change.object
        if before is None or not steps(before):
            return
        former, now = (text_at(one, "status", ACTIVE, "rayClusterName") for one in (before, after))
        took_over = now and now == text_at(before, "status", PENDING, "rayClusterName")
        clusters = self.scene.nature.owned(RAYCLUSTERS, uid_of(after))
        there = any(
            name_of(one) == former and not text_at(one, "metadata", "deletionTimestamp")
            for one in clusters
        )
        split = self._splits.get(uid_of(after), {})
        if took_over and former and there and split.get(now) != WHOLE:
            yield f"34: {now} has taken over, and {former} still serves: {split}"

    def _owner(self, route: Object) -> Object | None:
        found = self.scene.nature.find_uid(owner_uid(route))
        return found if found is not None and found.get("kind") == "RayService" else None

    def _act(self, uid: str, weights: Weights) -> Decided | None:
        """Return the last act that asked for this split."""
        return next(
            (
                act.decided
                for act in reversed(self.scene.archive.acts.values())
                if act.uid == uid and _wished(act.decided) == weights
            ),
            None,
        )

    def _serves(self, service: Object, name: str) -> bool:
        """Say whether a pod of a cluster takes requests now, and its applications ran at last."""
        key = ResourceKey(kind=SERVICE, namespace=NAMESPACE, name=name_of(service))
        runs = all_run(last_served(self.scene.archive.view(key), name))
        return runs and self._takes_requests(name)

    def _takes_requests(self, name: str) -> bool:
        pods = self.scene.nature.objects("pods")
        return any(label(pod, CLUSTER) == name and takes_requests(pod) for pod in pods)

    def _served_lately(self, name: str) -> bool:
        seen = self._served.get(name)
        lately = seen is not None and self._now() - seen <= LATELY
        return lately or self._takes_requests(name)

    def _now(self) -> datetime:
        return self.scene.nature.cluster.state.clock()


def unsplit(scene: Scene, service: Object) -> Iterator[str]:
    """Yield what is not as it should be of the traffic of a RayService in steps in the end."""
    uid, active = uid_of(service), text_at(service, "status", ACTIVE, "rayClusterName")
    gateways, routes = (scene.nature.owned(resource, uid) for resource in KINDS_OF_STEPS)
    if value_at(service, "spec", "suspend") is True:
        if gateways or routes:
            yield f"36: {name_of(service)} is suspended, and there is {names((*gateways, *routes))}"
        return
    split = [weights_in(mapping_at(one, "spec")) for one in routes]
    if len(gateways) != 1 or split != [{active: WHOLE}]:
        yield f"36: {len(gateways)} gateways of {name_of(service)} lead to {split}, not to {active}"
    if mapping_at(service, "status", PENDING):
        yield f"36: {name_of(service)} still tells of a pending cluster"
    told = [integer_at(service, "status", ACTIVE, one) for one in (TRAFFIC, TARGET_CAPACITY)]
    if told != [WHOLE, WHOLE]:
        yield f"36: {name_of(service)} tells of {told} percent of traffic and capacity"


def steps(service: Object) -> bool:
    """Say whether a RayService moves its traffic in steps."""
    return text_at(service, "spec", "upgradeStrategy", "type") == INCREMENTAL


def _leaves(service: Object) -> bool:
    going = text_at(service, "metadata", "deletionTimestamp")
    return bool(going) or holds(service, SERVICE_SUSPENDING)


def _wished(act: Decided) -> Weights | None:
    """Return the split that an act asks for; None if it leaves the route alone."""
    for action in act.actions:
        if isinstance(action, PatchObject) and action.kind == "httproute":
            return weights_in(mapping_at(action.patch, "spec"))
        if isinstance(action, CreateObject) and action.kind == "httproute":
            return weights_in(mapping_at(act.manifests[action.manifest], "spec"))
    return None


def _told_to_serve(seen: View, name: str) -> bool:
    """Say whether the log tells that applications run on a cluster, and an endpoint is ready."""
    endpoints = rayservice_state(seen).endpoints(serve_service_of(name))
    return endpoints > 0 and all_run(served(seen, name))
