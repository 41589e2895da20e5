"""What a gateway and its route tell: whether they work, and how requests are split.

Only what is told of the object as it stands counts: a condition of an earlier generation speaks of
another split.
"""

from collections.abc import Mapping

from shared.events.objects import ChildSeen
from shared.kernel.manifests import Raw, entries_at, integer_at, text_at

GATEWAY, HTTP_ROUTE = "gateway", "httproute"
ABSENT = -1
"""The weight of a service that a route does not lead to."""


def gateway_name(service: str) -> str:
    """Return the name of a RayService's gateway."""
    return f"{service}-gateway"


def route_name(service: str) -> str:
    """Return the name of a RayService's route."""
    return f"{service}-httproute"


def serve_service_of(cluster: str) -> str:
    """Return the name of the service that leads to what one cluster serves."""
    return f"{cluster}-serve-svc"


def gateway_ready(gateway: ChildSeen | None) -> bool:
    """Whether a gateway was accepted, and programmed."""
    if gateway is None or gateway.meta.deleted_at is not None:
        return False
    told = entries_at(gateway.status, "conditions")
    return _all_hold(told, ("Accepted", "Programmed"), gateway)


def route_ready(route: ChildSeen | None, gateway: str) -> bool:
    """Whether this gateway accepted the route, and found everything it leads to."""
    if route is None or route.meta.deleted_at is not None:
        return False
    return any(
        _all_hold(entries_at(parent, "conditions"), ("Accepted", "ResolvedRefs"), route)
        for parent in entries_at(route.status, "parents")
        if _is_parent(parent, gateway, route.meta.namespace)
    )


def _is_parent(parent: Raw, gateway: str, namespace: str) -> bool:
    named = text_at(parent, "parentRef", "name") == gateway
    return named and text_at(parent, "parentRef", "namespace") in ("", namespace)


def _all_hold(told: tuple[Raw, ...], types: tuple[str, ...], about: ChildSeen) -> bool:
    holding = {text_at(one, "type") for one in told if _holds(one, about)}
    return set(types) <= holding


def _holds(condition: Raw, about: ChildSeen) -> bool:
    of = integer_at(condition, "observedGeneration")
    stale = of is not None and of < about.meta.generation
    return text_at(condition, "status") == "True" and not stale


def weight_of(route: ChildSeen | None, cluster: str) -> int:
    """Return the weight with which a route leads to a cluster; `ABSENT` if it does not."""
    return weights(route).get(serve_service_of(cluster), ABSENT) if cluster else ABSENT


def weights(route: ChildSeen | None) -> Mapping[str, int]:
    """Return the weight of every service that a route leads to; one that is not told is 1."""
    found: dict[str, int] = {}
    for rule in entries_at(route.spec if route else {}, "rules"):
        for backend in entries_at(rule, "backendRefs"):
            weight = integer_at(backend, "weight")
            found[text_at(backend, "name")] = 1 if weight is None else weight
    return found
