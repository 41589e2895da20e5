"""Luck from the seed for everybody who would ask the system for it.

Jitter is drawn from `SYSTEM_CHANCE` wherever nobody passes another one. For the time of a run it
draws from the seed instead, so that the same seed makes the same pauses.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from shared.runtime.chance import SYSTEM_CHANCE


@contextmanager
def lucky(seed: int) -> Iterator[None]:
    """Let the system's chance follow from a seed while the block runs."""
    vars(SYSTEM_CHANCE)["random"] = Random(f"luck {seed}").random  # noqa: S311 - luck that repeats
    try:
        yield
    finally:
        del vars(SYSTEM_CHANCE)["random"]
