"""Many seeds, each a small world of its own: services, faults, users, invariants.

One that fails is told whole by `python -m tests.simulation SEED --trace`; how to go on from there
is in docs/internals/simulation.md.
"""

import pytest

from tests.simulation.run import run_seed

SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_keeps_every_promise(seed: int) -> None:
    assert run_seed(seed).violations == ()
