"""The same seed tells the same story, whatever the order in which a process hashes its words."""

import os
import subprocess
import sys
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
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


def test_a_seed_tells_the_same_story_in_another_process() -> None:
    assert told(51, "1") == told(51, "2")
