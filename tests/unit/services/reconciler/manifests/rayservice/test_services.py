"""The two services of a RayService: what of them is the user's, and what is not."""

from typing import Any

import pytest

from services.reconciler.manifests.rayservice.services import (
    can_serve,
    replacing,
    service_of_head,
    service_of_serve,
)
from services.reconciler.manifests.settings import ManifestSettings
from shared.resources.crd import spec_schema
from shared.resources.raycluster import RayCluster
from shared.resources.rayservice import RayService
from shared.resources.reading import read_raycluster, read_rayservice
from tests.support.builders import Raw, cluster_spec
from tests.support.rayservices import UID, service_spec

SETTINGS = ManifestSettings(version="v1.7.0")
WRITTEN: Raw = {
    "metadata": {
        "name": "stand",
        "namespace": "elsewhere",
        "labels": {"team": "red", "ray.io/serve": "mine"},
        "annotations": {"lb": "internal"},
    },
    "spec": {
        "type": "LoadBalancer",
        "selector": {"app": "mine"},
        "sessionAffinity": "ClientIP",
        "ports": [
            {"name": "serve", "port": 80, "targetPort": 8000},
            {"name": "metrics", "port": 8080},
        ],
    },
}
"""A serve service as a user might write it."""


def service(**spec: object) -> RayService:
    meta = {"name": "fruit", "namespace": "prod", "uid": UID}
    found = read_rayservice({"metadata": meta, "spec": {**service_spec(), **spec}})
    assert isinstance(found, RayService), found
    return found


def cluster(*ports: tuple[str, int], **head: object) -> RayCluster:
    spec: Any = cluster_spec()
    spec["headGroupSpec"].update(head)
    container = {"name": "ray", "image": "ray"}
    given = [{"name": name, "containerPort": port} for name, port in ports]
    spec["headGroupSpec"]["template"] = {
        "spec": {"containers": [{**container, "ports": given} if given else container]}
    }
    meta = {"name": "fruit-abcde", "namespace": "prod", "uid": "uid"}
    found = read_raycluster({"metadata": meta, "spec": spec})
    assert isinstance(found, RayCluster), found
    return found


def serve(given: Raw | None, *ports: tuple[str, int], **head: object) -> Any:
    return service_of_serve(service(serveService=given), cluster(*ports, **head))


def test_the_head_service_leads_to_the_head_of_one_cluster() -> None:
    """RayService checklist 1: its name, its labels, its selector."""
    made: Any = service_of_head(service(), cluster(), SETTINGS)

    assert made["metadata"]["name"] == "fruit-head-svc"
    assert made["metadata"]["labels"] == {
        "ray.io/originated-from-cr-name": "fruit",
        "ray.io/originated-from-crd": "RayService",
        "ray.io/node-type": "head",
        "ray.io/identifier": "fruit-head",
    }
    assert made["spec"]["selector"] == {
        "ray.io/cluster": "fruit-abcde",
        "ray.io/node-type": "head",
        "ray.io/identifier": "fruit-abcde-head",
        "app.kubernetes.io/name": "kuberay",
        "app.kubernetes.io/created-by": "kuberay-operator",
    }
    assert {"dashboard", "metrics", "serve"} <= {port["name"] for port in made["spec"]["ports"]}
    assert made["spec"]["clusterIP"] == "None"


def test_only_ports_that_serve_are_exposed() -> None:
    """RayService checklist 46: serve and serve-grpc; server is another word."""
    ports = (
        ("gcs-server", 6379),
        ("dashboard", 8265),
        ("serve", 9000),
        ("serve-grpc", 9001),
        ("server", 1),
    )

    assert serve(None, *ports)["spec"]["ports"] == [
        {"name": "serve", "port": 9000},
        {"name": "serve-grpc", "port": 9001},
    ]
    assert serve(None)["spec"]["ports"] == [{"name": "serve", "port": 8000}]


def test_without_a_serve_port_nothing_can_be_made() -> None:
    """RayService checklist 47: unless the user wrote a service."""
    bare = cluster(("dashboard", 8265))

    assert not can_serve(service(), bare)
    assert can_serve(service(serveService={"spec": {}}), bare)
    assert can_serve(service(), cluster())


def test_what_the_user_wrote_counts_except_where_it_would_mislead() -> None:
    """RayService checklist 48: name, type, labels, annotations; no namespace, no selector."""
    made = serve(WRITTEN, ("serve", 8000), ("serve-grpc", 9000))

    assert (made["metadata"]["name"], made["metadata"]["namespace"]) == ("stand", "prod")
    assert made["metadata"]["labels"] == {
        "team": "red",
        "ray.io/originated-from-cr-name": "fruit",
        "ray.io/originated-from-crd": "RayService",
        "ray.io/serve": "fruit-serve",
    }
    assert made["metadata"]["annotations"] == {"lb": "internal"}
    assert made["spec"]["selector"] == {"ray.io/cluster": "fruit-abcde", "ray.io/serve": "true"}
    assert (made["spec"]["type"], made["spec"]["sessionAffinity"]) == ("LoadBalancer", "ClientIP")
    assert made["spec"]["ports"] == [
        {"name": "serve", "port": 80, "targetPort": 8000},
        {"name": "serve-grpc", "port": 9000},
    ]


def test_the_users_protocol_and_ports_are_kept() -> None:
    """RayService checklist 49: appProtocol stays; without serve ports all of the user's do."""
    grpc = {"name": "serve-grpc", "port": 9000, "appProtocol": "kubernetes.io/h2c"}
    other = {"name": "http", "port": 80}

    assert serve({"spec": {"ports": [grpc]}}, ("serve-grpc", 9000))["spec"]["ports"] == [grpc]
    assert serve({"spec": {"ports": [grpc, other]}}, ("x", 1))["spec"]["ports"] == [grpc, other]


@pytest.mark.parametrize("kind", ["NodePort", "LoadBalancer"])
def test_the_type_is_the_heads_unless_the_user_says_otherwise(kind: str) -> None:
    assert serve(None, serviceType=kind)["spec"]["type"] == kind
    assert serve({"spec": {"type": "ClusterIP"}}, serviceType=kind)["spec"]["type"] == "ClusterIP"
    assert "type" not in serve(None)["spec"]


def test_nothing_of_a_former_spec_is_left_but_its_address() -> None:
    wished = {
        "type": "NodePort",
        "clusterIP": "None",
        "ports": [{"name": "serve", "port": 8000}],
        "selector": {"ray.io/cluster": "fruit-fghij"},
    }

    patch = replacing(wished, {"ray.io/cluster": "fruit-abcde", "app": "mine"})

    kept = {key: value for key, value in patch.items() if value is not None}
    assert kept == {
        "type": "NodePort",
        "ports": [{"name": "serve", "port": 8000}],
        "selector": {"ray.io/cluster": "fruit-fghij", "app": None},
    }
    assert {"externalName", "sessionAffinity", "loadBalancerIP"} <= patch.keys() - kept.keys()
    assert not {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"} & patch.keys()


def test_a_patch_takes_away_every_field_that_a_service_may_have() -> None:
    service_schema = spec_schema("RayService")["properties"]["serveService"]  # type: ignore[index] # a schema
    known = service_schema["properties"]["spec"]["properties"]
    address = {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}

    assert replacing({"ports": []}, {}).keys() == known.keys() - address
