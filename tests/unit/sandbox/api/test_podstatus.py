"""The one word for a pod's state."""

import pytest

from sandbox.api.podstatus import pod_cells, pod_word
from sandbox.objects import Object
from tests.unit.sandbox.widgets import NOON

RUNNING: Object = {"running": {}}
DONE = {"terminated": {"exitCode": 0, "reason": "Completed"}}


def container(state: Object, **fields: object) -> Object:
    return {"state": state, **fields}


def pod(phase: str, *containers: Object, init: tuple[Object, ...] = (), **meta: str) -> Object:
    return {
        "metadata": meta,
        "spec": {"containers": [{}] * len(containers), "initContainers": [{}] * len(init)},
        "status": {
            "phase": phase,
            "containerStatuses": list(containers),
            "initContainerStatuses": list(init),
        },
    }


@pytest.mark.parametrize(
    ("seen", "word"),
    [
        (pod("Pending"), "Pending"),
        (pod("Running", container(RUNNING, ready=True)), "Running"),
        (
            pod("Running", container({"waiting": {"reason": "CrashLoopBackOff"}})),
            "CrashLoopBackOff",
        ),
        (pod("Failed", container({"terminated": {"exitCode": 3}})), "ExitCode:3"),
        (pod("Succeeded", container(DONE)), "Completed"),
        (pod("Running", container(DONE), container(RUNNING, ready=True)), "NotReady"),
        (pod("Pending", init=(container(DONE), container(RUNNING))), "Init:1/2"),
        (
            pod("Pending", init=(container({"terminated": {"exitCode": 1, "reason": "Error"}}),)),
            "Init:Error",
        ),
        (pod("Running", container(RUNNING), deletionTimestamp="x"), "Terminating"),
    ],
)
def test_finds_the_word(seen: Object, word: str) -> None:
    assert pod_word(seen) == word


def test_counts_ready_containers_and_restarts() -> None:
    ended = {"terminated": {"finishedAt": "2030-01-01T11:59:00Z"}}
    seen = pod(
        "Running",
        container(RUNNING, ready=True, restartCount=2, lastState=ended),
        container(RUNNING, ready=False, restartCount=1),
    )

    assert pod_cells(seen, NOON)[:3] == ["1/2", "Running", "3 (60s ago)"]
