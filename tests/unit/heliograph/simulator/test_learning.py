"""Pods and jobs of the simulator fare as those of the history did."""

from datetime import timedelta

from msgspec.structs import replace

from heliograph.simulator.learning import Pace, pace_of, scenario_of, script_of, without_groups
from sandbox.controllers.rayrules import JobRule
from shared.events import subjects
from shared.events.envelope import Record
from shared.events.objects import Condition, Container, Meta, PodSeen
from shared.events.told import FOUND, JobTold
from tests.contract.test_histories import records_of
from tests.support.builders import NOON
from tests.support.history import History
from tests.support.rayjobs import KEY, UID

POD = PodSeen(
    meta=Meta(
        name="train-worker",
        namespace="prod",
        uid="pod-1",
        resource_version=3,
        labels={"ray.io/cluster": "train", "ray.io/group": "small"},
    ),
    phase="Pending",
)
RAW: dict[str, object] = {"metadata": {"name": "other", "namespace": "prod"}}


def told(status: str, **more: object) -> Record:
    history = History(KEY, UID)
    body = JobTold(job_id="train-1", since=NOON, answer=FOUND, status=status, **more)  # type: ignore[arg-type]
    history.append(subjects.told(KEY, "job"), body)
    return history.records[0]


def raw_pod(name: str, group: str) -> dict[str, object]:
    labels = {"ray.io/cluster": "train", "ray.io/group": group}
    return {"metadata": {"name": name, "namespace": "prod", "labels": labels}}


def test_pods_take_as_long_as_those_that_were_seen() -> None:
    pace = pace_of(records_of("worker-failed"))

    assert pace.run is not None
    assert 3 < pace.run < 5
    assert scenario_of(records_of("worker-failed"), ()).otherwise.run_after == pace.run


def test_a_history_without_pods_says_nothing() -> None:
    assert pace_of(()) == Pace()


def test_what_cannot_pull_its_image_stays_so_with_all_of_its_group() -> None:
    waits = Container(name="ray", state="waiting", reason="ImagePullBackOff", message="no such")
    scenario = scenario_of((), (replace(POD, containers=(waits,)),))

    assert scenario.rule_for(raw_pod("train-worker", "small")).image_pull_error == "no such"
    assert scenario.rule_for(raw_pod("another", "small")).image_pull_error == "no such"
    assert scenario.rule_for(raw_pod("another", "large")).image_pull_error == ""


def test_another_template_frees_new_pods_of_a_group_and_not_the_old_ones() -> None:
    waits = Condition(type="PodScheduled", status="False", reason="Unschedulable", message="full")
    scenario = scenario_of((), (replace(POD, conditions=(waits,)),))

    freed = without_groups(scenario, {"small"})

    assert freed.rule_for(raw_pod("train-worker", "small")).unschedulable == "full"
    assert freed.rule_for(raw_pod("another", "small")).unschedulable == ""


def test_a_job_that_was_seen_to_end_ends_so_and_so_do_new_ones() -> None:
    ended_at = NOON + timedelta(seconds=20)
    script = script_of([told("FAILED", started_at=NOON, ended_at=ended_at, message="oh\nno")])
    failed = JobRule(job="train-1", pending_for=0.0, runs_for=20.0, exit_code=1, message="oh")

    assert script.job_rule("prod", "train", "train-1", "") == failed
    assert script.job_rule("prod", "train", "train-2", "") == replace(failed, job="*")


def test_a_job_that_was_not_seen_to_end_runs_on() -> None:
    script = script_of([told("RUNNING", started_at=NOON)])

    assert script.job_rule("prod", "train", "train-1", "").runs_for is None
    assert script.job_rule("prod", "train", "train-2", "") == JobRule()
