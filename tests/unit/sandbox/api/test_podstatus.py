"""The one word for a pod's state."""

import pytest

from sandbox.api.podstatus import pod_cells, pod_word
from sandbox.objects import Object
from tests.unit.sandbox.widgets import NOON

RUNNING: Object = {"running": {}}
DONE = {"terminated": {"exitCode": 0, "reason": "Completed"}}
FAILED = {"terminated": {"exitCode": 1, "reason": "Error"}}
WAITS = {"waiting": {"reason": "PodInitializing"}}
READY = ("Ready", "Initialized")


def container(state: Object, **fields: object) -> Object:
    return {"state": state, **fields}


SIDECAR = container(RUNNING, name="sidecar", started=True, ready=True, restartCount=1)


def pod(
    phase: str,
    *containers: Object,
    init: tuple[Object, ...] = (),
    holds: tuple[str, ...] = (),
    **meta: str,
) -> Object:
    """A pod; an init container that is called a sidecar is one."""
    stays = {"name": "sidecar", "restartPolicy": "Always"}
    inits = [stays if each.get("name") == "sidecar" else {} for each in init]
    return {
        "metadata": meta,
        "spec": {"containers": [{}] * len(containers), "initContainers": inits},
        "status": {
            "phase": phase,
            "conditions": [{"type": each, "status": "True"} for each in holds],
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
        (pod("Succeeded", container(DONE), deletionTimestamp="x"), "Completed"),
        (pod("Pending", container(WAITS), init=(container(RUNNING, started=True),)), "Init:0/1"),
        (pod("Running", container(RUNNING, ready=True), init=(SIDECAR,)), "Running"),
        (pod("Failed", container(DONE), container(FAILED)), "Error"),
        (pod("Running", container(DONE), container(RUNNING, ready=True), holds=READY), "Running"),
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


def test_counts_sidecars_as_containers_but_not_what_only_prepared() -> None:
    prepared = container(DONE, restartCount=4)
    seen = pod("Running", container(RUNNING, ready=True), init=(prepared, SIDECAR), holds=READY)

    assert pod_cells(seen, NOON)[:3] == ["2/2", "Running", "1"]


def test_counts_the_gates_that_are_open() -> None:
    seen = pod("Running", container(RUNNING, ready=True), holds=("open",))
    seen["spec"]["readinessGates"] = [{"conditionType": "open"}, {"conditionType": "shut"}]

    assert pod_cells(seen, NOON)[-1] == "1/2"
