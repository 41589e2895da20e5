"""Stories that once went wrong, as plans of a few steps.

Each tells what happened and what was believed wrongly. Found by seeds; written down as plans, since
a seed means something else as soon as the drawing changes.
"""

import pytest

from tests.simulation.faults import crash, network, stale
from tests.simulation.plan import Plan, Step
from tests.simulation.run import run_plan
from tests.simulation.users import create, gitops, scale

WORLDS = pytest.mark.parametrize("seed", range(2))


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
