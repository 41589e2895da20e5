"""Objects of the sample RayJob, against those worked out by hand from KubeRay's rules."""

from pathlib import Path

import pytest
import yaml

from services.reconciler.manifests.rayjob.cluster import raycluster_manifest
from services.reconciler.manifests.rayjob.service import job_head_service
from services.reconciler.manifests.rayjob.submitter import Attempt, submitter_job
from services.reconciler.manifests.rayjob.wished import cluster_as_wished
from shared.kernel.manifests import mapping_at
from shared.resources.defaulting import stored
from shared.resources.rayjob import RayJob
from shared.resources.reading import read_rayjob
from tests.support.builders import Raw
from tests.unit.services.reconciler.manifests.rayjob.attempts import SETTINGS

DATA = Path(__file__).resolve().parents[7] / "shared" / "data"
NAME = "rayjob-sample-<suffix>"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not here")


def expected(name: str) -> Raw:
    path = DATA / "expected" / "ray-job.sample" / f"{name}.yaml"
    read: Raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    return read


def sample() -> RayJob:
    text = (DATA / "kuberay-samples" / "ray-job.sample.yaml").read_text(encoding="utf-8")
    raw = next(raw for raw in yaml.safe_load_all(text) if raw["kind"] == "RayJob")
    raw["metadata"] |= {"namespace": "default", "uid": "<rayjob-uid>"}
    job = read_rayjob(stored(raw))
    assert isinstance(job, RayJob)
    return job


def attempt() -> Attempt:
    job = sample()
    cluster = cluster_as_wished(job, NAME)
    assert cluster is not None
    address = f"{NAME}-head-svc.default.svc.cluster.local:8265"
    return Attempt(job=job, cluster=cluster, job_id=NAME, address=address)


def test_makes_the_expected_submitter() -> None:
    """RayJob checklist 30, 95: the whole Job, its line included."""
    assert submitter_job(attempt(), SETTINGS) == expected("submitter-job")


def test_makes_the_expected_head_service() -> None:
    """RayJob checklist 10: the ports that the sample's head names."""
    assert job_head_service(attempt(), SETTINGS) == expected("rayjob-head-service")


def test_makes_the_expected_cluster() -> None:
    """RayJob checklist 3: labels, owner, and the spec as it is stored."""
    made = raycluster_manifest(attempt(), SETTINGS, restarts=False)
    wanted = {
        key: value
        for key, value in mapping_at(expected("raycluster"), "metadata").items()
        if key != "annotations"
    }
    spec = sample().spec.ray_cluster_spec
    assert spec is not None

    assert mapping_at(made, "metadata") == wanted
    assert made["spec"] == spec.as_written()
