"""What users have in the end is what they would have had without faults."""

import pytest
from msgspec.structs import replace

from tests.simulation.comparing import comparable, compared, differing, without_faults
from tests.simulation.kinds import CLUSTER, in_steps, kinds_of
from tests.simulation.plan import draw
from tests.simulation.run import run_plan, run_seed

SEEDS = [seed for seed in range(40) if kinds_of(seed) == (CLUSTER,) and comparable(seed)][:12]
STEPPED = [seed for seed in range(400) if in_steps(seed) and comparable(seed)][:4]
ALIKE = STEPPED[:1]
"""Where users want the same in the end, whatever befell them on the way."""
SUSPENDED_EARLY = (1300, 3800)
"""Faults kept the cluster waiting until it was to be suspended: it never had a service."""
COMPARED_MIN = 6


def compare(seed: int) -> int:
    """Hold the end of a seed against that without faults; return how much could be compared."""
    ours = run_seed(seed).endings
    theirs = run_plan(seed, without_faults(draw(seed))).endings
    assert list(differing(ours, theirs)) == [], f"seed {seed}"
    return len(compared(ours, theirs))


@pytest.mark.parametrize("half", [0, 1])
def test_the_end_is_that_of_a_run_without_faults(half: int) -> None:
    assert sum(compare(seed) for seed in SEEDS[half::2]) >= COMPARED_MIN / 2


@pytest.mark.parametrize("seed", STEPPED)
def test_so_it_is_of_services_in_steps(seed: int) -> None:
    assert compare(seed) >= int(seed in ALIKE)


@pytest.mark.parametrize("seed", SUSPENDED_EARLY)
def test_services_of_what_is_suspended_tell_only_of_when(seed: int) -> None:
    assert compare(seed)


def test_another_end_is_told() -> None:
    ours = run_seed(SEEDS[0]).endings
    worse = {name: replace(end, pods={**end.pods, "lost": 1}) for name, end in ours.items()}
    assert compared(ours, worse)
    assert all("ended with pods" in sentence for sentence in differing(ours, worse))
    assert len(list(differing(ours, worse))) == len(compared(ours, worse))
