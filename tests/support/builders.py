"""Values for tests, with telling defaults: a RayCluster `demo`, its pods, acts and answers.

Builders make the ordinary thing; the small functions after them (`failed`, `deleting`, ...) change
one thing about it. What happens over time is told with `tests.support.history`.
"""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from services.reconciler.decisions.decision import RULES, Context
from services.reconciler.decisions.settings import DecisionSettings
from services.reconciler.manifests.names import head_pod_name
from services.reconciler.manifests.settings import ManifestSettings
from shared.actions.objects import Action, CreateObject, DeleteObject
from shared.actions.outcomes import Done, Refused
from shared.aggregates.phases import SUSPENDED, SUSPENDING
from shared.events.decisions import Decided, Expectation, Seen, Timer
from shared.events.objects import (
    Condition,
    Container,
    Meta,
    ObjectGone,
    Owner,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
)
from shared.kernel.keys import ResourceKey
from shared.resources.labels import HEAD_GROUP

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
KEY = ResourceKey(kind="raycluster", namespace="prod", name="demo")
UID = "5f0c7f0e-0001-4000-8000-000000000001"
FORMER_UID = "5f0c7f0e-0000-4000-8000-000000000000"
HEAD_NAME = head_pod_name(KEY.name, UID)
SERVICE_NAME = "demo-head-svc"
SETTINGS = DecisionSettings(manifests=ManifestSettings(version="v1.7.0"))
CONTEXT = Context(settings=SETTINGS, session="session-1")
QUOTA = Refused(code=403, reason="Forbidden", message="exceeded quota: pods=4")

Raw = dict[str, object]


def template(image: str = "rayproject/ray:2.46.0") -> Raw:
    return {"spec": {"containers": [{"name": "ray", "image": image}]}}


def group(name: str = "small", replicas: int = 0, **more: object) -> Raw:
    sizes: Raw = {"replicas": replicas, "minReplicas": 0, "maxReplicas": 1000}
    return {
        "groupName": name,
        **sizes,
        "rayStartParams": {},
        "template": template(),
        **more,
    }


def cluster_spec(*groups: Raw, **more: object) -> Raw:
    return {
        "rayVersion": "2.46.0",
        "headGroupSpec": {"rayStartParams": {}, "template": template()},
        "workerGroupSpecs": list(groups),
        **more,
    }


def resource(
    spec: Raw | None = None, *, generation: int = 1, version: int = 1, uid: str = UID
) -> ResourceSeen:
    """A RayCluster as seen; without a spec it has a head and no workers."""
    return ResourceSeen(
        meta=Meta(
            name=KEY.name,
            namespace=KEY.namespace,
            uid=uid,
            resource_version=version,
            generation=generation,
            created_at=NOON,
        ),
        api_version="ray.io/v1",
        spec=cluster_spec() if spec is None else spec,
    )


def with_status(seen: ResourceSeen, status: Raw) -> ResourceSeen:
    return replace(seen, status=status)


def being_deleted(seen: ResourceSeen) -> ResourceSeen:
    return replace(seen, meta=replace(seen.meta, deleted_at=NOON))


def annotated(seen: ResourceSeen, **annotations: str) -> ResourceSeen:
    told = {f"ray.io/{name.replace('_', '-')}": value for name, value in annotations.items()}
    return replace(seen, meta=replace(seen.meta, annotations=told))


def condition(type_: str, status: str, generation: int) -> Raw:
    return {"type": type_, "status": status, "observedGeneration": generation, "reason": type_}


def suspending(generation: int) -> Raw:
    return {
        "conditions": [
            condition(SUSPENDING, "True", generation),
            condition(SUSPENDED, "False", generation),
        ]
    }


def suspended(generation: int) -> Raw:
    return {
        "conditions": [
            condition(SUSPENDING, "False", generation),
            condition(SUSPENDED, "True", generation),
        ]
    }


def resumed(generation: int) -> Raw:
    return {
        "conditions": [
            condition(SUSPENDING, "False", generation),
            condition(SUSPENDED, "False", generation),
        ]
    }


def owner(uid: str = UID) -> Owner:
    return Owner(kind="RayCluster", name=KEY.name, uid=uid, controller=True)


