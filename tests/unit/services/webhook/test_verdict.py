"""What may be stored, what not, and what passes although it is wrong."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.webhook.messages import Verdict, read_request, write_answer
from services.webhook.verdict import judge
from shared.kernel.features import Features
from shared.kernel.manifests import Raw
from shared.resources.problem import Problem
from shared.validation.check import check
from tests.unit.services.webhook.reviews import cluster, review

TWICE = ("a", "a")
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
KINDS = ("RayCluster", "RayJob", "RayService", "RayCronJob")


def verdict(raw: dict[str, Any] | None, **more: Any) -> Verdict:
    return judge(read_request(review(raw, **more), "RayCluster"), check, Features())


def paths(found: Verdict) -> list[str]:
    return [problem.path for problem in found.problems]


def test_what_is_right_passes() -> None:
    assert verdict(cluster(groups=("a", "b"))) == Verdict()


@pytest.mark.parametrize("operation", ["CREATE", "UPDATE"])
def test_what_is_wrong_does_not_with_all_of_it_told(operation: str) -> None:
    found = verdict(cluster("1" + "x" * 60, groups=TWICE), operation=operation)

    assert not found.allowed
    assert paths(found)[0] == "metadata.name"
    assert any(path.startswith("spec.workerGroupSpecs[1]") for path in paths(found))


def test_what_cannot_be_read_is_told_by_its_path() -> None:
    raw = cluster()
    raw["spec"]["headGroupSpec"] = "big"

    assert paths(verdict(raw)) == ["spec.headGroupSpec"]


def test_a_status_is_not_judged() -> None:
    assert verdict(cluster(groups=TWICE), operation="UPDATE", subResource="status").allowed


@pytest.mark.parametrize("operation", ["DELETE", "CONNECT"])
def test_only_writing_is_judged(operation: str) -> None:
    assert verdict(cluster(groups=TWICE), operation=operation).allowed
    assert verdict(None, operation=operation).allowed


def test_what_is_being_deleted_may_go_however_wrong() -> None:
    going = cluster(groups=TWICE, deletionTimestamp="2030-01-01T00:00:00Z")

    assert verdict(going, operation="UPDATE", oldObject=cluster(groups=TWICE)).allowed


def test_what_was_wrong_before_is_a_warning() -> None:
    before, after = cluster(groups=TWICE), cluster(groups=TWICE, labels={"a": "b"})
    found = verdict(after, operation="UPDATE", oldObject=before)

    assert found.allowed
    assert [warning.split("]")[0] for warning in found.warnings] == [
        "was already wrong: spec.workerGroupSpecs[1"
    ]


def test_what_gets_worse_is_refused_for_what_is_new() -> None:
    after = cluster(groups=TWICE)
    after["spec"]["workerGroupSpecs"][0]["minReplicas"] = -1
    found = verdict(after, operation="UPDATE", oldObject=cluster(groups=TWICE))

    assert paths(found) == ["spec.workerGroupSpecs[0].minReplicas"]
    assert len(found.warnings) == 1


def test_who_writes_a_spec_is_not_blamed_for_a_status() -> None:
    def only_status(_: Raw, __: Features) -> tuple[Problem, ...]:
        return (Problem(path="status.conditions", message="x"),)

    request = read_request(review(cluster()), "RayCluster")

    assert judge(request, only_status, Features()).allowed


def test_gates_are_heeded() -> None:
    raw = cluster()
    raw["spec"]["networkPolicy"] = {"mode": "DenyAll"}
    request = read_request(review(raw), "RayCluster")
    opened = Features(enabled=Features().enabled | {"RayClusterNetworkPolicy"})

    assert not judge(request, check, Features()).allowed
    assert judge(request, check, opened).allowed


@given(kind=st.sampled_from(KINDS), metadata=ANYTHING, spec=ANYTHING, status=ANYTHING)
def test_whatever_is_written_gets_an_answer(
    kind: str, metadata: object, spec: object, status: object
) -> None:
    parts = {"metadata": metadata, "spec": spec, "status": status}
    raw = {"apiVersion": "ray.io/v1", "kind": kind, **parts}
    request = read_request(review(raw, kind=kind, operation="UPDATE", oldObject=raw), kind)

    found = judge(request, check, Features())

    assert found.allowed
    assert f'"uid":"{request.uid}","allowed":true' in write_answer(request, found).decode()
