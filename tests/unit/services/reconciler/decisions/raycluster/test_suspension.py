"""Suspend and resume: the phase is stored first, then pods go, and nothing comes between."""

import pytest
from msgspec.structs import replace

from shared.events.decisions import Decided
from shared.events.objects import PodSeen
from shared.kernel.features import parse_features
from tests.support.builders import (
    CONTEXT,
    FORMER_UID,
    HEAD_NAME,
    SETTINGS,
    cluster_spec,
    deleting,
    gone,
    group,
    head,
    owned_by,
    resource,
    resumed,
    service,
    suspended,
    suspending,
    with_status,
    worker,
)
from tests.support.plot import Plot

Raw = dict[str, object]
ASLEEP = cluster_spec(group("small", 1), suspend=True)
AWAKE = cluster_spec(group("small", 1), suspend=False)
UNSAID = cluster_spec(group("small", 1))


def cluster(spec: Raw, status: Raw, *pods: PodSeen) -> Plot:
    plot = Plot()
    plot.sees(with_status(resource(spec, generation=2), status), service(), *pods)
    return plot


def removed(act: Decided | None) -> list[str]:
    actions = act.actions if act else ()
    assert {action.rule for action in actions} <= {"suspension"}
    return [getattr(action, "name", "") for action in actions]


@pytest.mark.parametrize("pods", [(), (head(), worker("w1"))])
def test_nothing_is_done_before_the_phase_is_stored(pods: tuple[PodSeen, ...]) -> None:
    assert cluster(ASLEEP, {}, *pods).left_alone()


@pytest.mark.parametrize("spec", [ASLEEP, AWAKE, UNSAID])
def test_while_suspending_every_pod_goes_whatever_the_spec_says_by_now(spec: Raw) -> None:
    plot = cluster(spec, suspending(2), head(), worker("w1"), worker("b1", group="big"))

    act = plot.commits()

    assert removed(act) == [HEAD_NAME, "b1", "w1"]
    assert act.because == ("the cluster is suspended",)
    assert act.seen.phase == "suspending/2"


def test_the_phase_counts_as_soon_as_the_log_has_it() -> None:
    plot = cluster(ASLEEP, {}, head())
    plot.writes_status(suspending(2), 50)

    assert removed(plot.decides()) == [HEAD_NAME]


def test_pods_of_others_and_pods_that_are_ending_are_left_alone() -> None:
    pods = (deleting(worker("w1")), owned_by(worker("w2"), FORMER_UID))
    plot = cluster(ASLEEP, suspending(2), *pods)

    assert removed(plot.commits()) == []


def test_an_act_is_written_for_the_phase_even_when_nothing_is_left() -> None:
    plot = cluster(ASLEEP, suspending(2))

    act = plot.commits()

    assert (act.actions, act.expectations) == ((), ())
    assert act.because == ("the cluster is being suspended",)
    assert act.seen.phase == "suspending/2"
    assert plot.decides() is None


def test_each_suspension_has_an_act_of_its_own() -> None:
    plot = cluster(ASLEEP, suspending(2))
    plot.commits()
    plot.sees(with_status(resource(ASLEEP, generation=4, version=9), suspending(4)))

    assert plot.commits().seen.phase == "suspending/4"


def test_creations_that_are_under_way_are_kept_in_mind_while_suspending() -> None:
    plot = Plot()
    plot.sees(resource(AWAKE))
    creating = plot.commits()
    plot.sees(with_status(resource(ASLEEP, generation=2, version=2), suspending(2)))
    plot.executes(creating)

    act = plot.commits()

    assert removed(act) == []
    assert len(act.expectations) == 3
    assert plot.decides() is None

    plot.sees(head(version=3000))

    assert removed(plot.decides()) == [HEAD_NAME]


def test_a_victim_is_named_once() -> None:
    plot = cluster(ASLEEP, suspending(2), head())
    plot.executes(plot.commits())

    assert plot.decides() is None

    plot.sees(gone(head(), version=5000))

    assert plot.decides() is None


@pytest.mark.parametrize("spec", [ASLEEP, AWAKE, UNSAID])
def test_while_suspended_nothing_is_made_and_what_appears_is_swept_away(spec: Raw) -> None:
    plot = cluster(spec, suspended(2))

    assert plot.left_alone()

    plot.sees(worker("late"))

    assert removed(plot.decides()) == ["late"]


def test_resumed_it_starts_as_from_nothing() -> None:
    """Checklist 97."""
    plot = cluster(AWAKE, resumed(2))

    act = plot.commits()

    assert [action.rule for action in act.actions] == ["head", "worker_groups"]
    assert act.seen.phase == "active/2"


UNTOLD = replace(
    CONTEXT,
    settings=replace(SETTINGS, features=parse_features("RayClusterStatusConditions=false")),
)
"""With the gate of the conditions shut: no phase is ever told."""


@pytest.mark.parametrize("status", [{}, suspended(1), suspending(1)])
def test_without_conditions_pods_go_while_the_spec_says_so(status: Raw) -> None:
    plot = Plot(UNTOLD)
    plot.sees(with_status(resource(ASLEEP), status), service(), head(), worker("w1"))

    assert removed(plot.commits()) == [HEAD_NAME, "w1"]


@pytest.mark.parametrize("spec", [AWAKE, UNSAID])
def test_without_conditions_what_was_told_before_keeps_nothing_asleep(spec: Raw) -> None:
    plot = Plot(UNTOLD)
    plot.sees(with_status(resource(spec), suspended(1)), service())

    assert {action.rule for action in plot.asks()} == {"head", "worker_groups"}
