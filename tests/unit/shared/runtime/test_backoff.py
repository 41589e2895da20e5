"""Pauses grow, have a bound, and are never the same for two who failed together."""

from datetime import timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from shared.runtime.backoff import Backoff

BACKOFF = Backoff(first=timedelta(seconds=1), most=timedelta(seconds=10))


@given(st.integers(min_value=0, max_value=10**9), st.randoms(use_true_random=False))
def test_a_pause_is_between_half_and_the_whole_of_its_step(failures: int, chance: Random) -> None:
    step = min(timedelta(seconds=2 ** min(max(failures - 1, 0), 5)), BACKOFF.most)

    assert step / 2 <= BACKOFF.pause(failures, chance) <= step


def test_one_seed_gives_one_sequence_of_pauses() -> None:
    once = [BACKOFF.pause(failures, Random(7)) for failures in range(1, 6)]
    again = [BACKOFF.pause(failures, Random(7)) for failures in range(1, 6)]

    assert once == again


def test_two_who_failed_together_come_back_apart() -> None:
    assert BACKOFF.pause(3, Random(1)) != BACKOFF.pause(3, Random(2))
