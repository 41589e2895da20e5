"""Sample clusters of each scheduler: what is made for them, worked out by hand.

The samples lie beside the checkout and are not ours to keep.
"""

import json
from pathlib import Path

import pytest
import yaml

from services.reconciler.manifests.schedulers.plugins import plugin_pod_group
from services.reconciler.manifests.schedulers.volcano import volcano_pod_group
from shared.kernel.manifests import mapping_at
from shared.kernel.schedulers import KAI, SCHEDULER_PLUGINS, YUNIKORN
from shared.resources.defaulting import stored
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster
from tests.unit.services.reconciler.manifests.schedulers.made import Made

SAMPLES = Path(__file__).resolve().parents[7] / "shared" / "data" / "kuberay-samples"

pytestmark = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason="../shared/data/kuberay-samples is not here"
)


def sample(name: str) -> RayCluster:
    text = (SAMPLES / f"{name}.yaml").read_text(encoding="utf-8")
    raw = next(raw for raw in yaml.safe_load_all(text) if raw["kind"] == "RayCluster")
    raw["metadata"] |= {"namespace": "default", "uid": "u"}
    cluster = read_raycluster(stored(raw))
    assert isinstance(cluster, RayCluster)
    return cluster


def test_the_sample_of_scheduler_plugins_is_a_gang_of_three() -> None:
    cluster = sample("ray-cluster.scheduler-plugins")

    assert mapping_at(plugin_pod_group(cluster), "spec") == {
        "minMember": 3,
        "minResources": {"cpu": "3", "memory": "4Gi"},
    }
    assert Made(cluster, SCHEDULER_PLUGINS, head=False).labels == {
        "scheduling.x-k8s.io/pod-group": "test-podgroup-0"
    }


def test_the_sample_of_yunikorn_describes_head_and_workers() -> None:
    cluster = sample("ray-cluster.yunikorn-scheduler")
    made = Made(cluster, YUNIKORN)

    assert made.labels == {"applicationId": "test-yunikorn-0", "queue": "root.test"}
    assert made.annotations["yunikorn.apache.org/task-groups"] == (
        '[{"minResource":{"cpu":"1","memory":"2Gi"},"name":"headgroup","minMember":1},'
        '{"minResource":{"cpu":"1","memory":"1Gi"},"name":"worker","minMember":2}]'
    )
    assert made.annotations["yunikorn.apache.org/task-group-name"] == "headgroup"


def test_the_sample_of_kai_names_its_queue() -> None:
    assert Made(sample("ray-cluster.kai-scheduler"), KAI).labels == {
        "kai.scheduler/queue": "team-a"
    }


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("ray-cluster.*.yaml")), ids=lambda at: at.stem)
def test_every_sample_can_be_a_gang(path: Path) -> None:
    cluster = sample(path.stem)
    spec = mapping_at(volcano_pod_group(cluster), "spec")

    assert isinstance(spec["minMember"], int)
    assert spec["minMember"] >= 1
    assert json.loads(json.dumps(spec)) == spec
