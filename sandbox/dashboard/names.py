"""From a host name and a port to a pod and its port, as cluster DNS and services do. Pure.

A service sends to the first of its ready pods, in the order of names; a headless one keeps the port
that was asked for. Names may be short (`service`, from inside its namespace) or long
(`service.namespace.svc.cluster.local`). Read next: fleet.py.
"""

from msgspec import Struct

from sandbox.controllers.index import Index
from sandbox.objects import Object, dig, metadata, name_of, namespace_of, rows


class Backend(Struct, frozen=True, kw_only=True):
    """A port of a pod: its number, or its name."""

    pod: Object
    port: int | str


def resolve(index: Index, host: str, port: int | str, namespace: str) -> Backend | None:
    """Find who answers at a host and port; None if nobody does."""
    for obj in index.at_address(host):
        is_pod = "containers" in (obj.get("spec") or {})
        return Backend(pod=obj, port=port) if is_pod else backend(index, obj, port)
    name, _, rest = host.partition(".")
    place = rest.partition(".")[0] or namespace
    service = index.get(("services", place, name))
    return None if service is None else backend(index, service, port)


def backend(index: Index, service: Object, port: int | str) -> Backend | None:
    """Find a pod behind a port of a service; None if there is no such port, or no ready pod."""
    target = _target(service, port)
    selector = dig(service, "spec.selector") or {}
    if target is None or not selector:
        return None
    candidates = index.labelled(namespace_of(service), *min(selector.items()))
    every = bool(dig(service, "spec.publishNotReadyAddresses"))
    fitting = [pod for pod in candidates if _labelled(pod, selector) and (every or _ready(pod))]
    if not fitting:
        return None
    return Backend(pod=min(fitting, key=name_of), port=target)


def _target(service: Object, port: int | str) -> int | str | None:
    for each in rows(service, "spec.ports"):
        if str(port) in {str(each.get("port")), each.get("name")}:
            found = each.get("targetPort", each.get("port"))
            return found if isinstance(found, int | str) else None
    headless = dig(service, "spec.clusterIP") in {None, "None"}
    return port if headless and str(port).isdigit() else None


def _labelled(pod: Object, selector: Object) -> bool:
    labels = metadata(pod).get("labels") or {}
    return all(labels.get(key) == value for key, value in selector.items())


def _ready(pod: Object) -> bool:
    if metadata(pod).get("deletionTimestamp"):
        return False
    return any(
        entry.get("type") == "Ready" and entry.get("status") == "True"
        for entry in rows(pod, "status.conditions")
    )
