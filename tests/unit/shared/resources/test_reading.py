"""Reading a RayCluster: whole, lossless, and with problems that name the path."""

import copy
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster
from shared.resources.reading import path_text, read_raycluster

SAMPLES = Path(__file__).resolve().parents[5] / "shared" / "data" / "kuberay-samples"
RAW: dict[str, object] = {
    "apiVersion": "ray.io/v1",
    "kind": "RayCluster",
    "metadata": {"name": "demo", "managedFields": [{"manager": "kubectl"}]},
    "spec": {
        "headGroupSpec": {"template": {"spec": {"containers": [{"name": "ray"}]}}, "future": 1},
        "workerGroupSpecs": [{"groupName": "small", "template": {}, "replicas": 0}],
        "authOptions": {"enableK8sTokenAuth": True},
        "somethingNew": {"deep": [1, 2]},
    },
}
SIZE = "spec.gcsFaultToleranceOptions.storage.size"
GROUPS = "spec.workerGroupSpecs"
HEAD: dict[str, object] = {"headGroupSpec": {"template": {}}}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["metadata", "spec", "headGroupSpec", "template", "workerGroupSpecs", "replicas", "suspend"]
)


def read(raw: dict[str, object]) -> RayCluster:
    cluster = read_raycluster(raw)
    assert isinstance(cluster, RayCluster), cluster
    return cluster


def sample_clusters() -> list[object]:
    found: list[object] = []
    for path in sorted(SAMPLES.glob("ray-cluster*.yaml")):
        documents = yaml.load_all(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        found += [
            pytest.param(raw, id=path.stem) for raw in documents if raw["kind"] == "RayCluster"
        ]
    return found or [pytest.param({}, marks=pytest.mark.skip("no samples beside the checkout"))]


def sized(**more: object) -> dict[str, object]:
    return HEAD | {"workerGroupSpecs": [{"groupName": "small", "template": {}, **more}]}


def test_keeps_everything_that_was_written() -> None:
    assert read(RAW).as_written() == RAW


@pytest.mark.parametrize("raw", sample_clusters())
def test_reads_every_sample_without_loss(raw: dict[str, object]) -> None:
    before = copy.deepcopy(raw)

    assert read(raw).as_written() == before == raw


def test_tells_absent_from_zero() -> None:
    cluster = read(RAW)

    group = cluster.groups[0]
    absent = (cluster.spec.suspend, group.min_replicas, group.max_replicas, group.suspend)
    assert (absent, group.replicas) == ((None, None, None, None), 0)


def test_reads_null_as_absent() -> None:
    head: dict[str, object] = {"template": {}, "rayStartParams": None}
    spec = {"headGroupSpec": head, "suspend": None}

    cluster = read({"metadata": None, "spec": spec})

    assert (dict(cluster.head.ray_start_params), cluster.spec.suspend) == ({}, None)
    assert cluster.as_written() == {"spec": {"headGroupSpec": {"template": {}}}}


def test_reads_the_old_version_like_the_new() -> None:
    old = read({**RAW, "apiVersion": "ray.io/v1alpha1"})

    assert old.spec == read(RAW).spec


def test_cannot_be_changed() -> None:
    cluster = read(RAW)

    with pytest.raises(ValidationError, match="frozen"):
        cluster.spec.suspend = True


def test_names_every_path_that_is_wrong() -> None:
    spec: dict[str, object] = {
        "headGroupSpec": {"template": 3, "rayStartParams": {"num-cpus": 1}},
        "workerGroupSpecs": [{"groupName": "a", "template": {}, "replicas": "3"}, {}],
        "autoscalerOptions": {"version": "v3"},
        "suspend": "yes",
        "gcsFaultToleranceOptions": {"storage": {"size": "much"}},
    }

    problems = read_raycluster({"spec": spec})

    assert isinstance(problems, tuple)
    assert [str(problem) for problem in problems] == [
        "spec.headGroupSpec.template: should be an object with fields, not a number",
        "spec.headGroupSpec.rayStartParams['num-cpus']: should be text, not a number",
        "spec.workerGroupSpecs[0].replicas: should be a whole number, not text",
        "spec.workerGroupSpecs[1].template: is required",
        "spec.workerGroupSpecs[1].groupName: is required",
        "spec.autoscalerOptions.version: should be 'v1' or 'v2', not text",
        "spec.suspend: should be true or false, not text",
        f"{SIZE}: should be a quantity such as 500m or 2Gi, not text",
    ]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (3, "spec: should be an object, not a number"),
        ({"headGroupSpec": "x"}, "spec.headGroupSpec: should be an object, not text"),
        (HEAD | {"workerGroupSpecs": {}}, f"{GROUPS}: should be a list, not an object"),
        (HEAD | {"workerGroupSpecs": ["x"]}, f"{GROUPS}[0]: should be an object, not text"),
        (HEAD | {"rayVersion": 2.4}, "spec.rayVersion: should be text, not a number"),
        (HEAD | {"rayVersion": ["2"]}, "spec.rayVersion: should be text, not a list"),
        (HEAD | {"suspend": 2}, "spec.suspend: should be true or false, not a number"),
        (sized(replicas="x"), f"{GROUPS}[0].replicas: should be a whole number, not text"),
        (sized(replicas=1.5), f"{GROUPS}[0].replicas: should be a whole number, not a number"),
        (
            sized(minReplicas={}),
            f"{GROUPS}[0].minReplicas: should be a whole number, not an object",
        ),
        (sized(rayStartParams=[]), f"{GROUPS}[0].rayStartParams: should be an object, not a list"),
    ],
)
def test_tells_a_wrong_shape_in_the_words_of_manifests(spec: object, told: str) -> None:
    problems = read_raycluster({"spec": spec})

    assert isinstance(problems, tuple)
    assert [str(problem) for problem in problems] == [told]


def test_misses_the_spec() -> None:
    assert read_raycluster({}) == (
        Problem(path="spec", message="is required", reason="InvalidRayClusterSpec"),
    )


@given(st.dictionaries(FIELDS, st.dictionaries(FIELDS, JSON) | JSON))
def test_never_raises(raw: dict[str, object]) -> None:
    outcome = read_raycluster(raw)

    assert isinstance(outcome, RayCluster) or all(problem.message for problem in outcome)


def test_writes_paths_as_users_do() -> None:
    assert path_text(["spec", "groups", 0, "labels", "a/b"]) == "spec.groups[0].labels['a/b']"
