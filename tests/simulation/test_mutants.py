"""Planted bugs are noticed, and by the invariant that watches over what was taken away.

Some are found by the first seeds; others need a rare moment, which is a plan of a few steps here.
The rest are hunted by `python -m tests.simulation --mutants`. That the same seeds are fine without
them is what `test_swarm.py` says; the plans are run without them, too.
"""

import pytest

from tests.simulation.__main__ import caught
from tests.simulation.faults import crash, dashboard, directed, intermediate, network, nodes
from tests.simulation.kinds import JOB, in_steps
from tests.simulation.mutants import MUTANTS
from tests.simulation.plan import Plan, Step
from tests.simulation.run import run_plan
from tests.simulation.scripts import TAKES_LONG
from tests.simulation.services import create_service, upgrade
from tests.simulation.sweeping.stories import job_that, world_of
from tests.simulation.users import create, evict_pod, kill_worker, scale, suspend_or_resume

SEEDS = range(32)
WORLD = 1


def plan(*steps: Step) -> Plan:
    """Return a plan in which a cluster comes up first."""
    return Plan(steps=(Step(at=0.1, luck="first", deed=create), *steps), lasts=35.0)


UPGRADE = Plan(
    steps=(
        Step(at=0.1, luck="b", deed=create_service),
        Step(at=3.0, luck="", deed=upgrade, awaits="Serving"),
    ),
    lasts=45.0,
)
"""An upgrade with nothing in its way; in two steps, where services move in steps."""
STEPPED = next(seed for seed in range(100) if in_steps(seed))
RARE = {
    "does not wait for lists": (
        plan(
            Step(at=12.0, luck="", deed=kill_worker),
            Step(at=19.9, luck="", fault=directed.blind("pods", 15.0)),
            Step(at=20.0, luck="", fault=network.lose_log),
        ),
        "workers of",
    ),
    "takes no answer for a failure": (
        plan(Step(at=12.0, luck="a", fault=intermediate.unheard)),
        "workers of",
    ),
    "carries out what was overtaken": (
        plan(
            Step(at=12.0, luck="", fault=directed.asleep("executor", 14.0)),
            Step(at=12.1, luck="", deed=kill_worker),
            Step(at=14.0, luck="", deed=scale),
        ),
        "overtaken",
    ),
    "carries out what former sessions knew": (
        Plan(
            steps=(
                Step(at=5.20, luck="1966 deed 1", deed=create),
                Step(at=5.72, luck="1966 deed 4", deed=evict_pod),
                Step(at=6.64, luck="1966 deed 3", deed=suspend_or_resume),
                Step(at=8.51, luck="1966 fault 2", fault=network.lose_tail),
                Step(at=9.20, luck="1966 fault 0", fault=network.deliver_again),
            ),
            lasts=20.0,
        ),
        "while its cluster is suspended",
    ),
    "is suspended too soon": (
        Plan(
            steps=(
                Step(at=4.676869759172062, luck="135 deed 0", deed=create),
                Step(at=27.648546143030032, luck="135 fault 2", fault=nodes.blackout),
            ),
            lasts=40.0,
        ),
        "while its cluster is suspended",
    ),
    "writes statuses blindly": (
        plan(
            Step(at=11.9, luck="n1", fault=crash.crash_with_calls_under_way),
            Step(at=12.0, luck="a", deed=scale),
            Step(at=12.5, luck="a", deed=kill_worker),
            Step(at=14.1, luck="grow", deed=suspend_or_resume),
        ),
        "observedGeneration from 3 to 2",
    ),
    "commits without looking": (
        plan(
            Step(at=12.0, luck="n20", fault=crash.late_mind),
            Step(at=25.0, luck="n2x", fault=crash.late_mind),
        ),
        "it knew",
    ),
    "believes who contradicts themselves": (
        Plan(
            steps=(
                Step(at=0.1, luck="", deed=job_that("HTTPMode", entrypoint=TAKES_LONG)),
                Step(at=12.0, luck="3", fault=dashboard.deny),
            ),
            lasts=60.0,
        ),
        "was decided on",
    ),
    "steps without a pause": (UPGRADE, "too early"),
    "steps into the void": (UPGRADE, "leads where nobody is known to serve"),
    "takes over halfway": (UPGRADE, "has taken over, and"),
}
WORLDS = {
    "believes who contradicts themselves": world_of(JOB),
    "carries out what former sessions knew": 1966,
    "commits without looking": 2,
    "is suspended too soon": 135,
    "steps without a pause": STEPPED,
    "steps into the void": STEPPED,
    "takes over halfway": STEPPED,
}
"""Where it takes two reconcilers, calls that take just so long, or a service in steps."""


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("forgets what it expects", "workers of"),
        ("is early", "due at"),
        ("deletes what is not its own", "although no act asked for it"),
        ("removes one too many", "and wants"),
        ("runs before its time", "before its time"),
        ("calls every end a success", "28"),
        ("submits under any id", "no act says so"),
        ("counts events anew", "is event 1 after event 1"),
    ],
)
def test_a_safeguard_that_is_taken_away_is_missed(name: str, told: str) -> None:
    seed, sentence = caught(name, SEEDS)

    assert seed in SEEDS
    assert told in sentence


@pytest.mark.parametrize("name", RARE)
def test_a_safeguard_for_a_rare_moment_is_missed_then(name: str) -> None:
    steps, told = RARE[name]

    with MUTANTS[name]():
        sentences = run_plan(WORLDS.get(name, WORLD), steps).violations

    assert told in " ".join(sentences)


@pytest.mark.parametrize("name", RARE)
def test_nothing_happens_in_that_moment_if_the_safeguard_is_there(name: str) -> None:
    assert run_plan(WORLDS.get(name, WORLD), RARE[name][0]).violations == ()
