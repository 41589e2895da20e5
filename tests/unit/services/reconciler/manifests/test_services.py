"""Services: the head's, headless by default or the user's own; the hosts'; and Ray Serve's."""

import copy

import pytest

from services.reconciler.manifests.owners import owner_reference
from services.reconciler.manifests.services import (
    head_ports,
    head_service,
    headless_service,
    serve_service,
)
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.manifests import annotations_of, labels_of, mapping_at, name_of, values_at
from tests.support.rayclusters import SETTINGS, cluster, container, head, template

LABELS = {
    "app.kubernetes.io/created-by": "kuberay-operator",
    "app.kubernetes.io/name": "kuberay",
    "ray.io/cluster": "demo",
    "ray.io/identifier": "demo-head",
    "ray.io/node-type": "head",
}


def test_shows_rays_usual_ports_when_none_are_declared() -> None:
    """Checklist 74, 75."""
    service = head_service(cluster(), SETTINGS)

    assert mapping_at(service, "spec") == {
        "ports": [
            {"name": "client", "port": 10001, "appProtocol": "tcp"},
            {"name": "dashboard", "port": 8265, "appProtocol": "tcp"},
            {"name": "gcs-server", "port": 6379, "appProtocol": "tcp"},
            {"name": "metrics", "port": 8080, "appProtocol": "tcp"},
            {"name": "serve", "port": 8000, "appProtocol": "tcp"},
        ],
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": LABELS,
    }


def test_declared_ports_replace_the_usual_ones_but_metrics_stay() -> None:
    """Checklist 75."""
    ray = container(ports=[{"containerPort": 6379}, {"containerPort": 9, "name": "metrics"}])

    ports = head_ports(cluster(headGroupSpec=head(template=template(ray))))

    assert ports == {"6379-port": 6379, "metrics": 9}


@pytest.mark.parametrize(
    ("kind", "cluster_ip_service", "headless"),
    [
        (None, False, True),
        ("ClusterIP", False, True),
        ("NodePort", False, False),
        (None, True, False),
    ],
)
def test_is_headless_unless_asked_otherwise(
    kind: str | None, cluster_ip_service: bool, headless: bool
) -> None:
    """Checklist 74."""
    settings = ManifestSettings(version="v0", head_cluster_ip_service=cluster_ip_service)

    spec = mapping_at(head_service(cluster(headGroupSpec=head(serviceType=kind)), settings), "spec")

    assert (spec.get("type"), spec.get("clusterIP") == "None") == (kind, headless)


def test_follows_the_app_name_of_the_pods() -> None:
    """Checklist 63."""
    pod = {**template(), "metadata": {"labels": {"app.kubernetes.io/name": "mine", "other": "x"}}}

    service = head_service(cluster(headGroupSpec=head(template=pod)), SETTINGS)

    expected = LABELS | {"app.kubernetes.io/name": "mine"}
    assert (labels_of(service), mapping_at(service, "spec", "selector")) == (expected, expected)


def test_the_users_own_service_keeps_all_but_selector_and_namespace() -> None:
    """Checklist 76."""
    own = {
        "metadata": {
            "name": "mine",
            "namespace": "elsewhere",
            "labels": {"team": "ml", "ray.io/cluster": "wrong"},
            "annotations": {"a": "user", "b": "user"},
        },
        "spec": {"selector": {"x": "y"}, "ports": [{"name": "http", "port": 80}], "clusterIP": "x"},
    }
    wanted = cluster(
        headGroupSpec=head(headService=own, serviceType="NodePort"),
        headServiceAnnotations={"b": "spec"},
    )
    before = copy.deepcopy(own)

    service = head_service(wanted, SETTINGS)

    spec = mapping_at(service, "spec")
    assert (name_of(service), mapping_at(service, "metadata")["namespace"]) == ("mine", "lab")
    assert labels_of(service) == LABELS | {"team": "ml"}
    assert annotations_of(service) == {"a": "user", "b": "spec"}
    assert (spec["selector"], spec["type"], spec["clusterIP"]) == (LABELS, "NodePort", "x")
    assert values_at(spec, "ports")[0] == {"name": "http", "port": 80}
    assert len(values_at(spec, "ports")) == 6
    assert "publishNotReadyAddresses" not in spec
    assert own == before


def test_hosts_find_each_other_before_they_are_ready() -> None:
    """Checklist 78: the headless service publishes addresses that are not ready, and no port."""
    wanted = cluster()

    assert headless_service(wanted) == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "demo-headless",
            "namespace": "lab",
            "labels": {"ray.io/headless-worker-svc": "demo"},
            "ownerReferences": [owner_reference(wanted)],
        },
        "spec": {
            "clusterIP": "None",
            "type": "ClusterIP",
            "publishNotReadyAddresses": True,
            "selector": {"ray.io/cluster": "demo", "ray.io/node-type": "worker"},
        },
    }


def test_the_serve_service_shows_only_ports_that_serve() -> None:
    """Checklist 79: `serve` and what begins with `serve-`, not `server`."""
    names = {"serve-grpc": 9000, "serve": 8000, "server": 1, "dashboard": 8265}
    ray = container(ports=[{"name": name, "containerPort": at} for name, at in names.items()])
    wanted = cluster(headGroupSpec=head(template=template(ray), serviceType="NodePort"))

    assert serve_service(wanted) == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "demo-serve-svc",
            "namespace": "lab",
            "labels": {
                "ray.io/originated-from-cr-name": "demo",
                "ray.io/originated-from-crd": "RayCluster",
                "ray.io/serve": "demo-serve",
            },
            "ownerReferences": [owner_reference(wanted)],
        },
        "spec": {
            "ports": [{"name": "serve", "port": 8000}, {"name": "serve-grpc", "port": 9000}],
            "selector": {"ray.io/cluster": "demo"},
            "type": "NodePort",
        },
    }


def test_a_name_of_the_longest_kind_is_not_cut_in_services() -> None:
    """Checklist 3: 53 letters leave room for the ending of every service."""
    longest = cluster(name="c" * 53)

    made = (head_service(longest, SETTINGS), headless_service(longest), serve_service(longest))

    assert [name_of(one) for one in made] == [
        f"{longest.name}-{ending}" for ending in ("head-svc", "headless", "serve-svc")
    ]
