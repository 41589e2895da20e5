"""Jobs: pods until enough have succeeded or too many have failed."""

from datetime import datetime
from typing import Any

import pytest

from sandbox.controllers import jobs
from sandbox.controllers.world import CreateObject, RemoveObject, Steps
from tests.unit.sandbox.controllers.small_world import NOON, SmallWorld, after

OWNER = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "name": "j",
    "uid": "j-uid",
    "controller": True,
    "blockOwnerDeletion": True,
}


def job(**spec: Any) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": "x"}},
        "spec": {"containers": [{"name": "c"}], "restartPolicy": "Never"},
    }
    return {
        "metadata": {"name": "j", "namespace": "n", "uid": "j-uid"},
        "spec": {"template": template, **spec},
    }


def work(world: SmallWorld, moment: datetime = NOON) -> None:
    world.run(jobs.step, moment, until=moment)


def end(world: SmallWorld, phase: str, *, at: datetime = NOON) -> None:
    """Let every pod that has not ended end so, and the controller see it."""
    for pod in world.objects("pods"):
        pod.setdefault("status", {}).setdefault("phase", phase)
    work(world, at)


def conditions(world: SmallWorld) -> list[tuple[str, str]]:
    found = world.get("jobs", "j")["status"].get("conditions", [])
    return [(condition["type"], condition["reason"]) for condition in found]


def test_makes_a_pod_that_belongs_to_the_job() -> None:
    world = SmallWorld(jobs=[job()])

    change = jobs.step(world, NOON).changes[-1]

    assert isinstance(change, CreateObject)
    assert change.object["metadata"].pop("name").startswith("j-")
    assert change.object == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": "n",
            "labels": {
                "app": "x",
                "batch.kubernetes.io/controller-uid": "j-uid",
                "batch.kubernetes.io/job-name": "j",
                "controller-uid": "j-uid",
                "job-name": "j",
            },
            "ownerReferences": [OWNER],
        },
        "spec": {"containers": [{"name": "c"}], "restartPolicy": "Never"},
    }


def test_counts_its_active_pod() -> None:
    world = SmallWorld(jobs=[job()])

    work(world)

    assert world.get("jobs", "j")["status"] == {
        "startTime": "2026-01-01T12:00:00Z",
        "active": 1,
        "ready": 0,
        "terminating": 0,
        "uncountedTerminatedPods": {},
    }


def test_is_complete_when_its_pod_has_succeeded() -> None:
    world = SmallWorld(jobs=[job()])
    work(world)

    end(world, "Succeeded", at=after(5))

    status = world.get("jobs", "j")["status"]
    assert (status["succeeded"], status["completionTime"], "active" in status) == (
        1,
        "2026-01-01T12:00:05Z",
        False,
    )
    assert conditions(world) == [
        ("SuccessCriteriaMet", "CompletionsReached"),
        ("Complete", "CompletionsReached"),
    ]


def test_tries_again_until_the_backoff_limit() -> None:
    world = SmallWorld(jobs=[job(backoffLimit=2)])
    work(world)

    for _ in range(3):
        end(world, "Failed")

    assert (len(world.names("pods")), world.get("jobs", "j")["status"]["failed"]) == (3, 3)
    assert conditions(world) == [
        ("FailureTarget", "BackoffLimitExceeded"),
        ("Failed", "BackoffLimitExceeded"),
    ]


def test_runs_as_many_at_once_as_it_may_and_no_more_than_it_needs() -> None:
    world = SmallWorld(jobs=[job(parallelism=2, completions=3)])

    work(world)
    first = len(world.names("pods"))
    end(world, "Succeeded")
    second = len(world.names("pods"))
    end(world, "Succeeded")

    assert (first, second, conditions(world)[-1][0]) == (2, 3, "Complete")


def test_a_finished_pod_that_is_deleted_still_counts() -> None:
    world = SmallWorld(jobs=[job(backoffLimit=1)])
    work(world)
    end(world, "Failed")
    world.delete("pods", world.names("pods")[0], NOON)

    work(world)

    assert world.get("jobs", "j")["status"]["failed"] == 1


def test_fails_when_it_takes_too_long_and_takes_its_pods_down() -> None:
    world = SmallWorld(jobs=[job(activeDeadlineSeconds=10)])
    work(world)

    assert jobs.step(world, after(1)) == Steps(next_at=after(10))
    changes = jobs.step(world, after(10)).changes
    world.apply(changes, after(10))

    assert isinstance(changes[-1], RemoveObject)
    assert conditions(world)[-1] == ("Failed", "DeadlineExceeded")


def test_a_suspended_job_has_no_pods_until_it_is_resumed() -> None:
    world = SmallWorld(jobs=[job(suspend=True)])
    work(world)
    asleep = (world.names("pods"), conditions(world))
    world.get("jobs", "j")["spec"]["suspend"] = False

    work(world)

    assert asleep == ([], [("Suspended", "JobSuspended")])
    assert (len(world.names("pods")), conditions(world)) == (1, [("Suspended", "JobResumed")])


@pytest.mark.parametrize(("ttl", "left"), [(None, ["j"]), (0, []), (60, ["j"])])
def test_a_finished_job_goes_when_its_time_to_live_is_over(
    ttl: int | None, left: list[str]
) -> None:
    world = SmallWorld(jobs=[job(ttlSecondsAfterFinished=ttl)])
    work(world)

    end(world, "Succeeded", at=after(5))

    assert world.names("jobs") == left
    assert jobs.step(world, after(5)).next_at == (after(65) if ttl else None)


@pytest.mark.parametrize("phase", ["Running", "Succeeded", "Failed"])
def test_asking_again_in_an_unchanged_world_changes_nothing(phase: str) -> None:
    world = SmallWorld(jobs=[job(backoffLimit=0)])
    work(world)
    end(world, phase)

    assert jobs.step(world, after(60)) == Steps()


def test_a_job_being_deleted_is_left_to_the_garbage_collector() -> None:
    dying = job()
    dying["metadata"] |= {"deletionTimestamp": "2026-01-01T12:00:00Z", "finalizers": ["x"]}

    assert jobs.step(SmallWorld(jobs=[dying]), NOON) == Steps()
