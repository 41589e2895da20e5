"""What users have in the end is what they would have had without faults."""

import pytest
from msgspec.structs import replace

from tests.simulation.kinds import CLUSTER, in_steps, kinds_of
from tests.simulation.plan import Plan, draw
from tests.simulation.run import run_plan, run_seed

SEEDS = [seed for seed in range(40) if kinds_of(seed) == (CLUSTER,)][:12]
"""Worlds of clusters: how a job ends may well depend on what befell it."""
STEPPED = [seed for seed in range(400) if in_steps(seed)][:4]
ALIKE = STEPPED[:1]
"""Where users want the same in the end, whatever befell them on the way."""
COMPARED_MIN = 6
SENSELESS = "SpecInvalid is True"
"""Where a spec makes no sense, what was there before stays."""


def without_faults(plan: Plan) -> Plan:
    """Leave users and mishaps, and take every fault away."""
    return replace(plan, steps=tuple(step for step in plan.steps if step.fault is None))


def compare(seed: int) -> int:
    """Hold the end of a seed against that without faults; return how much could be compared."""
    ours = run_seed(seed).endings
    theirs = run_plan(seed, without_faults(draw(seed))).endings
    same = [
        name
        for name in ours.keys() & theirs.keys()
        if ours[name].wish == theirs[name].wish and SENSELESS not in theirs[name].told
    ]
    for name in same:
        assert ours[name] == theirs[name], f"seed {seed}, {name}"
    return len(same)


@pytest.mark.parametrize("half", [0, 1])
def test_the_end_is_that_of_a_run_without_faults(half: int) -> None:
    assert sum(compare(seed) for seed in SEEDS[half::2]) >= COMPARED_MIN / 2


@pytest.mark.parametrize("seed", STEPPED)
def test_so_it_is_of_services_in_steps(seed: int) -> None:
    assert compare(seed) >= int(seed in ALIKE)
