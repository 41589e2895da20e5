"""Faults on purpose: from a seed, before or after the deed."""

import pytest

from sandbox.errors import AnswerLostError, ApiError
from sandbox.faults import LOSE_ANSWER, Fault, FaultRates, Refuse, no_faults, seeded_faults
from sandbox.requests import Request
from tests.unit.sandbox.widgets import cluster, configmap

WRITE = Request(verb="create", resource="pods")
READ = Request(verb="get", resource="pods")


def fates(seed: str, rates: FaultRates, request: Request = WRITE) -> list[str]:
    plan = seeded_faults(seed, rates)
    return [type(plan(request)).__name__ for _ in range(200)]


def test_the_same_seed_gives_the_same_fates() -> None:
    rates = FaultRates(refused=200, throttled=200, answer_lost=200)

    assert fates("a", rates) == fates("a", rates)
    assert set(fates("a", rates)) == {"Refuse", "LoseAnswer", "NoneType"}


def test_reads_do_not_lose_their_answers() -> None:
    assert set(fates("a", FaultRates(answer_lost=1000), READ)) == {"NoneType"}


def test_a_refused_request_changes_nothing() -> None:
    ours = cluster()
    ours.faults = lambda _: Refuse(error=ApiError.too_many_requests())

    with pytest.raises(ApiError, match="too many requests"):
        ours.create("configmaps", configmap())
    ours.faults = no_faults
    assert ours.list("configmaps").items == ()


def test_a_lost_answer_comes_after_the_deed() -> None:
    ours = cluster()

    def lose_creations(request: Request) -> Fault | None:
        return LOSE_ANSWER if request.verb == "create" else None

    ours.faults = lose_creations
    with pytest.raises(AnswerLostError):
        ours.create("configmaps", configmap())
    assert [each["metadata"]["name"] for each in ours.list("configmaps").items] == ["one"]
