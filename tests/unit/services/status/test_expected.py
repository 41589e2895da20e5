"""The status of sample manifests once all is ready, against what was worked out by hand.

Compared as the notes beside the expectations say: empty counts as absent, runtime values masked.
Samples and expectations lie beside the checkout and are not ours to keep.
"""

from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

from services.reconciler.manifests.services import head_service
from services.reconciler.manifests.settings import ManifestSettings
from services.status.conditions.raycluster import assess_raycluster
from services.status.reading import readable_cluster
from shared.events.objects import PodSeen, ServicePort, ServiceSeen
from shared.kernel.manifests import entries_at
from shared.resources.defaulting import stored
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster
from tests.support.builders import UID, act, head, resource, service, worker
from tests.support.history import History

DATA = Path(__file__).resolve().parents[5] / "shared" / "data"
TIME, ADDRESS = "2030-01-01T12:00:00Z", "10.1.0.9"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="../shared/data with samples and expectations is not here"
)


def sample_of(name: str) -> dict[str, Any]:
    text = (DATA / "kuberay-samples" / f"{name}.yaml").read_text(encoding="utf-8")
    raw = next(raw for raw in yaml.safe_load_all(text) if raw["kind"].startswith("Ray"))
    spec = raw["spec"].get("rayClusterSpec", raw["spec"])
    meta = {"name": "demo", "namespace": "prod", "uid": UID}
    return stored({"metadata": meta, "spec": spec})


def service_of(raw: dict[str, Any]) -> ServiceSeen:
    """Return the head service as the API server would show it: targets filled in."""
    cluster = read_raycluster(raw)
    assert isinstance(cluster, RayCluster)
    made = head_service(cluster, ManifestSettings(version="v0.0.0"))
    ports = [
        ServicePort(
            name=str(port["name"]), port=int(str(port["port"])), target=int(str(port["port"]))
        )
        for port in entries_at(made, "spec", "ports")
    ]
    return replace(service(), cluster_ip="None", ports=tuple(ports))


def expected(name: str) -> object:
    raw = yaml.safe_load((DATA / "expected" / name / "status-ready.yaml").read_text("utf-8"))
    told = raw["status"]
    told["head"] |= {"podName": head().meta.name, "serviceName": "demo-head-svc"}
    return compact(masked(told))


def masked(value: object) -> object:
    if isinstance(value, dict):
        return {key: masked(each) for key, each in value.items() if key != "lastUpdateTime"}
    if isinstance(value, list):
        return [masked(each) for each in value]
    known = {"<time>": TIME, "<head-pod-ip>": ADDRESS, "<generation>": 1}
    return known.get(value, value) if isinstance(value, str) else value


def compact(value: object) -> object:
    """Leave out what is empty or zero."""
    if isinstance(value, dict):
        return {key: compact(each) for key, each in value.items() if each not in ({}, [], "", 0)}
    return [compact(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("name", "workers"),
    [("ray-cluster.sample", 1), ("ray-cluster.autoscaler-v2", 0), ("ray-job.sample", 1)],
)
def test_is_told_as_worked_out_by_hand(name: str, workers: int) -> None:
    raw = sample_of(name)
    pods: list[PodSeen] = [worker(f"w{number}") for number in range(workers)]
    history = History()
    history.sees(resource(raw["spec"]), service_of(raw), replace(head(), ip=ADDRESS), *pods)
    history.acts(act())
    view = history.view()

    assert compact(assess_raycluster(view, readable_cluster(view))) == expected(name)
