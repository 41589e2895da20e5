"""A RayCluster's life on a real API server, each service a process under its own account."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.kubes import RealNamespaces, installed
from tests.support.processes import wait_until
from tests.support.realkube import RealKube, shared_real_kube

HOME = Path(__file__).resolve().parents[3]
EXAMPLE = HOME / "examples" / "01-minimal.yaml"
SERVICES = ("watcher", "reconciler", "executor", "status", "scheduler")
RESOURCE = "rayclusters.ray.io"


@pytest.fixture(scope="session")
def real_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    with shared_real_kube(tmp_path_factory) as shared:
        yield shared


@pytest.fixture
def namespace(real_kube: RealKube, tmp_path: Path) -> Iterator[str]:
    """A namespace with a kubelet, looked after by every service with the rights we deploy."""
    with installed(tmp_path, RealNamespaces(real_kube), dict.fromkeys(SERVICES, 1)) as here:
        yield here.namespace


def pods(real_kube: RealKube, namespace: str) -> dict[str, tuple[str, str]]:
    """The living pods: name to group and uid."""
    found = real_kube.object("pods", "-n", namespace)["items"]
    return {
        pod["metadata"]["name"]: (pod["metadata"]["labels"]["ray.io/group"], pod["metadata"]["uid"])
        for pod in found
        if "deletionTimestamp" not in pod["metadata"]
    }


def is_ready(real_kube: RealKube, namespace: str, workers: int) -> bool:
    status = real_kube.object(RESOURCE, "first", "-n", namespace).get("status", {})
    groups = sorted(group for group, _ in pods(real_kube, namespace).values())
    counted = status.get("readyWorkerReplicas") == status.get("desiredWorkerReplicas") == workers
    return (
        counted and status.get("state") == "ready" and groups == ["headgroup", *["small"] * workers]
    )


@pytest.mark.timeout(480)
def test_it_comes_up_recovers_scales_and_goes(real_kube: RealKube, namespace: str) -> None:
    real_kube.told("apply", "-n", namespace, "-f", str(EXAMPLE))
    wait_until(lambda: is_ready(real_kube, namespace, 3), "the cluster is ready")
    before = pods(real_kube, namespace)
    head = next(name for name, (group, _) in before.items() if group == "headgroup")

    real_kube.told("delete", "pod", head, "-n", namespace)
    wait_until(lambda: is_ready(real_kube, namespace, 3), "there is a head again")
    assert pods(real_kube, namespace)[head] != before[head]

    patch = '[{"op":"replace","path":"/spec/workerGroupSpecs/0/replicas","value":5}]'
    real_kube.told("patch", RESOURCE, "first", "-n", namespace, "--type=json", "-p", patch)
    wait_until(lambda: is_ready(real_kube, namespace, 5), "there are five workers")

    real_kube.told("delete", RESOURCE, "first", "-n", namespace)
    wait_until(lambda: not pods(real_kube, namespace), "no pod is left")


AUTOSCALED = """
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: scaled}
spec:
  enableInTreeAutoscaling: true
  headGroupSpec:
    enableIngress: true
    template: {spec: {containers: [{name: ray, image: ray}]}}
"""


@pytest.mark.timeout(480)
def test_what_pods_rest_on_is_made_under_the_rights_we_deploy(
    real_kube: RealKube, namespace: str
) -> None:
    real_kube.told("apply", "-n", namespace, "-f", "-", given=AUTOSCALED)
    kinds = "serviceaccounts,roles,rolebindings,ingresses,services"

    def made() -> set[str]:
        found = real_kube.object(kinds, "-n", namespace, "-l", "ray.io/cluster=scaled")["items"]
        return {f"{one['kind']}/{one['metadata']['name']}" for one in found}

    wait_until(lambda: len(made()) == 5 and pods(real_kube, namespace) != {}, "all is there")
    assert made() == {
        "ServiceAccount/scaled",
        "Role/scaled",
        "RoleBinding/scaled",
        "Ingress/scaled-head-ingress",
        "Service/scaled-head-svc",
    }
