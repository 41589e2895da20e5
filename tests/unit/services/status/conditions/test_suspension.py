"""Suspending and suspended: the whole machine, edge by edge, as a user sees it."""

import pytest
from msgspec.structs import replace

from shared.aggregates.phases import phase_of
from tests.support.builders import (
    Raw,
    act,
    cluster_spec,
    deletion,
    done,
    expectation,
    gone,
    group,
    head,
    resource,
    service,
    worker,
)
from tests.unit.services.status.conditions.assessed import Told, condition, running

SILENT = cluster_spec(group(replicas=2))
ON, OFF = {**SILENT, "suspend": True}, {**SILENT, "suspend": False}
PODS = (head(), worker("w1"), worker("w2"))


def phases(status: Raw) -> tuple[str, str]:
    told = (condition(status, f"RayCluster{name}") for name in ("Suspending", "Suspended"))
    suspending, suspended = (found[0] if found else "" for found in told)
    return suspending, suspended


def suspending() -> Told:
    """A running cluster that its user has just suspended, with generation 2."""
    told = running()
    told.tells()
    told.wishes(2, ON)
    told.tells()
    return told


def suspended() -> Told:
    told = suspending()
    told.sees(*(gone(pod) for pod in PODS))
    told.closes("suspending/2", generation=2)
    told.tells()
    return told


@pytest.mark.parametrize(
    ("spec", "told"),
    [(SILENT, ("False", "False")), (OFF, ("False", "False")), (ON, ("True", "False"))],
)
def test_begins_to_suspend_only_when_asked(spec: Raw, told: tuple[str, str]) -> None:
    history = Told()
    history.sees(resource(spec))

    assert phases(history.tells()) == told
    assert condition(history.tells(), "RayClusterSuspending") == (
        told[0],
        "RayClusterSuspending",
        "",
    )


def test_the_phase_word_names_the_generation_that_began_it() -> None:
    assert phase_of(running().tells()) == "active/0"
    assert phase_of(suspending().view().status) == "suspending/2"
    assert phase_of(suspended().view().status) == "suspended/2"


def test_suspending_lasts_while_a_pod_is_left() -> None:
    told = suspending()
    told.sees(gone(PODS[0]), gone(PODS[1]))
    told.closes("suspending/2", generation=2)

    assert phases(told.tells()) == ("True", "False")


@pytest.mark.parametrize("spec", [OFF, SILENT])
def test_changing_ones_mind_does_not_stop_it(spec: Raw) -> None:
    """Checklist 97."""
    told = suspending()
    told.wishes(3, spec)

    assert phases(told.tells()) == ("True", "False")
    assert phase_of(told.view().status) == "suspending/2"


def test_it_ends_when_nothing_is_left_and_an_act_has_seen_it() -> None:
    told = suspending()
    told.sees(*(gone(pod) for pod in PODS))
    assert phases(told.tells()) == ("True", "False")

    told.closes("suspending/2", generation=2)
    status = told.tells()

    assert phases(status) == ("False", "True")
    assert condition(status, "RayClusterProvisioned") == (
        "False",
        "RayClusterPodsProvisioning",
        "RayCluster has been suspended",
    )
    assert status["state"] == "suspended"


@pytest.mark.parametrize("phase", ["active/0", "suspending/1", "suspended/2"])
def test_an_act_that_saw_another_stay_does_not_end_it(phase: str) -> None:
    told = suspending()
    told.sees(*(gone(pod) for pod in PODS))
    told.closes(phase, generation=2)

    assert phases(told.tells()) == ("True", "False")


def test_it_does_not_end_before_the_answer_or_before_effects_are_seen() -> None:
    told = suspending()
    asked = act(deletion("w2"), phase="suspending/2", generation=2)
    told.sees(gone(PODS[0]), gone(PODS[1]))
    told.acts(asked)
    assert phases(told.tells()) == ("True", "False")

    told.answers(asked, done("w2", version=30, deleting=True))
    assert phases(told.tells()) == ("True", "False")

    told.sees(gone(PODS[2], version=30))
    assert phases(told.tells()) == ("False", "True")


def test_an_unseen_creation_keeps_it_suspending() -> None:
    told = suspending()
    told.sees(*(gone(pod) for pod in PODS))
    earlier = act(phase="suspending/2", generation=2)
    told.acts(replace(earlier, expectations=(expectation("w3"),)))

    assert phases(told.tells()) == ("True", "False")


@pytest.mark.parametrize("spec", [ON, SILENT])
def test_stays_suspended_until_told_to_resume(spec: Raw) -> None:
    told = suspended()
    told.wishes(3, spec)
    status = told.tells()

    assert phases(status) == ("False", "True")
    assert phase_of(status) == "suspended/2"


def test_resumes_on_an_explicit_false_and_does_not_judge_provisioning_in_that_step() -> None:
    told = suspended()
    told.wishes(3, OFF)
    status = told.tells()

    assert phases(status) == ("False", "False")
    assert phase_of(status) == "active/3"
    assert condition(status, "RayClusterProvisioned") == (
        "False",
        "RayClusterPodsProvisioning",
        "RayCluster has been suspended",
    )
    assert condition(told.tells(), "RayClusterProvisioned") == (
        "False",
        "RayClusterPodsProvisioning",
        "RayCluster Pods are being provisioned for first time",
    )


def test_after_resuming_the_state_is_suspended_until_it_is_ready() -> None:
    told = suspended()
    told.wishes(3, OFF)
    told.tells()
    assert told.tells()["state"] == "suspended"

    told.sees(service(), *PODS)
    status = told.tells()

    assert status["state"] == "ready"
    assert condition(status, "RayClusterProvisioned") == (
        "True",
        "AllPodRunningAndReadyFirstTime",
        "All Ray Pods are ready for the first time",
    )


def test_two_stays_have_two_words() -> None:
    told = suspended()
    told.wishes(3, OFF)
    told.tells()
    told.wishes(4, ON)

    assert phase_of(told.tells()) == "suspending/4"


def test_suspending_and_suspended_are_never_both_true() -> None:
    told = suspending()
    for step in range(3, 9):
        told.wishes(step, (ON, OFF, SILENT)[step % 3])
        if step == 5:
            told.sees(*(gone(pod) for pod in PODS))
        told.closes(phase_of(told.view().status), generation=step)

        assert phases(told.tells()) != ("True", "True")
