"""Without the gate of the conditions: none is told, and the state tells of a suspension."""

import pytest

from shared.events.objects import Observation
from shared.kernel.features import parse_features
from tests.support.builders import (
    Raw,
    cluster_spec,
    group,
    head,
    resource,
    service,
    suspended,
    with_status,
    worker,
)
from tests.unit.services.status.conditions.assessed import AT_NOON, TWO_WORKERS, Told

SHUT = parse_features("RayClusterStatusConditions=false")
ASLEEP = cluster_spec(group(replicas=2), suspend=True)
PODS = (head(), worker("w1"), worker("w2"))


def told(spec: Raw, *seen: Observation, status: Raw | None = None) -> Told:
    history = Told(SHUT)
    history.sees(with_status(resource(spec), status or {}), service(), *seen)
    history.closes("active/0")
    return history


def test_the_rest_is_told_as_always() -> None:
    status = told(TWO_WORKERS, *PODS).tells()

    assert "conditions" not in status
    assert (status["state"], status["readyWorkerReplicas"]) == ("ready", 2)
    assert status["stateTransitionTimes"] == {"ready": AT_NOON}


def test_conditions_of_before_are_taken_out() -> None:
    """They would be told for good, true or not."""
    assert "conditions" not in told(TWO_WORKERS, *PODS, status=suspended(1)).tells()


@pytest.mark.parametrize(
    ("spec", "pods", "state"),
    [
        (ASLEEP, (), "suspended"),
        (ASLEEP, (worker("w1"),), None),
        (TWO_WORKERS, (), None),
    ],
)
def test_suspended_is_what_shall_sleep_and_has_no_pods(
    spec: Raw, pods: tuple[Observation, ...], state: str | None
) -> None:
    assert told(spec, *pods).tells().get("state") == state


def test_it_stays_suspended_after_resuming_until_it_is_ready() -> None:
    history = told(ASLEEP)
    history.tells()
    history.wishes(2, TWO_WORKERS)
    assert history.tells()["state"] == "suspended"

    history.sees(*PODS)
    history.closes("active/0", generation=2)
    assert history.tells()["state"] == "ready"
