"""The gateway and the route of a service: what they are, and what counts as a difference."""

from copy import deepcopy

import pytest

from services.reconciler.manifests.rayservice.gateway import (
    gateway_manifest,
    route_manifest,
    same_gateway,
    same_route,
)
from shared.events.objects import ChildSeen, Meta
from shared.kernel.manifests import entries_at, mapping_at, thawed
from shared.resources.raycluster import RayCluster
from shared.resources.rayservice import RayService
from shared.resources.reading import read_raycluster, read_rayservice
from tests.support.builders import Raw
from tests.support.steppingstory import cluster_of, stepped_spec

META = Meta(name="one", namespace="prod", uid="u", resource_version=1)


def service() -> RayService:
    metadata = {"name": "fruit", "namespace": "prod", "uid": "uid"}
    found = read_rayservice({"metadata": metadata, "spec": stepped_spec()})
    assert isinstance(found, RayService)
    return found


def cluster(name: str) -> RayCluster:
    metadata = {"name": name, "namespace": "prod", "uid": f"uid-of-{name}"}
    found = read_raycluster({"metadata": metadata, "spec": cluster_of("2.46.0")})
    assert isinstance(found, RayCluster)
    return found


GATEWAY = gateway_manifest(service(), "istio")
ROUTE = route_manifest(service(), [(cluster("a"), 75), (cluster("b"), 25)])


def living(manifest: Raw, kind: str) -> ChildSeen:
    return ChildSeen(meta=META, kind=kind, spec=deepcopy(thawed(mapping_at(manifest, "spec"))))


def changed(manifest: Raw, path: tuple[str | int, ...], value: object) -> ChildSeen:
    """The object with something else at the end of the path."""
    seen = living(manifest, "child")
    place: object = seen.spec
    for step in path[:-1]:
        place = place[step]  # type: ignore[index]
    place[path[-1]] = value  # type: ignore[index]
    return seen


def test_a_gateway_is_of_the_wished_class_and_has_one_listener() -> None:
    """RayService checklist 68: class of the options, one listener, owned by the service."""
    assert GATEWAY["spec"] == {
        "gatewayClassName": "istio",
        "listeners": [{"name": "http", "protocol": "HTTP", "port": 80}],
    }
    assert mapping_at(GATEWAY, "metadata")["name"] == "fruit-gateway"
    [owner] = entries_at(GATEWAY, "metadata", "ownerReferences")
    assert (owner["kind"], owner["name"]) == ("RayService", "fruit")


def test_a_route_leads_everything_to_both_clusters() -> None:
    spec = mapping_at(ROUTE, "spec")

    assert spec["parentRefs"] == [{"name": "fruit-gateway", "namespace": "prod"}]
    assert spec["rules"] == [
        {
            "matches": [{"path": {"type": "PathPrefix", "value": "/"}}],
            "backendRefs": [
                {"name": "a-serve-svc", "namespace": "prod", "port": 8000, "weight": 75},
                {"name": "b-serve-svc", "namespace": "prod", "port": 8000, "weight": 25},
            ],
        }
    ]


def test_what_others_filled_in_is_no_difference() -> None:
    """RayService checklist 74: defaulted fields, and empty lists for absent ones."""
    gateway = changed(GATEWAY, ("listeners", 0, "allowedRoutes"), {"namespaces": {"from": "Same"}})
    route = changed(ROUTE, ("hostnames",), [])
    route.spec["rules"][0]["filters"] = []  # type: ignore[index]
    route.spec["rules"][0]["backendRefs"][0]["kind"] = "Service"  # type: ignore[index]
    route.spec["parentRefs"][0]["group"] = "gateway.networking.k8s.io"  # type: ignore[index]

    assert same_gateway(gateway, GATEWAY)
    assert same_route(route, ROUTE)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("gatewayClassName",), "other"),
        (("listeners",), []),
        (("listeners", 0, "name"), "other"),
        (("listeners", 0, "protocol"), "HTTPS"),
        (("listeners", 0, "port"), 81),
    ],
)
def test_another_gateway_is_seen(path: tuple[str | int, ...], value: object) -> None:
    """RayService checklist 74: class and listeners."""
    assert not same_gateway(changed(GATEWAY, path, value), GATEWAY)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("hostnames",), ["example.com"]),
        (("parentRefs", 0, "name"), "other"),
        (("parentRefs", 0, "namespace"), "other"),
        (("rules",), []),
        (("rules", 0, "matches", 0, "path", "value"), "/other"),
        (("rules", 0, "matches", 0, "method"), "GET"),
        (("rules", 0, "filters"), [{"type": "URLRewrite"}]),
        (("rules", 0, "backendRefs", 0, "name"), "other"),
        (("rules", 0, "backendRefs", 0, "namespace"), "other"),
        (("rules", 0, "backendRefs", 0, "port"), 8001),
        (("rules", 0, "backendRefs", 0, "weight"), 74),
        (("rules", 0, "backendRefs", 0, "weight"), None),
    ],
)
def test_another_route_is_seen(path: tuple[str | int, ...], value: object) -> None:
    """RayService checklist 74: weight, port, namespace, match and filter."""
    assert not same_route(changed(ROUTE, path, value), ROUTE)


def test_a_weight_that_is_not_told_is_one() -> None:
    wished = route_manifest(service(), [(cluster("a"), 1)])

    assert same_route(changed(wished, ("rules", 0, "backendRefs", 0, "weight"), None), wished)