def child_meta(name: str, version: int, labels: dict[str, str]) -> Meta:
    return Meta(
        name=name,
        namespace=KEY.namespace,
        uid=f"uid-of-{name}",
        resource_version=version,
        labels={"ray.io/cluster": KEY.name, **labels},
        owners=(owner(),),
        created_at=NOON,
    )


def pod(name: str, *, group: str, node_type: str, ready: bool, version: int) -> PodSeen:
    return PodSeen(
        meta=child_meta(name, version, {"ray.io/node-type": node_type, "ray.io/group": group}),
        phase="Running" if ready else "Pending",
        restart_policy="Always" if node_type == "head" else "Never",
        ray_container="ray",
        conditions=(Condition(type="Ready", status="True" if ready else "False"),),
        containers=(Container(name="ray", ready=ready, state="running" if ready else "waiting"),),
    )


def worker(
    name: str, *, group: str = "small", ready: bool = True, age: float = 0, version: int = 10
) -> PodSeen:
    """A worker; `age` is in minutes."""
    seen = pod(name, group=group, node_type="worker", ready=ready, version=version)
    return replace(seen, meta=replace(seen.meta, created_at=NOON - timedelta(minutes=age)))


def head(name: str = HEAD_NAME, *, ready: bool = True, version: int = 10) -> PodSeen:
    return pod(name, group=HEAD_GROUP, node_type="head", ready=ready, version=version)


def service(name: str = SERVICE_NAME, *, version: int = 10) -> ServiceSeen:
    labels = {"ray.io/node-type": "head"}
    return ServiceSeen(meta=child_meta(name, version, labels), cluster_ip="10.0.0.7")


def failed(seen: PodSeen, reason: str = "") -> PodSeen:
    return replace(seen, phase="Failed", reason=reason)


def ray_ended(seen: PodSeen, restart_policy: str) -> PodSeen:
    """A pod that runs on although its Ray container has ended."""
    ended = Container(name="ray", state="terminated", exit_code=1)
    return replace(seen, phase="Running", restart_policy=restart_policy, containers=(ended,))


def deleting(seen: PodSeen, *, version: int | None = None) -> PodSeen:
    meta = replace(seen.meta, deleted_at=NOON)
    return replace(seen, meta=meta if version is None else replace(meta, resource_version=version))


def owned_by(seen: PodSeen, uid: str) -> PodSeen:
    return replace(seen, meta=replace(seen.meta, owners=(owner(uid),)))


def gone(seen: PodSeen | ServiceSeen, *, version: int | None = None) -> ObjectGone:
    return ObjectGone(
        kind="pod" if isinstance(seen, PodSeen) else "service",
        name=seen.meta.name,
        uid=seen.meta.uid,
        resource_version=seen.meta.resource_version + 1 if version is None else version,
    )


def creation(name: str, group: str = "small") -> CreateObject:
    return CreateObject(
        kind="pod",
        name=name,
        manifest=f"worker/{group}",
        group=group,
        rule="worker_groups",
        because="a worker is missing",
    )


def deletion(name: str, *, version: int | None = None) -> DeleteObject:
    return DeleteObject(
        kind="pod",
        name=name,
        uid=f"uid-of-{name}",
        resource_version=version,
        rule="worker_groups",
        because="one worker too many",
    )


def done(name: str, version: int = 20, *, deleting: bool = False) -> Done:
    """The outcome of an action on the pod of this name, whose uid follows from it."""
    return Done(uid=f"uid-of-{name}", resource_version=version, deleting=deleting)


def expectation(name: str, what: str = "create", **more: str | int) -> Expectation:
    entry = Expectation(kind="pod", name=name, what=what, since=NOON, group="small")
    return replace(entry, **more)


def act(
    *actions: Action, id_: str = "act-1", generation: int = 1, phase: str = "active/0"
) -> Decided:
    """An act as a decider would have written it at noon, with its wake-up timer."""
    wake = Timer(name="wake", due_at=NOON + timedelta(seconds=20), because="overdue")
    return Decided(
        id=id_,
        fence=0,
        based_on=1,
        decided_at=NOON,
        seen=Seen(session="session-1", generation=generation, phase=phase),
        rules=RULES,
        settings="settings-1",
        because=("for a test",),
        actions=actions,
        timers=(wake,) if actions else (),
    )
