"""The service by which people find the head of a RayJob's cluster."""

from services.reconciler.manifests.rayjob.service import job_head_service
from shared.kernel.manifests import entries_at, mapping_at
from tests.support.builders import Raw, cluster_spec, group, template
from tests.unit.services.reconciler.manifests.rayjob.attempts import (
    SETTINGS,
    attempt_at,
    job_of,
)


def made(**spec: object) -> Raw:
    return job_head_service(attempt_at(job_of(**spec)), SETTINGS)


def test_the_whole_service() -> None:
    """RayJob checklist 10: its four labels, the attempt's head, the usual ports."""
    metadata, spec = mapping_at(made(), "metadata"), mapping_at(made(), "spec")
    ports = [
        (port["name"], port["port"], port["appProtocol"]) for port in entries_at(spec, "ports")
    ]

    assert (metadata["name"], metadata["namespace"]) == ("rj-head-svc", "ns")
    assert metadata["labels"] == {
        "ray.io/originated-from-cr-name": "rj",
        "ray.io/originated-from-crd": "RayJob",
        "ray.io/node-type": "head",
        "ray.io/identifier": "rj-head",
    }
    assert spec["selector"] == {
        "ray.io/cluster": "rj-b5d7k",
        "ray.io/node-type": "head",
        "ray.io/identifier": "rj-b5d7k-head",
        "app.kubernetes.io/name": "kuberay",
        "app.kubernetes.io/created-by": "kuberay-operator",
    }
    assert (spec["clusterIP"], spec["publishNotReadyAddresses"]) == ("None", True)
    assert sorted(ports) == [
        ("client", 10001, "tcp"),
        ("dashboard", 8265, "tcp"),
        ("gcs-server", 6379, "tcp"),
        ("metrics", 8080, "tcp"),
        ("serve", 8000, "tcp"),
    ]


def test_a_service_that_the_user_described_keeps_its_type_and_annotations() -> None:
    given = {
        "metadata": {"name": "mine", "annotations": {"a": "b"}, "labels": {"c": "d"}},
        "spec": {"type": "NodePort", "selector": {"x": "y"}, "ports": [{"name": "own", "port": 1}]},
    }
    head = {"template": template(), "headService": given}
    service = made(rayClusterSpec=cluster_spec(group(), headGroupSpec=head))
    metadata, spec = mapping_at(service, "metadata"), mapping_at(service, "spec")

    assert metadata["name"] == "rj-head-svc"
    assert metadata["annotations"] == {"a": "b"}
    assert "c" not in mapping_at(metadata, "labels")
    assert spec["type"] == "NodePort"
    assert mapping_at(spec, "selector")["ray.io/cluster"] == "rj-b5d7k"
    assert entries_at(spec, "ports")[0]["name"] == "own"
