"""What a webhook is told, and what its answer means."""

from typing import Any

import pytest
from msgspec.structs import replace

from sandbox.access.users import ADMIN
from sandbox.errors import ApiError
from sandbox.hooks.questions import NoAnswerError, Question, failed, no_dry_runs, review, verdict
from sandbox.kinds import Kind, Version

THING = Kind(
    kind="Thing",
    plural="things",
    group="x.io",
    custom=True,
    versions=(Version(name="v1"), Version(name="v1beta1", storage=False)),
)
QUESTION = Question(
    uid="17",
    operation="UPDATE",
    kind=THING,
    version="v1beta1",
    subresource="status",
    namespace="stage",
    name="t",
    user=ADMIN,
    dry_run=True,
    new={"apiVersion": "x.io/v1beta1", "kind": "Thing"},
    old={"apiVersion": "x.io/v1", "kind": "Thing"},
)


def answer(**response: Any) -> Any:
    api = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
    return {**api, "response": {"uid": "17", **response}}


def test_everything_is_told_in_the_version_that_was_asked_for() -> None:
    told = review(QUESTION, "v1")["request"]

    assert (told["object"]["apiVersion"], told["oldObject"]["apiVersion"]) == ("x.io/v1", "x.io/v1")
    assert told["requestResource"] == {"group": "x.io", "version": "v1beta1", "resource": "things"}
    assert (told["subResource"], told["dryRun"], told["operation"]) == ("status", True, "UPDATE")
    assert told["userInfo"]["username"] == "system:admin"
    assert "subResource" not in review(replace(QUESTION, subresource=""), "v1")["request"]


def test_who_agrees_may_warn() -> None:
    assert verdict("judge", QUESTION, answer(allowed=True, warnings=["mind"])) == ("mind",)


@pytest.mark.parametrize(
    ("status", "code", "told"),
    [
        ({"code": 422, "message": "too big"}, 422, "denied the request: too big"),
        ({"reason": "Forbidden"}, 400, "denied the request: Forbidden"),
        ({}, 400, "denied the request without explanation"),
    ],
)
def test_who_does_not_agree_is_quoted(status: Any, code: int, told: str) -> None:
    with pytest.raises(ApiError) as refused:
        verdict("judge", QUESTION, answer(allowed=False, status=status))

    assert refused.value.code == code
    assert str(refused.value) == f'admission webhook "judge" {told}'


@pytest.mark.parametrize(
    ("said", "because"),
    [
        ("ok", "absent"),
        ({"response": None}, "absent"),
        ({**answer(allowed=True), "kind": "Thing"}, "expected webhook response of"),
        (answer(uid="18", allowed=True), 'expected response.uid="17", got "18"'),
    ],
)
def test_what_is_no_answer_is_told(said: Any, because: str) -> None:
    with pytest.raises(NoAnswerError, match=because):
        verdict("judge", QUESTION, said)


def test_a_failure_names_the_webhook() -> None:
    assert str(failed("judge", "gone")) == (
        'Internal error occurred: failed calling webhook "judge": failed to call webhook: gone'
    )
    assert no_dry_runs("judge").code == 400
