"""One question for all kinds: shape first, then sense, in order; and nothing crashes it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.kernel.features import GATES, Features
from shared.kernel.manifests import text_at
from shared.resources.reading import KINDS
from shared.validation.check import DEPTH_MAX, check, ours
from tests.support.rayclusters import head, template, workers
from tools.fuzz_reading import good, run

Fields = dict[str, Any]

OPEN = Features(enabled=frozenset(GATES))
CLUSTER: Fields = {"headGroupSpec": head()}
SPECS: dict[str, Fields] = {
    "RayCluster": CLUSTER,
    "RayJob": {"rayClusterSpec": CLUSTER},
    "RayService": {"rayClusterConfig": CLUSTER},
    "RayCronJob": {"schedule": "@daily", "jobTemplate": {"rayClusterSpec": CLUSTER}},
}
AT_CLUSTER = {
    "RayCluster": "spec",
    "RayJob": "spec.rayClusterSpec",
    "RayService": "spec.rayClusterConfig",
    "RayCronJob": "spec.jobTemplate.rayClusterSpec",
}


def raw(kind: str = "RayCluster", /, **fields: object) -> Fields:
    given = {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": "demo"}}
    return {**given, "spec": SPECS.get(kind), **fields}


def told(value: object) -> list[tuple[str, str]]:
    return [(problem.path, problem.message) for problem in check(value, Features())]


@pytest.mark.parametrize("kind", KINDS)
def test_a_small_resource_of_each_kind_is_fine(kind: str) -> None:
    assert told(raw(kind)) == []


@pytest.mark.parametrize("kind", ["RayCluster", "RayJob", "RayService"])
def test_the_older_version_is_held_to_the_same_rules(kind: str) -> None:
    old = raw(kind, apiVersion="ray.io/v1alpha1")

    assert told(old) == []
    assert told({**old, "metadata": {"name": "A"}}) == told(raw(kind, metadata={"name": "A"})) != []


@pytest.mark.parametrize(
    ("kind", "version", "message"),
    [
        ("RayCluster", "ray.io/v2", "ray.io/v2 is not served for RayCluster: write ray.io/v1"),
        (
            "RayCronJob",
            "ray.io/v1alpha1",
            "ray.io/v1alpha1 is not served for RayCronJob: write ray.io/v1",
        ),
        ("RayJob", None, "no version is not served for RayJob: write ray.io/v1"),
    ],
)
def test_a_version_must_be_served(kind: str, version: str | None, message: str) -> None:
    assert told(raw(kind, apiVersion=version)) == [("apiVersion", message)]


@pytest.mark.parametrize("value", [None, 7, "text", [], [{}]])
def test_what_is_no_object_is_told(value: object) -> None:
    assert told(value) == [("", "should be an object with fields")]


def test_an_unknown_kind_is_told() -> None:
    kinds = "RayCluster, RayJob, RayService, RayCronJob"

    assert told(raw("RayTrain")) == [
        ("kind", f"RayTrain is not known to this version: there are {kinds}")
    ]
    assert told({}) == [("kind", f"no kind is not known to this version: there are {kinds}")]


@pytest.mark.parametrize(
    ("version", "kind", "is_ours"),
    [
        ("ray.io/v1", "Anything", True),
        ("ray.io/v9", "RayCluster", True),
        ("", "RayJob", True),
        ("", "Pod", False),
        ("ray.example.com/v1", "RayJob", False),
        ("v1", "ConfigMap", False),
    ],
)
def test_the_group_tells_whose_object_it_is(version: str, kind: str, is_ours: bool) -> None:
    assert ours({"apiVersion": version, "kind": kind}) is is_ours


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_shape_ends_the_search(kind: str) -> None:
    wanted = raw(kind, metadata={"name": "A", "labels": 7}, spec=7)

    assert [path for path, _ in told(wanted)] == ["metadata.labels", "spec"]


def test_defaults_count_as_if_they_were_stored() -> None:
    unbound = {"groupName": "small", "template": template()}

    for kind in KINDS:
        cluster = {**CLUSTER, "workerGroupSpecs": [unbound]}
        assert told(raw(kind, spec=_with_cluster(kind, cluster))) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_cluster_is_judged_wherever_it_stands(kind: str) -> None:
    cluster = {**CLUSTER, "workerGroupSpecs": [workers(minReplicas=9)]}

    (problem,) = check(raw(kind, spec=_with_cluster(kind, cluster)), Features())

    assert problem.path == f"{AT_CLUSTER[kind]}.workerGroupSpecs[0].minReplicas"
    assert problem.rule == "RayCluster.replica-order"
    assert problem.message.endswith("has minReplicas 9 greater than maxReplicas 3")


def _with_cluster(kind: str, cluster: Fields) -> Fields:
    if kind == "RayCluster":
        return cluster
    if kind == "RayCronJob":
        return {**SPECS[kind], "jobTemplate": {"rayClusterSpec": cluster}}
    return {next(iter(SPECS[kind])): cluster}


def test_a_name_that_will_be_made_up_is_judged_by_its_beginning() -> None:
    assert told(raw("RayJob", metadata={"generateName": "nightly-"})) == []
    assert [path for path, _ in told(raw("RayJob", metadata={"generateName": "a" * 50}))] == [
        "metadata.generateName"
    ]
    assert [
        path for path, _ in told(raw("RayJob", metadata={"generateName": "a-", "name": 7}))
    ] == ["metadata.name"]


def test_status_comes_last() -> None:
    wanted = raw("RayJob", metadata={"name": "A"}, status={"jobDeploymentStatus": "Waiting"})

    assert [problem.rule for problem in check(wanted, Features())] == [
        "RayJob.name-letters",
        "RayJob.waiting",
    ]


def test_what_is_too_deep_is_told_and_not_walked() -> None:
    deep: object = "end"
    for _ in range(100_000):
        deep = [deep]

    assert told(raw(x=deep)) == [("", f"is nested deeper than {DEPTH_MAX} levels")]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=20,
)
PARTS = st.fixed_dictionaries(
    {
        "apiVersion": st.sampled_from(["ray.io/v1", "ray.io/v1alpha1"]),
        "kind": st.sampled_from(KINDS),
    },
    optional={"metadata": JSON, "spec": JSON, "status": JSON},
)


@given(JSON | PARTS)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_no_value_crashes_it(value: object) -> None:
    for problem in check(value, OPEN):
        assert problem.message


def test_no_mutated_manifest_crashes_it() -> None:
    met: set[str] = set()
    for _, problems in run(800, 4, rules=True):
        met |= {problem.rule for problem in problems}
        assert all(problem.message for problem in problems)
    assert len(met - {""}) > 60, "mutations meet too few rules to prove much"


def test_what_mutations_start_from_is_fine() -> None:
    assert {text_at(each, "kind") for each in good()} == set(KINDS)
    assert [problem for each in good() for problem in check(each, OPEN)] == []
