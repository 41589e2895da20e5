"""Admission reviews: what is understood, what is answered."""

import json
from typing import Any

import pytest

from services.webhook.messages import (
    CAUSES_MAX,
    PATHS,
    Request,
    Verdict,
    read_request,
    write_answer,
)
from shared.resources.problem import Problem
from tests.unit.services.webhook.reviews import cluster, review


def request(**more: Any) -> Request:
    return read_request(review(cluster("one"), **more), "RayCluster")


def answer(*problems: Problem, warnings: tuple[str, ...] = ()) -> dict[str, Any]:
    verdict = Verdict(problems=problems, warnings=warnings)
    whole: dict[str, Any] = json.loads(write_answer(request(), verdict))
    assert (whole["apiVersion"], whole["kind"]) == ("admission.k8s.io/v1", "AdmissionReview")
    response: dict[str, Any] = whole["response"]
    return response


def test_the_paths_are_those_that_kuberay_has_and_one_more() -> None:
    assert PATHS == {
        "/validate-ray-io-v1-raycluster": "RayCluster",
        "/validate-ray-io-v1-rayjob": "RayJob",
        "/validate-ray-io-v1-rayservice": "RayService",
        "/validate-ray-io-v1-raycronjob": "RayCronJob",
    }


def test_reads_what_somebody_wants_to_write() -> None:
    asked = request(operation="UPDATE", subResource="status", oldObject=cluster("old"))

    assert (asked.uid, asked.operation, asked.sub_resource) == ("u-1", "UPDATE", "status")
    assert asked.object == cluster("one")
    assert asked.old_object == cluster("old")


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"{", "this is no AdmissionReview: "),
        (b"[]", "this is no AdmissionReview: "),
        (b"{}", "this is no AdmissionReview: Object missing required field `apiVersion`"),
        (
            review(cluster()).replace(b"admission.k8s.io/v1", b"admission.k8s.io/v1beta1"),
            "this is admission.k8s.io/v1beta1 AdmissionReview; admission.k8s.io/v1",
        ),
        (review(cluster(), kind="RayJob"), "ray.io/RayJob is not judged here"),
    ],
)
def test_what_is_not_ours_is_told_so(body: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match="this is") as refused:
        read_request(body, "RayCluster")

    assert str(refused.value).startswith(sentence)


def test_what_is_right_is_allowed_without_a_word() -> None:
    assert answer() == {"uid": "u-1", "allowed": True}


def test_one_problem_is_told_as_kubernetes_would() -> None:
    told = answer(Problem(path="spec.a", message="must not be", hint="leave it out"))

    assert told == {
        "uid": "u-1",
        "allowed": False,
        "status": {
            "status": "Failure",
            "code": 422,
            "reason": "Invalid",
            "message": 'RayCluster.ray.io "one" is invalid: spec.a: must not be',
            "details": {
                "name": "one",
                "group": "ray.io",
                "kind": "RayCluster",
                "causes": [
                    {
                        "reason": "FieldValueInvalid",
                        "message": "must not be (leave it out)",
                        "field": "spec.a",
                    }
                ],
            },
        },
    }


def test_all_problems_are_told_the_first_first() -> None:
    status = answer(Problem(path="b", message="x"), Problem(path="a", message="is required"))[
        "status"
    ]

    assert status["message"] == 'RayCluster.ray.io "one" is invalid: [b: x, a: is required]'
    assert [(one["field"], one["reason"]) for one in status["details"]["causes"]] == [
        ("b", "FieldValueInvalid"),
        ("a", "FieldValueRequired"),
    ]


def test_endless_problems_are_cut() -> None:
    problems = [Problem(path=f"p{number}", message="x") for number in range(CAUSES_MAX + 7)]
    status = answer(*problems)["status"]

    assert len(status["details"]["causes"]) == CAUSES_MAX
    assert status["message"].endswith("p49: x, and 7 more]")


def test_warnings_are_shown_and_cut_where_the_api_server_would() -> None:
    told = answer(warnings=("short", "x" * 300))

    assert told["allowed"] is True
    assert told["warnings"] == ["short", "x" * 253 + "..."]
