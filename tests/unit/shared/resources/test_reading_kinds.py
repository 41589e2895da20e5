"""Reading every kind: whole, lossless, and with problems that name the path and the reason."""

import copy
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from shared.kernel.manifests import text_at
from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster
from shared.resources.raycronjob import RayCronJob
from shared.resources.rayjob import RayJob
from shared.resources.rayservice import RayService
from shared.resources.reading import (
    KINDS,
    read,
    read_raycluster,
    read_raycronjob,
    read_rayjob,
    read_rayservice,
)

SAMPLES = Path(__file__).resolve().parents[5] / "shared" / "data" / "kuberay-samples"
SAMPLE_COUNT = 69
CLUSTER: dict[str, object] = {"headGroupSpec": {"template": {"spec": {}}}, "somethingNew": 1}
RULE: dict[str, object] = {"policy": "DeleteSelf", "condition": {"jobStatus": "FAILED"}}
JOB: dict[str, object] = {
    "entrypoint": "python job.py",
    "entrypointNumCpus": 1,
    "entrypointNumGpus": 0.5,
    "runtimeEnvYAML": "pip: [requests]",
    "metadata": {"team": "vision"},
    "rayClusterSpec": CLUSTER,
    "deletionStrategy": {"deletionRules": [RULE]},
    "somethingNew": {"deep": [1, 2]},
}
SERVICE: dict[str, object] = {
    "serveConfigV2": "applications: []",
    "rayClusterConfig": CLUSTER,
    "upgradeStrategy": {"type": "NewCluster", "clusterUpgradeOptions": {"stepSizePercent": 0}},
    "somethingNew": [],
}
CRON: dict[str, object] = {"schedule": "@hourly", "jobTemplate": JOB, "suspend": False}
SPECS = {"raycluster": CLUSTER, "rayjob": JOB, "rayservice": SERVICE, "raycronjob": CRON}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        *("metadata", "spec", "status", "jobTemplate", "rayClusterSpec", "rayClusterConfig"),
        *("deletionStrategy", "deletionRules", "condition", "entrypointNumCpus", "schedule"),
        *("clusterSelector", "upgradeStrategy", "serveService", "conditions", "suspend"),
    ]
)


def sample_resources() -> list[object]:
    found: list[object] = []
    for path in sorted(SAMPLES.rglob("*.yaml")):
        documents = yaml.load_all(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        ours = (raw for raw in documents if raw and raw["kind"] in KINDS)
        found += [pytest.param(raw, id=f"{path.stem}-{raw['kind']}") for raw in ours]
    return found or [pytest.param({}, marks=pytest.mark.skip("no samples beside the checkout"))]


def told(outcome: object) -> list[tuple[str, str]]:
    assert isinstance(outcome, tuple), outcome
    return [(str(problem), problem.reason) for problem in outcome]


@pytest.mark.parametrize("raw", sample_resources())
def test_reads_every_sample_of_kuberay_without_loss(raw: dict[str, object]) -> None:
    before = copy.deepcopy(raw)

    resource = read(text_at(raw, "kind").lower(), raw)

    assert not isinstance(resource, tuple), resource
    assert resource.as_written() == before == raw
    assert resource.spec_as_written() == before["spec"]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="../shared/data/kuberay-samples is not here")
def test_no_sample_of_our_kinds_is_left_out() -> None:
    assert len(sample_resources()) == SAMPLE_COUNT


@pytest.mark.parametrize("word", SPECS)
@pytest.mark.parametrize("version", ["v1", "v1alpha1"])
def test_keeps_everything_that_was_written(word: str, version: str) -> None:
    raw = {
        "apiVersion": f"ray.io/{version}",
        "metadata": {"name": "demo", "uid": "u", "labels": {"a": "b"}, "managedFields": [{}]},
        "spec": SPECS[word],
        "status": {"anything": [1]},
    }

    resource = read(word, raw)

    assert not isinstance(resource, tuple), resource
    assert resource.as_written() == raw
    assert (resource.name, resource.namespace, resource.uid) == ("demo", "default", "u")
    assert (resource.labels, resource.annotations, resource.status) == (
        {"a": "b"},
        {},
        {"anything": [1]},
    )


def test_knows_each_kind_by_its_word() -> None:
    read_as = {word: type(read(word, {"spec": spec})).__name__ for word, spec in SPECS.items()}

    assert read_as == {kind.lower(): kind for kind in KINDS}
    assert read("raytrain", {}) == (
        Problem(
            path="kind",
            message="'raytrain' is none of raycluster, rayjob, rayservice, raycronjob",
        ),
    )


def test_fills_in_what_zero_and_absent_mean_for_a_job() -> None:
    job = read_rayjob({"spec": {"clusterSelector": {"ray.io/cluster": "shared"}}})

    assert isinstance(job, RayJob)
    spec = job.spec
    assert (spec.submission_mode, spec.ttl_seconds_after_finished) == ("K8sJobMode", 0)
    absent = (spec.backoff_limit, spec.active_deadline_seconds, spec.deletion_strategy)
    assert (absent, spec.suspend, spec.entrypoint) == ((None, None, None), None, None)
    assert spec.selected_cluster == "shared"


