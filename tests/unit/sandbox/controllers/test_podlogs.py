"""Which run of a container is meant, and why there is none."""

import pytest

from sandbox.controllers.podlogs import Run, containers, no_run, run_of, same_run
from sandbox.objects import Object
from tests.unit.sandbox.controllers.small_world import NOON, after

FIRST = {"startedAt": "2026-01-01T12:00:00Z", "finishedAt": "2026-01-01T12:00:05Z"}
SECOND = {"startedAt": "2026-01-01T12:00:10Z"}


def pod(state: Object, last: Object | None = None) -> Object:
    status = {"name": "main", "state": state, "lastState": {"terminated": last} if last else {}}
    return {"metadata": {"name": "p"}, "status": {"containerStatuses": [status]}}


def test_finds_the_run_that_is_meant() -> None:
    restarted = pod({"running": SECOND}, FIRST)
    waiting = pod({"waiting": {"reason": "CrashLoopBackOff"}}, FIRST)
    ended = Run(started_at=NOON, ended_at=after(5))

    assert run_of(restarted, "main") == Run(started_at=after(10))
    assert run_of(restarted, "main", previous=True) == ended
    assert run_of(waiting, "main") == ended
    assert run_of(waiting, "other") is None


def test_knows_a_run_again_when_another_has_begun() -> None:
    restarted = pod({"running": SECOND}, FIRST)

    assert same_run(restarted, "main", Run(started_at=NOON)) == Run(
        started_at=NOON, ended_at=after(5)
    )
    assert same_run(restarted, "main", Run(started_at=after(-60))) is None


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("ContainerCreating", "ContainerCreating"),
        ("ErrImagePull", "image can't be pulled"),
        ("ImagePullBackOff", "trying and failing to pull image"),
    ],
)
def test_says_what_a_container_waits_for(reason: str, told: str) -> None:
    waiting = pod({"waiting": {"reason": reason}})

    said = no_run(waiting, "main", previous=False)
    assert said == f'container "main" in pod "p" is waiting to start: {told}'


def test_says_that_there_was_no_run() -> None:
    running = pod({"running": SECOND})
    unknown = no_run(running, "other", previous=False)

    assert unknown == 'container "other" in pod "p" is not available'
    assert no_run(running, "main", previous=True) == (
        'previous terminated container "main" in pod "p" not found'
    )


def test_names_containers_in_the_order_of_their_turns() -> None:
    spec = {"containers": [{"name": "main"}], "initContainers": [{"name": "setup"}]}

    assert containers({"spec": spec}) == ["setup", "main"]
