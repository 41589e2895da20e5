"""Planted bugs are noticed, and by the invariant that watches over what was taken away.

Those that a few seeds find; the rest are hunted by `python -m tests.simulation --mutants`. That the
same seeds are fine without them is what `test_swarm.py` says.
"""

import pytest

from tests.simulation.__main__ import caught

SEEDS = range(4)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("forgets what it expects", "workers of"),
        ("overlooks deletions", "Kubernetes None"),
        ("is early", "due at"),
        ("deletes what is not its own", "although no act asked for it"),
    ],
)
def test_a_safeguard_that_is_taken_away_is_missed(name: str, told: str) -> None:
    seed, sentence = caught(name, SEEDS)

    assert seed in SEEDS
    assert told in sentence
