"""A RayService whose traffic moves in steps: `servicestory` with a gateway and a route.

The gateway takes whatever it is given and says so, unless the test makes it refuse. Services of
single clusters go with their clusters. `states` are the percentages as every status told them.
"""

from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from shared.actions.objects import CreateObject, DeleteObject, PatchObject
from shared.actions.outcomes import Done, Gone, Outcome, Refused
from shared.events.decisions import Decided
from shared.events.objects import ChildSeen, Meta, Owner
from shared.kernel.manifests import entries_at, integer_at, mapping_at, texts_at
from tests.support.builders import CONTEXT, Raw, cluster_spec, group
from tests.support.rayservices import KEY, OWNER, STAND, leading, service_spec
from tests.support.servicestory import ServiceStory
from tests.support.trafficlaws import weights_in

GATEWAY, ROUTE = "fruit-gateway", "fruit-httproute"
_TRUE = ("Accepted", "Programmed", "ResolvedRefs")
Percents = tuple[int, int, int, int]
"""Capacity of active and pending, traffic of active and pending."""


def cluster_of(version: str) -> Raw:
    """A cluster that scales, of some version of Ray."""
    return cluster_spec(group("small", 1), rayVersion=version, enableInTreeAutoscaling=True)


def grown_of(version: str) -> Raw:
    """The same with one worker group more."""
    groups = (group("small", 1), group("large", 1))
    return cluster_spec(*groups, rayVersion=version, enableInTreeAutoscaling=True)


def stepped_spec(
    *, step: int = 25, surge: int = 50, interval: int = 10, config: str = STAND, **more: object
) -> Raw:
    """What a user writes who wants traffic to move in steps."""
    options = {
        "maxSurgePercent": surge,
        "stepSizePercent": step,
        "intervalSeconds": interval,
        "gatewayClassName": "istio",
    }
    strategy = {"type": "NewClusterWithIncrementalUpgrade", "clusterUpgradeOptions": options}
    fields = {"rayClusterConfig": cluster_of("2.46.0"), "upgradeStrategy": strategy, **more}
    return service_spec(config, **fields)