@pytest.mark.parametrize(
    ("selector", "chosen"),
    [({}, None), (None, None), ({"ray.io/cluster": ""}, ""), ({"team": "a"}, "")],
)
def test_a_selector_that_names_no_cluster_differs_from_none(
    selector: object, chosen: str | None
) -> None:
    job = read_rayjob({"spec": {"clusterSelector": selector}})

    assert isinstance(job, RayJob)
    assert job.spec.selected_cluster == chosen


def test_tells_empty_rules_from_absent_rules() -> None:
    empty = read_rayjob({"spec": {"deletionStrategy": {"deletionRules": []}}})
    absent = read_rayjob({"spec": {"deletionStrategy": {}}})

    assert isinstance(empty, RayJob)
    assert isinstance(absent, RayJob)
    strategies = [each.spec.deletion_strategy for each in (empty, absent)]
    assert [each and each.deletion_rules for each in strategies] == [(), None]


def test_the_cluster_of_a_job_and_of_a_service_is_that_of_a_cluster() -> None:
    cluster, job = read_raycluster({"spec": CLUSTER}), read_rayjob({"spec": JOB})
    service, cron = read_rayservice({"spec": SERVICE}), read_raycronjob({"spec": CRON})

    assert isinstance(cluster, RayCluster)
    assert isinstance(job, RayJob)
    assert isinstance(service, RayService)
    assert isinstance(cron, RayCronJob)
    assert cluster.spec == job.spec.ray_cluster_spec == service.spec.ray_cluster_config
    assert cron.spec.job_template == job.spec


def test_names_every_path_of_a_job_that_is_wrong() -> None:
    rules = [{"policy": "DeleteAll"}, {"policy": "DeleteSelf", "condition": {"jobStatus": "DONE"}}]
    spec = {
        "entrypointNumCpus": "1",
        "entrypointNumGpus": True,
        "clusterSelector": {"ray.io/cluster": 3},
        "rayClusterSpec": {"headGroupSpec": {}},
        "deletionStrategy": {"deletionRules": rules},
    }
    rule = "spec.deletionStrategy.deletionRules"
    policies = "'DeleteCluster', 'DeleteWorkers', 'DeleteSelf' or 'DeleteNone'"

    assert told(read_rayjob({"metadata": {"name": 1}, "spec": spec})) == [
        ("metadata.name: should be text, not a number", "InvalidRayJobMetadata"),
        ("spec.entrypointNumCpus: should be a number, not text", "InvalidRayJobSpec"),
        ("spec.entrypointNumGpus: should be a number, not true or false", "InvalidRayJobSpec"),
        ("spec.rayClusterSpec.headGroupSpec.template: is required", "InvalidRayJobSpec"),
        (
            "spec.clusterSelector['ray.io/cluster']: should be text, not a number",
            "InvalidRayJobSpec",
        ),
        (f"{rule}[0].policy: should be {policies}, not text", "InvalidRayJobSpec"),
        (f"{rule}[0].condition: is required", "InvalidRayJobSpec"),
        (
            f"{rule}[1].condition.jobStatus: should be 'SUCCEEDED' or 'FAILED', not text",
            "InvalidRayJobSpec",
        ),
    ]


def test_names_the_paths_of_the_other_kinds_with_their_own_reasons() -> None:
    assert told(read_rayservice({"metadata": 3, "spec": {"suspend": 1}})) == [
        ("metadata: should be an object, not a number", "InvalidRayServiceMetadata"),
        ("spec.rayClusterConfig: is required", "InvalidRayServiceSpec"),
        ("spec.suspend: should be true or false, not a number", "InvalidRayServiceSpec"),
    ]
    assert told(read_raycronjob({"metadata": 3, "spec": {"jobTemplate": {"suspend": "no"}}})) == [
        ("metadata: should be an object, not a number", "InvalidRayCronJobSpec"),
        ("spec.schedule: is required", "InvalidRayCronJobSpec"),
        ("spec.jobTemplate.suspend: should be true or false, not text", "InvalidRayCronJobSpec"),
    ]


@pytest.mark.parametrize("number", [float("nan"), float("inf"), "2", [], True])
def test_a_number_is_a_number(number: object) -> None:
    assert isinstance(read_rayjob({"spec": {"entrypointNumCpus": number}}), tuple)


@given(
    st.sampled_from(sorted(SPECS)),
    st.dictionaries(FIELDS, st.dictionaries(FIELDS, st.dictionaries(FIELDS, JSON) | JSON) | JSON),
)
def test_never_raises(word: str, raw: dict[str, object]) -> None:
    outcome = read(word, raw)

    if isinstance(outcome, tuple):
        assert all(problem.message for problem in outcome)
