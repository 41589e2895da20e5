"""Retry policies: what is tried again, how long, and when it ends. On a virtual clock."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from random import Random

import pytest

from shared.runtime.retry import BRIEFLY, PATIENTLY, UNTIL_CANCELLED, Policy, retry
from tests.unit.shared.runtime.virtually import run_virtually


class LaterError(Exception):
    """Not now."""

    def __init__(self, retry_after: timedelta | float | None = None) -> None:
        super().__init__("later")
        self.retry_after = retry_after


def failing(times: int, error: Exception) -> tuple[Callable[[], Awaitable[str]], list[float]]:
    """Return a call that fails so often and then answers, and the moments it was made."""
    moments: list[float] = []

    async def call() -> str:
        moments.append(asyncio.get_running_loop().time())
        await asyncio.sleep(0)
        if len(moments) <= times:
            raise error
        return "done"

    return call, moments


def attempt(policy: Policy, call: Callable[[], Awaitable[str]]) -> str:
    return run_virtually(retry(policy, call, on=LaterError, chance=Random(3)))


def test_an_answer_is_asked_for_once() -> None:
    call, moments = failing(0, LaterError())

    assert attempt(BRIEFLY, call) == "done"
    assert moments == [0.0]


def test_tries_again_until_it_answers() -> None:
    call, moments = failing(3, LaterError())

    assert attempt(BRIEFLY, call) == "done"
    assert len(moments) == 4


def test_briefly_gives_up_with_the_last_error() -> None:
    call, moments = failing(99, LaterError())

    with pytest.raises(LaterError):
        attempt(BRIEFLY, call)
    assert len(moments) == BRIEFLY.attempts_max


def test_patiently_gives_up_within_its_bound() -> None:
    call, moments = failing(9999, LaterError())

    with pytest.raises(LaterError):
        attempt(PATIENTLY, call)
    assert 50 < moments[-1] <= 60


def test_until_cancelled_goes_on_for_hours() -> None:
    call, moments = failing(500, LaterError())

    assert attempt(UNTIL_CANCELLED, call) == "done"
    assert moments[-1] > timedelta(hours=1).total_seconds()


def test_another_error_is_not_tried_again() -> None:
    call, moments = failing(1, ZeroDivisionError())

    with pytest.raises(ZeroDivisionError):
        attempt(UNTIL_CANCELLED, call)
    assert len(moments) == 1


@pytest.mark.parametrize("asked", [timedelta(seconds=3), 3, 3.0])
def test_waits_at_least_as_long_as_it_was_asked_to(asked: timedelta | float) -> None:
    call, moments = failing(1, LaterError(asked))

    attempt(BRIEFLY, call)
    assert moments == [0.0, pytest.approx(3.0)]


def test_does_not_wait_past_its_bound_for_someone_who_asks_for_more() -> None:
    call, moments = failing(1, LaterError(timedelta(hours=1)))

    with pytest.raises(LaterError):
        attempt(BRIEFLY, call)
    assert moments == [0.0]


def test_one_seed_gives_one_history() -> None:
    first, moments = failing(9, LaterError())
    second, again = failing(9, LaterError())
    attempt(UNTIL_CANCELLED, first)
    attempt(UNTIL_CANCELLED, second)

    assert moments == again
