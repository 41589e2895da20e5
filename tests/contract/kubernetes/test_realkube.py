"""The real control plane does what tests will rely on: our kinds, RBAC, watches, controllers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes
import pytest
import yaml

from tests.support.processes import wait_until
from tests.support.realkube import RealKube, shared_real_kube
from tools.realkube.assets import SOURCES, cache_folder, find
from tools.realkube.pins import KUBERNETES, pinned

HOME = Path(__file__).resolve().parents[3]
OUR_CRD = HOME / "deploy" / "crds" / "ray.io_rayclusters.yaml"
MINIMAL = HOME / "examples" / "01-minimal.yaml"
KUBERAY_CRDS = HOME.parent / "shared" / "data" / "kuberay-crds"
OFFICIAL: Any = kubernetes  # its types do not know that it takes plain values
APPLY = ("apply", "--server-side", "--force-conflicts", "-f")


@pytest.fixture(scope="session")
def real_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    with shared_real_kube(tmp_path_factory) as shared:
        yield shared


@pytest.fixture
def namespace(real_kube: RealKube) -> str:
    return real_kube.new_namespace()


@pytest.fixture
def cluster(real_kube: RealKube, namespace: str) -> Any:
    """The smallest RayCluster, as the API server stored it."""
    real_kube.told(*APPLY, str(OUR_CRD))
    real_kube.wait("--for=condition=Established", "-f", str(OUR_CRD))
    real_kube.told("apply", "-n", namespace, "-f", str(MINIMAL))
    return real_kube.object("rayclusters.ray.io", "-n", namespace)["items"][0]


def pod(name: str, **metadata: object) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **metadata},
        "spec": {"containers": [{"name": "ray", "image": "ray"}]},
    }


def owned_by(owner: Any, name: str) -> dict[str, Any]:
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
    }
    return pod(name, ownerReferences=[reference])


def create(real_kube: RealKube, namespace: str, manifest: dict[str, Any]) -> None:
    real_kube.told("create", "-n", namespace, "-f", "-", given=yaml.safe_dump(manifest))


def test_it_is_the_pinned_version(real_kube: RealKube) -> None:
    found = find()
    if str(cache_folder()) not in str(found):
        pytest.skip("programs of another version were given")

    assert real_kube.version == f"v{pinned((SOURCES / 'go.mod').read_text(), KUBERNETES)}"


def test_takes_our_kind_and_the_smallest_cluster(cluster: Any) -> None:
    written = yaml.safe_load(MINIMAL.read_text())

    assert cluster["metadata"]["name"] == written["metadata"]["name"]
    assert cluster["metadata"]["generation"] == 1


@pytest.mark.skipif(not KUBERAY_CRDS.is_dir(), reason="no CRDs of KubeRay beside the checkout")
def test_takes_the_kinds_of_kuberay_under_another_group(real_kube: RealKube) -> None:
    texts = [path.read_text() for path in sorted(KUBERAY_CRDS.glob("*.yaml"))]
    manifest = "\n---\n".join(texts).replace("ray.io", "ray.example")

    applied = real_kube.told(*APPLY, "-", "-o", "name", given=manifest).split()

    assert len(applied) == 4
    real_kube.wait("--for=condition=Established", *applied)


def test_a_finalizer_holds_a_deleted_pod(real_kube: RealKube, namespace: str) -> None:
    create(real_kube, namespace, pod("held", finalizers=["example.com/hold"]))
    real_kube.told("delete", "pod", "held", "-n", namespace, "--wait=false")

    held = real_kube.object("pod", "held", "-n", namespace)
    released = '{"metadata":{"finalizers":null}}'
    real_kube.told("patch", "pod", "held", "-n", namespace, "--type=merge", "-p", released)

    assert "deletionTimestamp" in held["metadata"]
    assert real_kube.kubectl("get", "pod", "held", "-n", namespace).returncode == 1


def test_what_a_deleted_cluster_owned_is_collected(
    real_kube: RealKube, namespace: str, cluster: Any
) -> None:
    create(real_kube, namespace, owned_by(cluster, "owned"))
    create(real_kube, namespace, pod("free"))

    real_kube.told("delete", "rayclusters.ray.io", "--all", "-n", namespace)
    real_kube.wait("--for=delete", "pod/owned", "-n", namespace)

    left = real_kube.object("pods", "-n", namespace)["items"]
    assert [each["metadata"]["name"] for each in left] == ["free"]


def test_a_watch_tells_everything_in_order(real_kube: RealKube, namespace: str) -> None:
    with OFFICIAL.config.new_client_from_config(str(real_kube.kubeconfig)) as connection:
        api = OFFICIAL.client.CoreV1Api(connection)
        since = api.list_namespaced_pod(namespace).metadata.resource_version
        api.create_namespaced_pod(namespace, pod("seen"))
        api.patch_namespaced_pod("seen", namespace, {"metadata": {"labels": {"a": "b"}}})
        api.delete_namespaced_pod("seen", namespace)

        stream = OFFICIAL.watch.Watch().stream(
            api.list_namespaced_pod, namespace, resource_version=since, timeout_seconds=2
        )
        seen = [(event["type"], event["object"].metadata.generation) for event in stream]

    assert seen == [("ADDED", 1), ("MODIFIED", 1), ("MODIFIED", 2), ("DELETED", 2)]


def test_a_job_gets_its_pod_under_a_role_of_its_controller(
    real_kube: RealKube, namespace: str
) -> None:
    real_kube.told("create", "job", "task", "--image=ray", "-n", namespace)

    real_kube.wait("--for=create", "pod", "-l", "job-name=task", "-n", namespace)


def test_nobody_may_do_what_no_role_allows(real_kube: RealKube, namespace: str) -> None:
    asked = ("auth", "can-i", "list", "pods", "-n", namespace)
    somebody = (*asked, f"--as=system:serviceaccount:{namespace}:default")
    before = real_kube.kubectl(*somebody).stdout.strip()

    binding = ("create", "rolebinding", "looks", "-n", namespace, "--clusterrole=view")
    real_kube.told(*binding, f"--serviceaccount={namespace}:default")

    assert before == "no"
    wait_until(lambda: real_kube.kubectl(*somebody).stdout == "yes\n", "the role is known")


def test_a_deleted_namespace_takes_everything_with_it(real_kube: RealKube, namespace: str) -> None:
    create(real_kube, namespace, pod("inside"))

    real_kube.told("delete", "namespace", namespace, "--timeout=60s")

    assert "NotFound" in real_kube.kubectl("get", "namespace", namespace).stderr
