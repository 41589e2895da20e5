"""Which changes of a status go at once."""

import pytest

from services.status.urgency import urgent
from tests.support.builders import Raw


def told(type_: str, status: str, reason: str = "", message: str = "") -> Raw:
    return {"type": type_, "status": status, "reason": reason, "message": message}


def status_with(*conditions: Raw) -> Raw:
    return {"conditions": list(conditions)}


@pytest.mark.parametrize(
    "patch",
    [
        {"readyWorkerReplicas": 2, "availableWorkerReplicas": 3},
        {"head": {"podIP": "10.0.0.1"}, "endpoints": {"client": "10001"}},
        {"observedGeneration": 4, "desiredWorkerReplicas": 9},
    ],
)
def test_counts_and_addresses_may_wait(patch: Raw) -> None:
    assert not urgent({}, patch)


@pytest.mark.parametrize("state", ["ready", "suspended", None])
def test_a_state_does_not_wait(state: str | None) -> None:
    assert urgent({"state": "ready"}, {"state": state, "readyWorkerReplicas": 3})


@pytest.mark.parametrize(
    "type_",
    [
        "RayClusterProvisioned",
        "RayClusterSuspending",
        "RayClusterSuspended",
        "SpecInvalid",
        "ReplicaFailure",
    ],
)
def test_what_is_waited_for_goes_at_once_when_it_begins_and_when_it_ends(type_: str) -> None:
    holding, not_holding = status_with(told(type_, "True")), status_with(told(type_, "False"))

    assert urgent(not_holding, holding)
    assert urgent({}, holding)
    assert urgent(holding, not_holding)
    assert urgent(holding, status_with())
    assert not urgent({}, not_holding)


def test_a_failure_for_another_reason_goes_at_once_and_in_other_words_it_waits() -> None:
    before = status_with(told("ReplicaFailure", "True", "FailedCreateHeadPod", "full"))
    other = status_with(told("ReplicaFailure", "True", "FailedCreateWorkerPod", "full"))
    words = status_with(told("ReplicaFailure", "True", "FailedCreateHeadPod", "fuller"))

    assert (urgent(before, other), urgent(before, words)) == (True, False)


def test_a_head_that_is_lost_goes_at_once_and_one_that_is_coming_may_wait() -> None:
    ready = status_with(told("HeadPodReady", "True"))
    lost = status_with(told("HeadPodReady", "False", "HeadPodNotFound"))

    assert (urgent(ready, lost), urgent(lost, ready)) == (True, False)


def test_what_is_in_the_way_may_wait_a_moment() -> None:
    assert not urgent({}, status_with(told("Blocked", "True", "ImagePull")))
