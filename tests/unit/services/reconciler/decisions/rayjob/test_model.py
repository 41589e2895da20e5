"""Every RayJob that can happen, to a depth that fits into the suite.

`python -m tests.support.jobmodel 8` goes deeper.
"""

import pytest

from shared.aggregates.rayjob import PHASES, RETRYING, SUSPENDING
from tests.support import joblaws
from tests.support.jobends import ends
from tests.support.jobmodel import SPECS, begun, explore, replay
from tests.support.joboutline import outline

DEPTH = 3
READY = ("the cluster is ready", "the job runs")


@pytest.mark.parametrize("name", SPECS)
def test_every_order_of_events_keeps_the_laws(name: str) -> None:
    met = explore(SPECS[name], DEPTH)

    assert len(met.phases) >= 4, "the world moves"
    assert met.steps > met.states, "many ways lead to the same state"
    assert not {RETRYING, SUSPENDING} & set(met.phases), "neither rests"
    assert set(met.phases) <= set(PHASES)


@pytest.mark.parametrize("name", SPECS)
def test_a_kind_world_ends_every_job(name: str) -> None:
    ends(begun(SPECS[name]))


def test_a_state_is_the_same_whichever_way_it_was_reached() -> None:
    there = ("the user suspends", "the user resumes")
    again = (*there, *there)

    assert outline(replay(SPECS["HTTPMode"], there)) == outline(replay(SPECS["HTTPMode"], again))


def test_states_differ_by_whatever_somebody_will_look_at() -> None:
    spec = SPECS["K8sJobMode"]
    marks = {
        outline(replay(spec, path))
        for path in (
            READY,
            (*READY, "the dashboard hangs"),
            (*READY, "the submitter ends"),
            (*READY, "the submitter gives up"),
            (*READY, "the user breaks the spec"),
            (*READY, "the submitter ends", "a timer goes off"),
        )
    }

    assert len(marks) == 6


def test_a_law_that_is_broken_is_told_with_the_way_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joblaws, "delay_of", lambda *_: 3600)
    way = "the cluster is ready -> the job succeeds"

    with pytest.raises(AssertionError, match=f"^29: stage 1 is early: {way}$"):
        explore(SPECS["HTTPMode"], DEPTH)


def test_a_job_that_nothing_moves_is_told() -> None:
    story = begun(SPECS["HTTPMode"])
    story.clusters.clear()

    with pytest.raises(AssertionError, match="30: nothing can move Initializing"):
        ends(story)
