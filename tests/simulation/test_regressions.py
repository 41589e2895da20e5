"""Stories that once went wrong, as plans of a few steps.

Each tells what happened and what was believed wrongly. Found by seeds; written down as plans, since
a seed means something else as soon as the drawing changes.
"""

import pytest

from services.status.conditions.rayservice.table import SERVING, UPGRADING
from shared.kernel.features import STATUS_CONDITIONS
from tests.simulation.faults import (
    crash,
    dashboard,
    intermediate,
    network,
    nodes,
    rollout,
    stale,
    unobserved,
)
from tests.simulation.features.settings import rich, rules_of
from tests.simulation.jobs import create_job, suspend_or_resume_job
from tests.simulation.kinds import in_steps
from tests.simulation.meetings import MOVING
from tests.simulation.plan import Plan, Step
from tests.simulation.run import run_plan
from tests.simulation.services import (
    create_service,
    go_back,
    lose_cluster,
    reconfigure,
    upgrade,
)
from tests.simulation.users import create, evict_pod, gitops, name_victims, recreate, scale

WORLDS = pytest.mark.parametrize("seed", range(2))
STEPPED = next(seed for seed in range(100) if in_steps(seed))


@WORLDS
def test_decides_again_after_the_log_lost_its_last_act(seed: int) -> None:
    """A reconciler waited to read its own act, which the log had lost: it waited for ever.

    What a process remembers of the log ends with the log; also the sequence it waits for.
    """
    plan = Plan(
        steps=(
            Step(at=0.1, luck="small", deed=create),
            Step(at=20.0, luck="gone", fault=network.lose_log),
            Step(at=30.0, luck="grow", deed=scale),
        ),
        lasts=35.0,
    )

    assert run_plan(seed, plan).violations == ()


def test_an_executor_that_slept_does_not_answer_for_the_one_that_took_over() -> None:
    """Its late sign of life was taken, so it told that nothing was done while the other did it.

    What was to be made was then made once more under other names, for news of pods came late.
    """
    plan = Plan(
        steps=(
            Step(at=6.54, luck="757 deed 4", deed=gitops),
            Step(at=6.59, luck="757 fault 1", fault=crash.crash),
            Step(at=7.79, luck="757 fault 4", fault=crash.outage),
            Step(at=12.95, luck="757 fault 0", fault=stale.reorder),
        ),
        lasts=40.0,
    )

    assert run_plan(757, plan).violations == ()


def test_a_creation_without_an_answer_is_not_repeated_long_after_it_was_allowed() -> None:
    """Its act was overtaken meanwhile, and what it had made was deleted: it was made once more."""
    plan = Plan(
        steps=(
            Step(at=3.355414231276267, luck="1063 fault 4", fault=nodes.blackout),
            Step(at=5.192302339735374, luck="1063 deed 6", deed=create),
            Step(at=5.554596545633235, luck="1063 deed 0", deed=create),
            Step(at=6.370116584139634, luck="1063 fault 0", fault=unobserved.blind),
            Step(at=7.067973781610948, luck="1063 deed 1", deed=name_victims),
            Step(at=10.13641942009674, luck="1063 fault 7", fault=intermediate.flaky_api),
            Step(at=12.272377913812079, luck="1063 fault 5", fault=nodes.blackout),
            Step(at=14.441611624787537, luck="1063 fault 6", fault=intermediate.overload),
        ),
        lasts=20.0,
    )

    assert run_plan(1063, plan).violations == ()


def test_whoever_takes_over_from_a_vanished_cluster_serves_with_all_it_has() -> None:
    """The new cluster had no capacity yet when the old one was deleted by hand: it got none."""
    plan = Plan(
        steps=(
            Step(at=0.1, luck="a", deed=create_service),
            Step(at=3.0, luck="", deed=upgrade, awaits="Serving"),
            Step(at=3.0, luck="a", deed=lose_cluster, awaits="Upgrading"),
        ),
        lasts=45.0,
    )

    verdict = run_plan(STEPPED, plan)

    assert "deleted by mistake" in "".join(verdict.story.lines())
    assert verdict.violations == ()


def test_a_step_of_traffic_is_not_made_up_for_without_another_look() -> None:
    """It was wished while the route could not be changed, and taken when nobody was known to serve.

    The log had lost its tail, and with it the answer to the last step.
    """
    plan = Plan(
        steps=(
            Step(at=0.18284862799220347, luck="1392 deed 2", deed=create_service),
            Step(at=3.0, luck="1392 turn", deed=upgrade, awaits="Serving"),
            Step(at=3.22, luck="1392 fault 4", fault=network.lose_tail, awaits="Moving"),
            Step(at=15.96659687064047, luck="1392 deed 1", deed=create_job),
            Step(at=16.09226473025561, luck="1392 fault 5", fault=stale.reorder),
            Step(at=24.080565029191032, luck="1392 turn 0", deed=reconfigure, awaits="Moving"),
        ),
        lasts=90.0,
    )

    assert run_plan(1392, plan).violations == ()


