"""A RayCluster's life on a real API server, through all services as processes."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import ending, wait_until
from tests.support.realkube import RealKube, shared_real_kube

HOME = Path(__file__).resolve().parents[3]
CRD = HOME / "deploy" / "crds" / "ray.io_rayclusters.yaml"
EXAMPLE = HOME / "examples" / "01-minimal.yaml"
SERVICES = ("watcher", "reconciler", "executor", "status", "scheduler")


@pytest.fixture(scope="session")
def real_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    with shared_real_kube(tmp_path_factory) as shared:
        yield shared


@pytest.fixture
def namespace(real_kube: RealKube, tmp_path: Path) -> Iterator[str]:
    """A namespace with a kubelet, looked after by every service in a process of its own."""
    real_kube.told("apply", "--server-side", "--force-conflicts", "-f", str(CRD))
    real_kube.wait("--for=condition=Established", "-f", str(CRD))
    name = real_kube.new_namespace()
    there = {"KUBECONFIG": str(real_kube.kubeconfig), "WATCH_NAMESPACE": name}
    kubelet = ("-m", "sandbox.outside", "--namespace", name, "--kubeconfig")
    with ending(tmp_path) as here:
        here.nats.start()
        assert here.heliograph("init").returncode == 0
        here.add("kubelet", (sys.executable, *kubelet, str(real_kube.kubeconfig)), {})
        for service in SERVICES:
            here.start_service(service, service, **there)
        yield name


def pods(real_kube: RealKube, namespace: str) -> dict[str, tuple[str, str]]:
    """The living pods: name to group and uid."""
    found = real_kube.object("pods", "-n", namespace)["items"]
    return {
        pod["metadata"]["name"]: (pod["metadata"]["labels"]["ray.io/group"], pod["metadata"]["uid"])
        for pod in found
        if "deletionTimestamp" not in pod["metadata"]
    }


def is_ready(real_kube: RealKube, namespace: str, workers: int) -> bool:
    status = real_kube.object("raycluster", "first", "-n", namespace).get("status", {})
    groups = sorted(group for group, _ in pods(real_kube, namespace).values())
    counted = status.get("readyWorkerReplicas") == status.get("desiredWorkerReplicas") == workers
    return (
        counted and status.get("state") == "ready" and groups == ["headgroup", *["small"] * workers]
    )


@pytest.mark.timeout(240)
def test_it_comes_up_recovers_scales_and_goes(real_kube: RealKube, namespace: str) -> None:
    real_kube.told("apply", "-n", namespace, "-f", str(EXAMPLE))
    wait_until(lambda: is_ready(real_kube, namespace, 3), "the cluster is ready", 60)
    before = pods(real_kube, namespace)
    head = next(name for name, (group, _) in before.items() if group == "headgroup")

    real_kube.told("delete", "pod", head, "-n", namespace)
    wait_until(lambda: is_ready(real_kube, namespace, 3), "there is a head again", 60)
    assert pods(real_kube, namespace)[head] != before[head]

    patch = '[{"op":"replace","path":"/spec/workerGroupSpecs/0/replicas","value":5}]'
    real_kube.told("patch", "raycluster", "first", "-n", namespace, "--type=json", "-p", patch)
    wait_until(lambda: is_ready(real_kube, namespace, 5), "there are five workers", 60)

    real_kube.told("delete", "raycluster", "first", "-n", namespace)
    wait_until(lambda: not pods(real_kube, namespace), "no pod is left", 90)
