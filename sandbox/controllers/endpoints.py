"""Endpoint slices: for every service with a selector, the pods behind it.

A pod counts as soon as it has an address and until it has ended; whether it is ready, serving or
terminating is said beside it. Slices are named from the service's uid and hold a hundred endpoints
each; they go with their service by garbage collection. Read next: garbage.py.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sandbox.controllers.addresses import fingerprint
from sandbox.controllers.garbage import removal
from sandbox.controllers.world import Change, CreateObject, PutObject, Steps, World, joined
from sandbox.objects import Object, dig, metadata, name_of, namespace_of, rows, with_metadata

SERVICE_NAME = "kubernetes.io/service-name"
MANAGED_BY = "endpointslice.kubernetes.io/managed-by"
HEADLESS = "service.kubernetes.io/headless"
CONTROLLER = "endpointslice-controller.k8s.io"
_PLURAL = "endpointslices"
_ENDPOINTS_MAX = 100


def step(world: World) -> Steps:
    """Bring the slices of every service up to date."""
    services = [item for item in world.objects("services") if dig(item, "spec.selector")]
    if not services:
        return Steps()
    pods = _by_label(world.objects("pods"))
    slices: defaultdict[tuple[str, str], list[Object]] = defaultdict(list)
    for held in world.objects(_PLURAL):
        if is_ours(held):
            behind = str(metadata(held)["labels"].get(SERVICE_NAME))
            slices[namespace_of(held), behind].append(held)
    return joined(
        publish(
            service,
            pods[namespace_of(service), min(dig(service, "spec.selector").items())],
            slices[namespace_of(service), name_of(service)],
        )
        for service in services
    )


def publish(service: Object, pods: Sequence[Object], held: Sequence[Object]) -> Steps:
    """Bring the slices of one service up to date; `pods` are candidates, `held` its slices."""
    chosen = [pod for pod in pods if _counts(pod) and _selected(pod, service)]
    return Steps(changes=tuple(_service(service, chosen, held)))


def is_ours(endpoints: Object) -> bool:
    """Tell whether a slice is kept by this controller."""
    return (metadata(endpoints).get("labels") or {}).get(MANAGED_BY) == CONTROLLER


def _counts(pod: Object) -> bool:
    ended = dig(pod, "status.phase") in {"Succeeded", "Failed"}
    return bool(dig(pod, "status.podIP")) and not ended


def _by_label(pods: Iterable[Object]) -> defaultdict[tuple[str, tuple[str, str]], list[Object]]:
    """Return the pods by namespace and each of their labels."""
    found: defaultdict[tuple[str, tuple[str, str]], list[Object]] = defaultdict(list)
    for pod in pods:
        for label in (metadata(pod).get("labels") or {}).items():
            found[namespace_of(pod), label].append(pod)
    return found


def _service(service: Object, pods: Sequence[Object], held: Sequence[Object]) -> list[Change]:
    if metadata(service).get("deletionTimestamp"):
        return []
    present = {name_of(item): item for item in held}
    wanted = {name_of(item): item for item in _slices(service, pods)}
    changes: list[Change] = []
    for name, item in wanted.items():
        before = present.get(name)
        if before is None:
            changes.append(CreateObject(plural=_PLURAL, object=item))
        elif _differs(before, item):
            kept = {"metadata": {**metadata(before), "labels": metadata(item)["labels"]}}
            changes.append(PutObject(plural=_PLURAL, object={**item, **kept}))
    surplus = [item for name, item in present.items() if name not in wanted]
    return changes + [removal(_PLURAL, item) for item in surplus]


def _differs(held: Object, wanted: Object) -> bool:
    if (metadata(held).get("labels") or {}) != metadata(wanted)["labels"]:
        return True
    return any(held.get(field) != wanted[field] for field in ("endpoints", "ports"))


def _labels(service: Object) -> dict[str, str]:
    """Write the labels of a slice: those of its service, and ours."""
    own = {SERVICE_NAME: name_of(service), MANAGED_BY: CONTROLLER}
    headless = {HEADLESS: ""} if dig(service, "spec.clusterIP") == "None" else {}
    return {**(metadata(service).get("labels") or {}), **own, **headless}


def _selected(pod: Object, service: Object) -> bool:
    labels = metadata(pod).get("labels") or {}
    selector = dig(service, "spec.selector")
    return all(labels.get(key) == value for key, value in selector.items())


def _slices(service: Object, pods: Sequence[Object]) -> Iterable[Object]:
    """Write the slices a service should have: at least one, even if empty."""
    ordered = sorted(pods, key=name_of)
    uid = str(metadata(service).get("uid", ""))
    for start in range(0, max(len(ordered), 1), _ENDPOINTS_MAX):
        part = ordered[start : start + _ENDPOINTS_MAX]
        suffix = fingerprint(uid, str(start))[:5]
        bare: Object = {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "addressType": "IPv4",
            "endpoints": [_endpoint(pod, service) for pod in part],
            "ports": [_port(port, part) for port in rows(service, "spec.ports")],
        }
        yield with_metadata(
            bare,
            name=f"{name_of(service)}-{suffix}",
            namespace=namespace_of(service),
            labels=_labels(service),
            ownerReferences=[_owner(service)],
        )


def _owner(service: Object) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "name": name_of(service),
        "uid": metadata(service).get("uid", ""),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def _endpoint(pod: Object, service: Object) -> Object:
    terminating = bool(metadata(pod).get("deletionTimestamp"))
    serving = any(
        entry.get("type") == "Ready" and entry.get("status") == "True"
        for entry in rows(pod, "status.conditions")
    )
    published = bool(dig(service, "spec.publishNotReadyAddresses"))
    endpoint: Object = {
        "addresses": [dig(pod, "status.podIP")],
        "conditions": {
            "ready": published or (serving and not terminating),
            "serving": published or serving,
            "terminating": terminating,
        },
        "nodeName": dig(pod, "spec.nodeName"),
        "targetRef": {
            "kind": "Pod",
            "namespace": namespace_of(pod),
            "name": name_of(pod),
            "uid": metadata(pod).get("uid", ""),
        },
    }
    if dig(pod, "spec.hostname") and dig(pod, "spec.subdomain") == name_of(service):
        endpoint["hostname"] = dig(pod, "spec.hostname")
    return endpoint


def _port(port: Object, pods: Sequence[Object]) -> Object:
    target = port.get("targetPort", port.get("port"))
    found = target if isinstance(target, int) else _named_port(str(target), pods)
    out: Object = {
        "name": port.get("name", ""),
        "port": found,
        "protocol": port.get("protocol", "TCP"),
    }
    return {**out, "appProtocol": port["appProtocol"]} if "appProtocol" in port else out


def _named_port(name: str, pods: Sequence[Object]) -> int | None:
    """Find the number behind a port's name, as the first pod that has it says."""
    numbers = (
        port["containerPort"]
        for pod in pods
        for container in rows(pod, "spec.containers")
        for port in rows(container, "ports")
        if port.get("name") == name
    )
    return next(numbers, None)
