"""What was asked and answered, in people's words; silence where nothing changed."""

import pytest
from msgspec.structs import replace

from heliograph.views.answers import answer_text
from shared.events.told import ApplicationTold, HealthTold, JobTold, Looked, ServeTold, Told
from tests.support.builders import NOON, cluster_spec
from tests.support.rayjobs import cluster

FOUND = JobTold(job_id="train-1", since=NOON, answer="found", status="RUNNING")
LOOKED = Looked(
    kind="raycluster", since=NOON, objects=(cluster("shared", cluster_spec(), version=5),)
)
SERVE = ServeTold(since=NOON, answer="found", applications={"a": ApplicationTold(status="RUNNING")})
HEALTH = HealthTold(since=NOON, pod="p", ip="10.0.0.1", healthy=True)

WORDS: list[tuple[Told, str]] = [
    (FOUND, "Ray job train-1 is RUNNING"),
    (replace(FOUND, status="FAILED", message="boom"), "Ray job train-1 is FAILED: boom"),
    (replace(FOUND, answer="missing"), "Ray job train-1 is not known to Ray"),
    (
        replace(FOUND, answer="failed", failure="timeout"),
        "Ray job train-1: nobody can tell (timeout)",
    ),
    (replace(FOUND, job_id="", answer="missing"), "the Ray job is not known to Ray"),
    (LOOKED, "raycluster shared is there"),
    (replace(LOOKED, objects=()), "there is no such raycluster"),
    (SERVE, "Serve: a is RUNNING"),
    (replace(SERVE, applications={}), "Serve runs nothing"),
    (
        replace(SERVE, answer="failed", failure="unreachable"),
        "Serve: nobody can tell (unreachable)",
    ),
    (HEALTH, "the Serve proxy of pod p is well"),
    (replace(HEALTH, healthy=False), "the Serve proxy of pod p is not well"),
    (replace(HEALTH, healthy=False, silent=True), "the Serve proxy of pod p does not answer"),
]


@pytest.mark.parametrize(("told", "words"), WORDS)
def test_an_answer_in_words(told: Told, words: str) -> None:
    assert answer_text(None, told) == words


@pytest.mark.parametrize("told", [told for told, _ in WORDS])
def test_the_same_again_is_not_told(told: Told) -> None:
    assert answer_text(told, told) == ""


def test_a_new_moment_is_no_news_but_a_new_state_is() -> None:
    again = replace(FOUND, since=NOON.replace(hour=13))

    assert answer_text(FOUND, again) == ""
    assert answer_text(FOUND, replace(again, status="SUCCEEDED")) == "Ray job train-1 is SUCCEEDED"
