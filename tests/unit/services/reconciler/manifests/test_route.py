"""The way to the dashboard on OpenShift: what a route is made of, and how long its name may be."""

import pytest

from services.reconciler.manifests.names import route_name
from services.reconciler.manifests.owners import owner_reference
from services.reconciler.manifests.route import route
from shared.kernel.manifests import value_at
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster
from tests.support.rayclusters import cluster, container, head, template

NOTES = {"kubernetes.io/ingress.class": "nginx", "team": "ml"}


def test_leads_to_the_dashboard_with_all_annotations() -> None:
    wanted = cluster(annotations=NOTES)

    assert route(wanted) == {
        "apiVersion": "route.openshift.io/v1",
        "kind": "Route",
        "metadata": {
            "name": "demo-head-route",
            "namespace": "lab",
            "labels": {
                "app.kubernetes.io/created-by": "kuberay-operator",
                "app.kubernetes.io/name": "kuberay",
                "ray.io/cluster": "demo",
                "ray.io/identifier": "demo-head",
            },
            "annotations": NOTES,
            "ownerReferences": [owner_reference(wanted)],
        },
        "spec": {
            "to": {"kind": "Service", "name": "demo-head-svc", "weight": 100},
            "port": {"targetPort": 8265},
            "wildcardPolicy": "None",
        },
    }


def test_the_users_dashboard_port_and_service_are_followed() -> None:
    ray = container(ports=[{"name": "dashboard", "containerPort": 9000}])
    own = {"metadata": {"name": "mine"}}
    wanted = cluster(headGroupSpec=head(template=template(ray), headService=own))

    assert value_at(route(wanted), "spec", "port", "targetPort") == 9000
    assert value_at(route(wanted), "spec", "to", "name") == "mine"


def placed(name: str, namespace: str) -> RayCluster:
    spec = {"headGroupSpec": head(), "workerGroupSpecs": []}
    read = read_raycluster({"metadata": {"name": name, "namespace": namespace}, "spec": spec})
    assert isinstance(read, RayCluster)
    return read


@pytest.mark.parametrize(
    ("name", "namespace", "made"),
    [
        ("demo", "lab", "demo-head-route"),
        ("a" * 50, "lab", "a" * 48),
        ("a" * 50, "n" * 20, "a" * 31),
        ("a" * 30, "n" * 10, "a" * 30 + "-head-route"),
        ("1demo", "lab", "rdemo-head-route"),
    ],
)
def test_a_long_name_is_cut_at_its_end_by_the_length_of_the_namespace(
    name: str, namespace: str, made: str
) -> None:
    """Checklist 30."""
    assert route_name(placed(name, namespace)) == made
