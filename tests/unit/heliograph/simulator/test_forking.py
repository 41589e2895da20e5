"""What would have happened: real questions about recorded and lived histories."""

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from heliograph.simulator.forking import Answer, Asked, what_if
from heliograph.simulator.questions import QuestionError, read_question
from sandbox.controllers.rayrules import JobRule, RayScript
from sandbox.controllers.scenario import PodRule, Scenario
from shared.events.codec import encode  # noqa: F401 - for the other process
from shared.events.envelope import Record
from shared.kernel.features import CRON_JOB, parse_features
from shared.runtime.settings import RuleSettings, Settings
from tests.contract.test_histories import records_of
from tests.support.lived import after, creates, lived, looks
from tests.support.rayjobs import job_spec
from tests.support.rayservices import service_spec

FIRST = "raycluster/default/first"
TRAIN = "rayjob/default/train"
HOME = Path(__file__).resolve().parents[4]
WORLD = Scenario(
    otherwise=PodRule(run_after=3.0, ready_after=1.0),
    ray=RayScript(jobs=(JobRule(runs_for=20.0, exit_code=1),)),
)


def asked(
    records: Sequence[Record],
    at: int | datetime | None,
    *,
    resource: str = FIRST,
    minutes: float = 1.0,
    **question: object,
) -> Answer:
    document = {"resource": resource, **question}
    wish = Asked(question=read_question(document), at=at, lasts=timedelta(minutes=minutes), seed=1)
    return what_if(records, wish, lambda _: None)


def done(answer: Answer) -> list[str]:
    """What the operator did in the changed fork alone."""
    return [one.text for one in answer.comparison.only_other if one.what == "done"]


def ends(answer: Answer, resource: str = FIRST) -> tuple[str, str]:
    found = next(one for one in answer.comparison.endings if one.resource == resource)
    return found.base, found.other


def manifest(kind: str, name: str, spec: object) -> dict[str, object]:
    about = {"name": name, "namespace": "default"}
    return {"apiVersion": "ray.io/v1", "kind": kind, "metadata": about, "spec": spec}


@cache
def failed_job(mode: str = "HTTPMode") -> tuple[Record, ...]:
    """A job that runs from 5 s to 25 s and fails."""
    train = manifest("RayJob", "train", job_spec(mode))
    return lived((1.0, creates(train)), (50.0, looks), scenario=WORLD)


def test_nothing_otherwise_is_the_same_without_a_difference() -> None:
    answer = asked(records_of("worker-failed"), 30)

    assert answer.comparison.same
    assert answer.comparison.only_base == answer.comparison.only_other == ()
    assert answer.changes == ()


def test_a_group_scaled_to_nothing_loses_its_workers() -> None:
    answer = asked(records_of("worker-failed"), 30, groups={"small": {"replicas": 0}})

    base, other = ends(answer)
    assert not answer.comparison.ends_alike
    assert base == "raycluster first is ready; 1 of headgroup ready; 2 of small ready"
    assert other == "raycluster first is ready; 1 of headgroup ready"
    assert done(answer) == ["delete 2 workers of group small"]


def test_a_killed_head_is_made_anew() -> None:
    answer = asked(records_of("head-killed"), 26, pods=[{"group": "headgroup", "fate": "delete"}])

    assert not answer.comparison.same
    assert answer.comparison.ends_alike
    (text,) = done(answer)
    assert text.startswith("create pod first-head-")


def test_a_suspended_cluster_loses_every_pod() -> None:
    answer = asked(records_of("worker-failed"), 30, patch={"spec": {"suspend": True}})

    assert ends(answer)[1] == "raycluster first is suspended"


def test_an_operator_that_is_away_does_the_same_later() -> None:
    answer = asked(records_of("refused-by-quota"), 30, minutes=3, operator={"away": "1m"})

    assert answer.comparison.same
    assert 57 < answer.comparison.later < 62


def test_what_happens_later_finds_the_operator_at_work() -> None:
    evicted = [{"group": "small", "count": 1, "fate": "evict"}]
    answer = asked(records_of("worker-failed"), 30, after="20s", pods=evicted)

    times = {one.other for one in answer.comparison.only_other if one.what == "decided"}
    assert times == {20.0}
    assert len(done(answer)) == 2


def test_a_failed_job_with_another_try_left_is_tried_again() -> None:
    answer = asked(
        failed_job(),
        after(15),
        resource=TRAIN,
        minutes=2,
        patch={"spec": {"backoffLimit": 1}},
    )

    told = [one.text for one in answer.comparison.only_other if one.what == "told"]
    assert any("Running -> Retrying" in text for text in told)
    assert any(text.startswith("submit Ray job train-") for text in done(answer))
    assert ends(answer, TRAIN) == ("rayjob train is Failed (AppFailed)",) * 2


@pytest.mark.parametrize("mode", ["HTTPMode", "K8sJobMode"])
def test_a_job_that_ends_well_is_complete(mode: str) -> None:
    answer = asked(
        failed_job(mode), after(15), resource=TRAIN, dashboard={"jobs": "SUCCEEDED", "after": "5s"}
    )

    assert ends(answer, TRAIN) == (
        "rayjob train is Failed (AppFailed)",
        "rayjob train is Complete",
    )


