"""The same seed tells the same story, whatever the order in which a process hashes its words."""

import gc
import os
import subprocess
import sys
from pathlib import Path
from weakref import ref

import pytest

from tests.simulation.__main__ import in_one_word
from tests.simulation.kinds import ODDS, kinds_of
from tests.simulation.plan import draw
from tests.simulation.run import run_plan, run_seed
from tests.simulation.world import World

HOME = Path(__file__).resolve().parents[2]
WITH_EVERYTHING = next(seed for seed in range(1000) if set(ODDS) <= set(kinds_of(seed)))
OF_METRICS, BEFORE = 197, 181
"""Seeds in which metrics are read: a process has one set of them, for all its worlds."""
TELL = "from tests.simulation.run import run_seed; print(run_seed({seed}).story.fingerprint())"


def told(seed: int, hash_seed: str) -> str:
    """Run a seed in a process of its own; return the fingerprint of its story."""
    done = subprocess.run(
        [sys.executable, "-c", TELL.format(seed=seed)],
        cwd=HOME,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("seed", [51, WITH_EVERYTHING])
def test_a_seed_tells_the_same_story_in_another_process(seed: int) -> None:
    assert told(seed, "1") == told(seed, "2")


def test_a_seed_tells_the_same_story_whatever_was_told_before() -> None:
    run_seed(BEFORE)
    assert run_seed(OF_METRICS).story.fingerprint() == told(OF_METRICS, "1").strip()


def test_one_word_stands_for_all_stories_in_any_order() -> None:
    assert in_one_word({1: "a", 2: "b"}) == in_one_word({2: "b", 1: "a"})
    assert in_one_word({1: "a", 2: "b"}) != in_one_word({1: "b", 2: "a"})


def test_nothing_keeps_a_world_that_has_ended() -> None:
    worlds: list[ref[World]] = []
    run_plan(0, draw(0), lambda world: worlds.append(ref(world)))
    gc.collect()

    assert [world() for world in worlds] == [None]
