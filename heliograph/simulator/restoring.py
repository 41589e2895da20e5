"""What the log tells of a moment, as objects of a Kubernetes. Pure.

The log holds objects slimmed: what a pod or a job is made of comes from the act that asked for it,
where that act is still known, and is filled in with as little as will do where it is not. Uids,
names, versions and statuses are those of the log, so that an operator who looks finds what it knew.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from shared.actions.objects import CreateObject
from shared.aggregates.view import View
from shared.events.decisions import Answered, Decided
from shared.events.envelope import Record
from shared.events.objects import (
    ChildSeen,
    Container,
    Meta,
    ObjectGone,
    ObjectSeen,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
)
from shared.events.records import KindListed, StatusWritten
from shared.events.told import Looked
from shared.kernel.instants import print_instant
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import Raw, mapping_at

Plain = dict[str, object]
Asked = Mapping[tuple[str, str, str], Raw]
"""What acts asked for, by kind, namespace and name."""

MADE_BY_KUBERNETES = frozenset({"endpointslice"})
"""Kinds that Kubernetes makes by itself, also in the simulator."""
UNKNOWN = "unknown"
GRACE_SECONDS = 30
_API = {"Job": "batch/v1", "Node": "v1", "Pod": "v1", "Service": "v1"}
_RAY = "ray.io/v1"


class Restored(Struct, frozen=True, kw_only=True):
    """An object as it stood. `version` is the resourceVersion that the log knows it by."""

    kind: str
    version: int
    object: Plain


def asked_for(records: Iterable[Record]) -> Asked:
    """Return the manifests of everything that acts asked for."""
    found: dict[tuple[str, str, str], Raw] = {}
    for record in records:
        act, key = record.envelope.body, record.envelope.key
        if not isinstance(act, Decided) or key is None:
            continue
        for action in act.actions:
            if isinstance(action, CreateObject) and action.manifest in act.manifests:
                found[action.kind, key.namespace, action.name] = act.manifests[action.manifest]
    return found


def restored(views: Sequence[View], asked: Asked) -> tuple[Restored, ...]:
    """Return everything that was there, oldest version first."""
    newest: dict[tuple[str, str, str], tuple[int, ObjectSeen, Raw]] = {}
    for view in views:
        for kind, seen, status, version in _seen_in(view):
            place = (kind, seen.meta.namespace, seen.meta.name)
            if place not in newest or newest[place][0] < version:
                newest[place] = (version, seen, status)
    known = {view.key for view in views}
    objects = (
        Restored(
            kind=place[0],
            version=version,
            object=_object(seen, status, asked.get(place, {}), known),
        )
        for place, (version, seen, status) in newest.items()
    )
    return tuple(sorted(objects, key=lambda one: one.version))


def _seen_in(view: View) -> Iterator[tuple[str, ObjectSeen, Raw, int]]:
    """Yield what one resource knew of: itself, what it owns, what it looked for."""
    if view.own is not None:
        version = max(view.own.meta.resource_version, view.status_version)
        yield view.key.kind, view.own, view.status, version
    for (kind, _), seen in view.children.items():
        if not isinstance(seen, ObjectGone):
            yield from _told(kind, seen)
    for heard in view.told.values():
        if isinstance(heard.body, Looked):
            for found in heard.body.objects:
                yield from _told(heard.body.kind, found)


def _told(kind: str, seen: ObjectSeen) -> Iterator[tuple[str, ObjectSeen, Raw, int]]:
    if kind not in MADE_BY_KUBERNETES:
        status = seen.status if isinstance(seen, ResourceSeen | ChildSeen) else {}
        yield kind, seen, status, seen.meta.resource_version


def _object(seen: ObjectSeen, status: Raw, asked: Raw, known: set[ResourceKey]) -> Plain:
    about = {"metadata": _metadata(seen.meta, known, pod=isinstance(seen, PodSeen))}
    match seen:
        case ResourceSeen():
            return {**about, "spec": seen.spec, "status": dict(status)}
        case ServiceSeen():
            return {**about, "spec": _service_spec(seen, asked), "status": {"loadBalancer": {}}}
        case ChildSeen():
            spec = {**mapping_at(asked, "spec"), **seen.spec}
            return {**about, **seen.content, "spec": spec, "status": dict(status)}
        case PodSeen():
            return {**about, "spec": _pod_spec(seen, asked), "status": _pod_status(seen)}


def _metadata(meta: Meta, known: set[ResourceKey], *, pod: bool) -> Plain:
    """Write metadata; owners that the log knows nothing of are left out, or all would be collected.

    One that it knows to be gone stays: what it owned is collected, as it was then.
    """
    owners = [
        {
            "apiVersion": _API.get(owner.kind, _RAY if owner.kind.startswith("Ray") else "v1"),
            "kind": owner.kind,
            "name": owner.name,
            "uid": owner.uid,
            "controller": owner.controller,
            "blockOwnerDeletion": owner.controller,
        }
        for owner in meta.owners
        if ResourceKey(owner.kind.lower(), meta.namespace, owner.name) in known
    ]
    found: Plain = {
        "name": meta.name,
        "namespace": meta.namespace,
        "uid": meta.uid,
        "generation": meta.generation,
        "labels": dict(meta.labels),
        "annotations": dict(meta.annotations),
        "ownerReferences": owners,
        "finalizers": list(meta.finalizers),
        "creationTimestamp": _instant(meta.created_at),
        "deletionTimestamp": _instant(meta.deleted_at),
        "deletionGracePeriodSeconds": GRACE_SECONDS if pod and meta.deleted_at else None,
    }
    return {name: value for name, value in found.items() if value}


def _service_spec(seen: ServiceSeen, asked: Raw) -> Plain:
    ports = [
        {"name": one.name, "port": one.port, "targetPort": one.target or one.port}
        | ({"nodePort": one.node_port} if one.node_port else {})
        for one in seen.ports
    ]
    told: Plain = {
        "type": seen.service_type,
        "clusterIP": seen.cluster_ip,
        "selector": seen.selector,
        "ports": ports,
    }
    return {**mapping_at(asked, "spec"), **{key: value for key, value in told.items() if value}}


def _pod_spec(seen: PodSeen, asked: Raw) -> Plain:
    spec: Plain = dict(mapping_at(asked, "spec"))
    if not spec.get("containers"):
        names = [one.name for one in seen.containers] or [seen.ray_container or UNKNOWN]
        names.sort(key=lambda name: name != seen.ray_container)
        spec["containers"] = [{"name": name, "image": UNKNOWN} for name in names]
        inits = [{"name": one.name, "image": UNKNOWN} for one in seen.init_containers]
        spec |= {"initContainers": inits} if inits else {}
    if seen.node:
        spec["nodeName"] = seen.node
    if seen.restart_policy:
        spec["restartPolicy"] = seen.restart_policy
    return spec


def _pod_status(seen: PodSeen) -> Plain:
    since = _instant(seen.meta.created_at)
    conditions = [
        {"type": one.type, "status": one.status, "reason": one.reason, "message": one.message}
        | {"lastTransitionTime": since}
        for one in seen.conditions
    ]
    status: Plain = {
        "phase": seen.phase or "Pending",
        "reason": seen.reason,
        "message": seen.message,
        "conditions": [{k: v for k, v in one.items() if v} for one in conditions],
        "podIP": seen.ip,
        "podIPs": [{"ip": seen.ip}] if seen.ip else [],
        "startTime": since if seen.node else "",
        "containerStatuses": [_container(one, since) for one in seen.containers],
        "initContainerStatuses": [_container(one, since) for one in seen.init_containers],
    }
    return {name: value for name, value in status.items() if value}


def _container(seen: Container, since: str) -> Plain:
    details = {"reason": seen.reason, "message": seen.message, "exitCode": seen.exit_code}
    if seen.state == "running":
        details["startedAt"] = since
    if seen.state == "terminated":
        details |= {"startedAt": since, "finishedAt": _instant(seen.finished_at)}
    state = {name: value for name, value in details.items() if value not in ("", None)}
    former = {"reason": seen.former_reason or "Error", "exitCode": 1, "finishedAt": since}
    return {
        "name": seen.name,
        "ready": seen.ready,
        "restartCount": seen.restarts,
        "state": {seen.state: state} if seen.state else {},
        "lastState": {"terminated": former} if seen.crashed_before else {},
        "started": seen.state == "running",
        "image": UNKNOWN,
        "imageID": UNKNOWN,
    }


def _instant(at: datetime | None) -> str:
    return print_instant(at) if at is not None else ""


def newest_version(records: Iterable[Record]) -> int:
    """Return the newest resourceVersion that any record tells of."""
    return max((_version(record.envelope.body) for record in records), default=1)


def _version(body: object) -> int:
    match body:
        case ResourceSeen() | PodSeen() | ServiceSeen() | ChildSeen():
            return body.meta.resource_version
        case ObjectGone() | StatusWritten() | KindListed():
            return body.resource_version
        case Answered():
            return max((getattr(one, "resource_version", 0) for one in body.outcomes), default=1)
        case _:
            return 1