class SteppingStory(ServiceStory):
    """A RayService, its gateway, and everybody who looks after it."""

    def __init__(self, spec: Raw, context: Context = CONTEXT) -> None:
        self.children: dict[str, ChildSeen] = {}
        self.programmed = True
        """Whether the gateway does what it is told."""
        super().__init__(spec, context)

    @property
    def percents(self) -> Percents:
        """Capacities and traffic, as the status tells them; -1 for what it does not."""
        return percents_of(self.status)

    @property
    def weights(self) -> dict[str, int]:
        """What the route does with requests, by cluster."""
        found = self.children.get(ROUTE)
        return weights_in(found.spec if found else {})

    def states(self) -> list[Percents]:
        """The percentages that were told, each once in a row."""
        told = [percents_of(status) for status in self.written()]
        known = [one for one in told if -1 not in one]
        return [one for one, before in zip(known, [None, *known], strict=False) if one != before]

    def _create(self, act: Decided, action: CreateObject) -> Outcome:
        if action.kind in self.refuses:
            return Refused(code=404, reason="NotFound", message=self.refuses[action.kind])
        manifest, version = act.manifests[action.manifest], next(self.versions)
        if action.kind in ("gateway", "httproute"):
            self.child_is(action.kind, action.name, mapping_at(manifest, "spec"), version)
            return Done(uid=f"uid-of-{action.name}", resource_version=version)
        if action.rule != "cluster_service":
            return super()._create(act, action)
        made = leading(action.name, texts_at(manifest, "spec", "selector"), version)
        owners = entries_at(manifest, "metadata", "ownerReferences")
        owner = Owner(
            kind=str(owners[0]["kind"]),
            name=str(owners[0]["name"]),
            uid=str(owners[0]["uid"]),
            controller=True,
        )
        labels = texts_at(manifest, "metadata", "labels")
        made = replace(made, meta=replace(made.meta, owners=(owner,), labels=labels))
        self.services[action.name] = made
        self.sees(made)
        return Done(uid=made.meta.uid, resource_version=version)

    def child_is(self, kind: str, name: str, spec: object, version: int) -> None:
        """A gateway or route is like this from now on."""
        assert isinstance(spec, dict)
        before = self.children.get(name)
        generation = before.meta.generation + 1 if before else 1
        meta = Meta(
            name=name,
            namespace=KEY.namespace,
            uid=f"uid-of-{name}",
            resource_version=version,
            generation=generation,
            owners=(OWNER,),
        )
        self.children[name] = ChildSeen(meta=meta, kind=kind, spec=spec)
        self._gateway_tells(name)

    def _gateway_tells(self, name: str) -> None:
        child = self.children[name]
        state = "True" if self.programmed else "False"
        conditions = [
            {"type": one, "status": state, "observedGeneration": child.meta.generation}
            for one in _TRUE
        ]
        parent = {"parentRef": {"name": GATEWAY}, "conditions": conditions}
        status: Raw = (
            {"parents": [parent]} if child.kind == "httproute" else {"conditions": conditions}
        )
        meta = replace(child.meta, resource_version=next(self.versions))
        self.children[name] = replace(child, meta=meta, status=status)
        self.sees(self.children[name])

    def gateway_is(self, *, programmed: bool) -> None:
        """The gateway begins or stops to do what it is told."""
        self.programmed = programmed
        for name in self.children:
            self._gateway_tells(name)

    def _patch(self, action: PatchObject) -> Outcome:
        if action.kind not in ("gateway", "httproute"):
            return super()._patch(action)
        if action.kind in self.refuses:
            return Refused(code=403, reason="Forbidden", message=self.refuses[action.kind])
        before = self.children[action.name]
        spec = {**before.spec, **mapping_at(action.patch, "spec")}
        version = next(self.versions)
        self.child_is(action.kind, action.name, spec, version)
        return Done(uid=action.uid, resource_version=version)

    def _delete(self, action: DeleteObject) -> Outcome:
        if action.kind not in ("gateway", "httproute"):
            return super()._delete(action)
        version = next(self.versions)
        self.children.pop(action.name)
        self._sees_gone(action.kind, action.name, action.uid, version)
        return Gone(resource_version=version)

    def remove_cluster(self, name: str) -> Outcome:
        outcome = super().remove_cluster(name)
        living = self.services.get(f"{name}-serve-svc")
        if living is not None and name not in self.clusters:
            self.services.pop(living.meta.name)
            version = next(self.versions)
            self._sees_gone("service", living.meta.name, living.meta.uid, version)
            self._sees_gone("endpointslice", f"{living.meta.name}-slice", "uid", version)
            self.slices.pop(living.meta.name, None)
        return outcome


def percents_of(status: Raw) -> Percents:
    """Read the percentages of a status."""

    def at(which: str, field: str) -> int:
        found = integer_at(status, f"{which}ServiceStatus", field)
        return -1 if found is None else found

    return (
        at("active", "targetCapacity"),
        at("pending", "targetCapacity"),
        at("active", "trafficRoutedPercent"),
        at("pending", "trafficRoutedPercent"),
    )


def stepping(spec: Raw, context: Context = CONTEXT) -> SteppingStory:
    """Return a RayService in steps that serves; whatever it is told runs at once."""
    story = SteppingStory(spec, context)
    story.starts = "RUNNING"
    story.goes_on()
    story.head_comes_up(story.pending)
    story.goes_on()
    return story


def upgrading(spec: Raw, to: Raw, context: Context = CONTEXT) -> SteppingStory:
    """Return one whose next cluster has a head, and has taken its first steps."""
    story = stepping(spec, context)
    story.wishes(rayClusterConfig=to)
    story.goes_on()
    story.head_comes_up(story.pending)
    story.goes_on()
    return story