def test_a_job_that_is_submitted_later_fares_as_asked_although_history_knows_its_end() -> None:
    question = {"jobs": "SUCCEEDED", "after": "5s"}
    answer = asked(failed_job(), after(3), resource=TRAIN, dashboard=question)

    assert ends(answer, TRAIN) == (
        "rayjob train is Failed (AppFailed)",
        "rayjob train is Complete",
    )


def test_a_job_that_has_ended_before_the_change_stays_as_it_is() -> None:
    question = {"jobs": "SUCCEEDED", "after": "5s"}
    answer = asked(failed_job(), after(3), resource=TRAIN, after="40s", dashboard=question)

    assert ends(answer, TRAIN) == ("rayjob train is Failed (AppFailed)",) * 2


def test_dashboards_that_do_not_answer_keep_a_job_running() -> None:
    answer = asked(failed_job(), after(15), resource=TRAIN, dashboard={"answers": "refuse"})

    assert ends(answer, TRAIN) == ("rayjob train is Failed (AppFailed)", "rayjob train is Running")


def test_a_service_serves_again_after_its_head_was_killed() -> None:
    fruit = manifest("RayService", "fruit", service_spec())
    records = lived((1.0, creates(fruit)), (29.0, looks), scenario=WORLD)

    answer = asked(
        records,
        None,
        resource="rayservice/default/fruit",
        pods=[{"group": "headgroup", "fate": "delete"}],
    )

    assert answer.comparison.ends_alike
    assert "rayservice fruit is ready" in ends(answer, "rayservice/default/fruit")
    assert any(text.startswith("tell Serve on fruit-") for text in done(answer))


def test_a_suspended_schedule_starts_no_more_jobs() -> None:
    spec = {"schedule": "* * * * *", "jobTemplate": job_spec()}
    cron = manifest("RayCronJob", "nightly", spec)
    gates = Settings(rules=RuleSettings(feature_gates=parse_features(f"{CRON_JOB}=true")))
    records = lived((1.0, creates(cron)), (10.0, looks), scenario=WORLD, settings=gates)

    answer = asked(
        records,
        None,
        resource="raycronjob/default/nightly",
        minutes=1.5,
        patch={"spec": {"suspend": True}},
    )

    jobs = [one for one in answer.comparison.endings if one.resource.startswith("rayjob/")]
    assert [bool(one.base) for one in jobs] == [True]
    assert [bool(one.other) for one in jobs] == [False]


def test_other_settings_decide_otherwise() -> None:
    answer = asked(
        records_of("worker-failed"),
        30,
        groups={"small": {"replicas": 0}},
        settings={"budget-resource": 1},
    )

    assert "held back: 1 deletions of raycluster/default/first" in done(answer)[-1]
    assert ends(answer)[1].endswith("1 of small ready")


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"pods": [{"group": "huge", "fate": "oom"}]}, "pods[0]: there is no pod of group huge"),
        ({"groups": {"huge": {}}}, "groups.huge: there is no such worker group"),
        ({"patch": {"spec": {"suspend": "maybe"}}}, "Kubernetes refuses the change: "),
        ({"settings": {"nats-url": "x"}}, "settings.nats-url: no such setting"),
    ],
)
def test_what_cannot_be_done_is_told(question: dict[str, object], sentence: str) -> None:
    wish = Asked(question=read_question({"resource": FIRST, **question}), at=30)

    with pytest.raises(QuestionError) as told:
        what_if(records_of("worker-failed"), wish, lambda _: None)

    assert str(told.value).startswith(sentence)


@pytest.mark.parametrize("at", [1, 3])
def test_a_moment_before_the_resource_is_told(at: int) -> None:
    records = [one for one in records_of("worker-failed") if ".obs.raycluster." not in one.subject]

    with pytest.raises(QuestionError, match=r"was not there then|knew nothing then"):
        asked(records, at)


def test_nothing_outside_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bus, no cluster, no dashboard: a fork opens no connection at all."""

    def refused(*_: object) -> None:
        raise AssertionError("somebody went outside")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket.socket, "connect_ex", refused)

    assert not asked(records_of("worker-failed"), 30, delete=True).comparison.same


TELL = """
from tests.unit.heliograph.simulator.test_forking import asked, encode, records_of
evicted = [{"group": "small", "fate": "evict"}]
print(encode(asked(records_of("worker-failed"), 30, pods=evicted)).decode())
"""


def test_the_same_seed_tells_the_same_in_another_process() -> None:
    told = [
        subprocess.run(
            [sys.executable, "-c", TELL],
            cwd=HOME,
            env={**os.environ, "PYTHONHASHSEED": number},
            capture_output=True,
            check=True,
        ).stdout
        for number in ("1", "2")
    ]

    assert told[0] == told[1]
    assert len(told[0]) > 1000