def test_a_status_that_met_a_conflict_is_written_although_no_news_comes() -> None:
    """A conflict was taken for newer news, and nothing was tried until they came; none came."""
    plan = Plan(
        steps=(
            Step(at=1.86, luck="6082 deed 1", deed=suspend_or_resume_job),
            Step(at=9.76, luck="6082 fault 1", fault=intermediate.flaky_api),
        ),
        lasts=10.0,
    )

    assert run_plan(6082, plan).violations == ()


def test_a_service_is_not_led_to_a_head_that_was_evicted_a_moment_ago() -> None:
    """Ray said that the head takes requests, its pod was dead by then, and its end was not seen."""
    plan = Plan(
        steps=(
            Step(at=2.69, luck="11592 deed 1", deed=create_service),
            Step(at=3.0, luck="11592 turn", deed=upgrade, awaits=SERVING),
            Step(at=3.52, luck="11592 fault 3", fault=intermediate.api_down, awaits=UPGRADING),
            Step(at=11.85, luck="11592 fault 2", fault=rollout.roll_out, awaits=UPGRADING),
            Step(at=12.91, luck="11592 fault 8", fault=rollout.roll_out, awaits=UPGRADING),
            Step(at=21.84, luck="11592 fault 9", fault=nodes.evict, awaits=UPGRADING),
        ),
        lasts=60.0,
    )

    assert run_plan(11592, plan).violations == ()


def test_a_trouble_does_not_outlive_its_cause_when_its_time_has_come() -> None:
    """Everything wanted was there when the pause ended, and nobody said that nothing is refused."""
    plan = Plan(
        steps=(
            Step(at=6.07, luck="12033 deed 0", deed=create),
            Step(at=6.85, luck="12033 deed 1", deed=recreate),
            Step(at=9.04, luck="12033 fault 0", fault=network.lose_tail),
        ),
        lasts=10.0,
    )

    assert run_plan(12033, plan).violations == ()


def test_traffic_stays_with_who_answers_when_its_cluster_is_deleted_by_mistake() -> None:
    """It went to the other one, which served nobody; the new one then had traffic, no capacity."""
    plan = Plan(
        steps=(
            Step(at=0.21, luck="208 deed 3", deed=create_service),
            Step(at=3.0, luck="208 turn", deed=upgrade, awaits=SERVING),
            Step(at=10.1, luck="208 turn 0", deed=go_back, awaits=UPGRADING),
            Step(at=10.75, luck="208 turn 1", deed=lose_cluster, awaits=MOVING),
            Step(at=38.74, luck="208 deed 2", deed=evict_pod),
            Step(at=42.78, luck="208 deed 1", deed=upgrade),
        ),
        lasts=90.0,
    )

    assert run_plan(208, plan).violations == ()


def test_a_cluster_whose_capacity_nobody_remembers_gets_what_its_traffic_needs() -> None:
    """The log had lost what it was told: it had traffic without capacity, and nothing moved on."""
    plan = Plan(
        steps=(
            Step(at=2.88, luck="2145 deed 11", deed=create_service),
            Step(at=3.0, luck="2145 turn", deed=upgrade, awaits=SERVING),
            Step(at=11.34, luck="2145 fault 3", fault=dashboard.restart_head, awaits=MOVING),
            Step(at=18.64, luck="2145 fault 9", fault=network.lose_tail, awaits=MOVING),
        ),
        lasts=90.0,
    )

    assert run_plan(2145, plan).violations == ()


def test_who_is_told_to_end_while_the_bus_is_lost_ends() -> None:
    """Its failure in that very moment hid that it was told: it began again, for ever."""
    plan = Plan(
        steps=(
            Step(at=10.0, luck="8155 fault 3", fault=rollout.roll_out),
            Step(at=10.0, luck="8155 fault 5", fault=network.restart_bus),
            Step(at=10.0, luck="8155 fault 6", fault=stale.lag),
            Step(at=10.0, luck="8155 fault 7", fault=network.lose_log),
            Step(at=10.0, luck="8155 fault 8", fault=stale.reorder),
            Step(at=10.0, luck="8155 fault 9", fault=rollout.roll_out),
            Step(at=10.0, luck="8155 fault 11", fault=rollout.roll_out),
        ),
        lasts=10.0,
    )

    assert run_plan(8155, plan).violations == ()


def test_a_service_is_served_by_clusters_without_conditions() -> None:
    """Its head was looked for in a condition, which nobody writes with the gate shut."""
    untold = next(seed for seed in range(100) if rich(seed) and not conditions_of(seed))
    plan = Plan(steps=(Step(at=0.1, luck="", deed=create_service),), lasts=20.0)

    assert run_plan(untold, plan).violations == ()


def conditions_of(seed: int) -> bool:
    return rules_of(seed).feature_gates.on(STATUS_CONDITIONS)
