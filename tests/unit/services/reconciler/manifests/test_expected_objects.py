"""Objects made for sample manifests, against the ones worked out by hand from KubeRay's rules.

Compared as the notes beside the samples say: lists in order, maps without, empty counts as absent,
random parts masked. Samples and expectations lie beside the checkout and are not ours to keep.
"""

from pathlib import Path

import pytest
import yaml

from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.worker import Place, worker_pod
from services.reconciler.manifests.rbac import role, role_binding, service_account
from services.reconciler.manifests.services import head_service
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.manifests import Raw, mapping_at
from shared.resources.defaulting import stored
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster
from shared.resources.totals import resource_totals, worker_counts

DATA = Path(__file__).resolve().parents[6] / "shared" / "data"
SETTINGS = ManifestSettings(version="<kuberay-version>")

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="../shared/data with samples and expectations is not here"
)


def cluster_of(sample: str) -> RayCluster:
    text = (DATA / "kuberay-samples" / f"{sample}.yaml").read_text(encoding="utf-8")
    raw = next(raw for raw in yaml.safe_load_all(text) if raw["kind"].startswith("Ray"))
    if sample.startswith("ray-job"):
        text = (DATA / "expected" / sample / "raycluster.yaml").read_text(encoding="utf-8")
        spec = raw["spec"]["rayClusterSpec"]
        raw = yaml.safe_load(text) | {"spec": spec}
        raw["metadata"]["annotations"] = {}
    raw["metadata"] |= {"namespace": "default", "uid": "<raycluster-uid>"}
    cluster = read_raycluster(stored(raw))
    assert isinstance(cluster, RayCluster)
    return cluster


def expected(sample: str, name: str) -> object:
    raw = yaml.safe_load((DATA / "expected" / sample / f"{name}.yaml").read_text(encoding="utf-8"))
    raw["metadata"].pop("generateName", None)
    return compact(raw)


def masked(pod: Raw) -> object:
    annotations = mapping_at(pod, "metadata", "annotations")
    hashed = {key: "<hash>" for key in annotations if key.endswith("recreate-hash")}
    return compact(
        {
            **pod,
            "metadata": {**mapping_at(pod, "metadata"), "annotations": {**annotations, **hashed}},
        }
    )


def compact(value: object) -> object:
    """Drop what counts as absent, and hide what is worded freely."""
    if isinstance(value, dict):
        kept = {key: compact(inner) for key, inner in value.items()}
        return {key: inner for key, inner in kept.items() if inner not in ({}, "", None)}
    if isinstance(value, list):
        return [compact(inner) for inner in value]
    if isinstance(value, str) and value.count("ray health-check --address") == 2:
        return "<wait-gcs-ready script>"
    return value


SAMPLES = ["ray-cluster.sample", "ray-cluster.autoscaler-v2", "ray-job.sample"]


@pytest.mark.parametrize("sample", SAMPLES)
def test_makes_the_expected_head_pod(sample: str) -> None:
    assert masked(head_pod(cluster_of(sample), SETTINGS)) == expected(sample, "head-pod")


@pytest.mark.parametrize("sample", SAMPLES)
def test_makes_the_expected_worker_pod(sample: str) -> None:
    cluster = cluster_of(sample)

    pod = worker_pod(cluster, cluster.groups[0], SETTINGS, Place(replica_index=0))

    assert masked(pod) == expected(sample, "worker-pod")


@pytest.mark.parametrize("sample", SAMPLES)
def test_makes_the_expected_head_service(sample: str) -> None:
    assert compact(head_service(cluster_of(sample), SETTINGS)) == expected(sample, "head-service")


def test_makes_the_expected_rights_of_an_autoscaler() -> None:
    sample = "ray-cluster.autoscaler-v2"
    cluster = cluster_of(sample)

    made = [compact(make(cluster)) for make in (service_account, role, role_binding)]

    names = ("serviceaccount", "role", "rolebinding")
    assert made == [expected(sample, name) for name in names]


@pytest.mark.parametrize("sample", SAMPLES)
def test_sums_what_the_status_shall_show(sample: str) -> None:
    cluster = cluster_of(sample)
    status = mapping_at(expected(sample, "status-ready"), "status")

    total, count = resource_totals(cluster), worker_counts(cluster)

    assert (total.cpu, total.memory, total.gpu, total.tpu) == tuple(
        status[f"desired{name}"] for name in ("CPU", "Memory", "GPU", "TPU")
    )
    assert (count.desired, count.lowest, count.highest) == tuple(
        status.get(f"{name}WorkerReplicas", 0) for name in ("desired", "min", "max")
    )
