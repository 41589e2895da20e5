"""A submitter beside the head that has ended does not keep its cluster from being ready."""

import pytest
from msgspec.structs import replace

from shared.aggregates.rayjob import SUBMITTER
from shared.events.objects import Condition, Container, PodSeen
from tests.support.builders import act, head, resource, service, worker
from tests.unit.services.status.conditions.assessed import TWO_WORKERS, Told

NOT_READY = (Condition(type="Ready", status="False", reason="ContainersNotReady"),)


def head_with(*containers: Container) -> PodSeen:
    """A head that Kubernetes does not call ready."""
    return replace(head(), phase="Running", conditions=NOT_READY, containers=containers)


RAY = Container(name="ray", ready=True, state="running")
AILING = Container(name="ray", ready=False, state="running")


def ended(exit_code: int) -> Container:
    return Container(name=SUBMITTER, state="terminated", exit_code=exit_code)


def state_of(pod: PodSeen, *workers: PodSeen) -> object:
    told = Told()
    told.sees(resource(TWO_WORKERS), pod, service(), *workers)
    told.acts(act())
    return told.assess().get("state")


@pytest.mark.parametrize("exit_code", [0, 1])
def test_a_cluster_is_ready_although_its_submitter_has_ended(exit_code: int) -> None:
    pod = head_with(RAY, ended(exit_code))

    assert state_of(pod, worker("w1"), worker("w2")) == "ready"
    assert state_of(pod, worker("w1"), worker("w2", ready=False)) is None
    assert state_of(pod, worker("w1")) is None


@pytest.mark.parametrize(
    "pod",
    [
        head_with(AILING, ended(0)),
        head_with(RAY, Container(name=SUBMITTER, state="waiting")),
        head_with(RAY, Container(name="mine", state="terminated", exit_code=0)),
        head_with(ended(0)),
        replace(head_with(RAY, ended(0)), phase="Succeeded"),
    ],
    ids=["ray is not ready", "it waits", "another container", "nothing else", "all is over"],
)
def test_nothing_else_is_looked_over(pod: PodSeen) -> None:
    assert state_of(pod, worker("w1"), worker("w2")) is None
