"""What splits the traffic of a RayService between two clusters: a gateway, and a route through it.

Only what we set is compared: what an API server or somebody else filled in stays. An absent list
and an empty one are the same, and a weight that is not told is 1.
"""

from collections.abc import Iterable

from services.reconciler.manifests.rayservice.cluster import owner_reference
from services.reconciler.manifests.services import head_ports
from shared.aggregates.service_routes import gateway_name, route_name, serve_service_of
from shared.events.objects import ChildSeen
from shared.kernel.manifests import Raw, entries_at, integer_at, mapping_at, text_at, words_at
from shared.resources.raycluster import RayCluster
from shared.resources.rayservice import RayService

API = "gateway.networking.k8s.io/v1"
SERVE_PORT = 8000
_LISTENER = {"name": "http", "protocol": "HTTP", "port": 80}
_EVERYTHING = {"path": {"type": "PathPrefix", "value": "/"}}

Share = tuple[RayCluster, int]
"""A cluster, and its part of the traffic in percent."""


def gateway_manifest(service: RayService, class_name: str) -> dict[str, object]:
    """Return the gateway of a service."""
    spec: dict[str, object] = {"gatewayClassName": class_name, "listeners": [dict(_LISTENER)]}
    return _manifest(service, "Gateway", gateway_name(service.name), spec)


def route_manifest(service: RayService, shares: Iterable[Share]) -> dict[str, object]:
    """Return the route of a service, with each cluster's share of the traffic."""
    parent = {"name": gateway_name(service.name), "namespace": service.namespace}
    rule = {"matches": [_EVERYTHING], "backendRefs": [_backend(*share) for share in shares]}
    spec: dict[str, object] = {"parentRefs": [parent], "rules": [rule]}
    return _manifest(service, "HTTPRoute", route_name(service.name), spec)


def _backend(cluster: RayCluster, weight: int) -> dict[str, object]:
    return {
        "name": serve_service_of(cluster.name),
        "namespace": cluster.namespace,
        "port": head_ports(cluster).get("serve", SERVE_PORT),
        "weight": weight,
    }


def _manifest(
    service: RayService, kind: str, name: str, spec: dict[str, object]
) -> dict[str, object]:
    return {
        "apiVersion": API,
        "kind": kind,
        "metadata": {
            "name": name,
            "namespace": service.namespace,
            "ownerReferences": [owner_reference(service)],
        },
        "spec": spec,
    }


def same_gateway(living: ChildSeen, wished: Raw) -> bool:
    """Whether a gateway is of the wished class, and listens as wished."""
    return _gateway(living.spec) == _gateway(mapping_at(wished, "spec"))


def same_route(living: ChildSeen, wished: Raw) -> bool:
    """Whether a route leads everything where it is wished, and splits it as wished."""
    return _route(living.spec) == _route(mapping_at(wished, "spec"))


def _gateway(spec: Raw) -> tuple[object, ...]:
    listeners = tuple(
        (text_at(one, "name"), text_at(one, "protocol"), integer_at(one, "port"))
        for one in entries_at(spec, "listeners")
    )
    return (text_at(spec, "gatewayClassName"), listeners)


def _route(spec: Raw) -> tuple[object, ...]:
    parents = tuple(
        (text_at(one, "name"), text_at(one, "namespace")) for one in entries_at(spec, "parentRefs")
    )
    rules = tuple(_rule(one) for one in entries_at(spec, "rules"))
    return (words_at(spec, "hostnames"), parents, rules)


def _rule(rule: Raw) -> tuple[object, ...]:
    matches = tuple(
        (
            text_at(one, "path", "type"),
            text_at(one, "path", "value"),
            text_at(one, "method"),
            entries_at(one, "headers"),
            entries_at(one, "queryParams"),
        )
        for one in entries_at(rule, "matches")
    )
    backends = tuple(_led_to(one) for one in entries_at(rule, "backendRefs"))
    return (matches, entries_at(rule, "filters"), backends)


def _led_to(backend: Raw) -> tuple[object, ...]:
    weight = integer_at(backend, "weight")
    return (
        text_at(backend, "name"),
        text_at(backend, "namespace"),
        integer_at(backend, "port"),
        1 if weight is None else weight,
    )
