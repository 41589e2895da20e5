"""Retry policies, named for the situation; no numbers at the call site.

    answer = await retry(BRIEFLY, lambda: session.get(path), on=TryLaterError)

Only the given exceptions are tried again; the last one is raised when the policy gives up. An
exception with a `retry_after` (a timedelta or seconds) is waited for at least that long. Time is
the loop's, so policies also hold on a virtual clock.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from random import Random
from typing import TypeVar

from msgspec import Struct
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type

from shared.runtime.backoff import Backoff
from shared.runtime.chance import SYSTEM_CHANCE

Answer = TypeVar("Answer")


class Policy(Struct, frozen=True, kw_only=True):
    """When to try again, and when to give up; a bound that is None never ends the tries."""

    name: str
    backoff: Backoff
    attempts_max: int | None = None
    within: timedelta | None = None


BRIEFLY = Policy(
    name="briefly",
    backoff=Backoff(first=timedelta(milliseconds=50), most=timedelta(seconds=1)),
    attempts_max=4,
    within=timedelta(seconds=5),
)
"""Someone waits for the answer: a hiccup may pass, an outage may not."""

AT_ONCE = Policy(
    name="at once",
    backoff=Backoff(first=timedelta(milliseconds=50), most=timedelta(milliseconds=500)),
    attempts_max=4,
    within=timedelta(seconds=1),
)
"""It changes something and was allowed a moment ago: what comes later must be allowed anew."""

PATIENTLY = Policy(
    name="patiently",
    backoff=Backoff(first=timedelta(milliseconds=200), most=timedelta(seconds=5)),
    within=timedelta(seconds=60),
)
"""Nobody waits, and giving up costs more work than going on for a minute."""

UNTIL_CANCELLED = Policy(
    name="until cancelled",
    backoff=Backoff(first=timedelta(milliseconds=200), most=timedelta(seconds=30)),
)
"""There is nothing else to do: only the end of the task ends it."""


async def retry(
    policy: Policy,
    call: Callable[[], Awaitable[Answer]],
    *,
    on: type[Exception] | tuple[type[Exception], ...],
    chance: Random = SYSTEM_CHANCE,
) -> Answer:
    """Call until it answers or the policy gives up; raise the last error then.

    Most calls answer at once, so only a failure brings in the machinery.
    """
    began = asyncio.get_running_loop().time()
    try:
        return await call()
    except on as error:
        failed = iter((error,))

    def pause(state: RetryCallState) -> float:
        drawn = policy.backoff.pause(state.attempt_number, chance)
        return max(drawn, _asked_for(state)).total_seconds()

    def over(state: RetryCallState) -> bool:
        spent = timedelta(seconds=asyncio.get_running_loop().time() - began + state.upcoming_sleep)
        tried_enough = policy.attempts_max and state.attempt_number >= policy.attempts_max
        return bool(tried_enough) or (policy.within is not None and spent > policy.within)

    trying = AsyncRetrying(
        sleep=asyncio.sleep,
        wait=pause,
        stop=over,
        retry=retry_if_exception_type(on),
        reraise=True,
    )

    async def attempt() -> Answer:
        for first in failed:
            raise first
        return await call()

    return await trying(attempt)


def _asked_for(state: RetryCallState) -> timedelta:
    error = state.outcome.exception() if state.outcome else None
    match getattr(error, "retry_after", None):
        case timedelta() as span:
            return span
        case int() | float() as count:
            return timedelta(seconds=count)
        case _:
            return timedelta()
