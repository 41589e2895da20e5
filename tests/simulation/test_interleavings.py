"""Interleavings that broke earlier forms of the design, each as a plan of a few steps.

Chance finds them seldom; here they happen every time, in several worlds.
"""

import pytest

from tests.simulation.faults import directed, network
from tests.simulation.plan import Plan, Step
from tests.simulation.run import run_plan
from tests.simulation.users import (
    create,
    delete,
    kill_pod,
    kill_worker,
    recreate,
    scale,
    suspend_or_resume,
)

WORLDS = pytest.mark.parametrize("seed", range(2))


def violations(seed: int, *steps: Step, lasts: float) -> tuple[str, ...]:
    """Run the steps in the world of a seed; a few more wishes than one make it a story."""
    first = (Step(at=0.1, luck="first", deed=create), Step(at=12.0, luck="grow", deed=scale))
    return run_plan(seed, Plan(steps=(*first, *steps), lasts=lasts)).violations


@WORLDS
def test_an_executor_that_slept_creates_nothing_for_a_deleted_cluster(seed: int) -> None:
    assert not violations(
        seed,
        Step(at=20.0, luck="", fault=directed.asleep("executor", 15.0)),
        Step(at=20.1, luck="kill", deed=kill_pod),
        Step(at=21.0, luck="more", deed=create),
        Step(at=23.0, luck="gone", deed=delete),
        Step(at=23.1, luck="also", deed=delete),
        lasts=40.0,
    )


@WORLDS
def test_a_lost_log_makes_nobody_create_what_nobody_has_listed_yet(seed: int) -> None:
    assert not violations(
        seed,
        Step(at=19.9, luck="", fault=directed.blind("pods", 15.0)),
        Step(at=20.0, luck="", fault=network.lose_log),
        Step(at=28.0, luck="size", deed=scale),
        lasts=40.0,
    )


@WORLDS
def test_a_call_begun_before_the_log_was_lost_makes_no_worker_too_many(seed: int) -> None:
    assert not violations(
        seed,
        Step(at=19.0, luck="", fault=directed.far("executor", 4.5, 6.0)),
        Step(at=19.1, luck="", deed=kill_worker),
        Step(at=19.3, luck="", fault=network.lose_log),
        lasts=30.0,
    )


@WORLDS
def test_a_new_cluster_of_the_same_name_inherits_nothing(seed: int) -> None:
    assert not violations(
        seed,
        Step(at=20.0, luck="wish", deed=suspend_or_resume),
        Step(at=20.3, luck="anew", deed=recreate),
        Step(at=20.4, luck="", fault=network.lose_tail),
        Step(at=30.0, luck="anew", deed=recreate),
        lasts=35.0,
    )


@WORLDS
def test_a_suspension_waits_for_a_decider_that_slept_through_it(seed: int) -> None:
    assert not violations(
        seed,
        Step(at=20.0, luck="kill", deed=kill_pod),
        Step(at=20.1, luck="", fault=directed.asleep("reconciler", 8.0)),
        Step(at=20.2, luck="wish", deed=suspend_or_resume),
        lasts=40.0,
    )
