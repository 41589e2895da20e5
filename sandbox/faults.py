"""Faults on purpose: requests that are refused, or carried out with their answer lost.

Pure. A fault plan is a function from a request to a fault or None; the cluster asks it before
every request. `seeded_faults` makes a plan whose n-th answer follows from a seed, so that a run
repeats exactly.
"""

from collections.abc import Callable
from hashlib import sha256
from itertools import count
from typing import TypeAlias

from msgspec import Struct

from sandbox.errors import ApiError
from sandbox.requests import WRITING, Request


class Refuse(Struct, frozen=True, kw_only=True):
    """Answer with this error, and do nothing."""

    error: ApiError


class LoseAnswer(Struct, frozen=True):
    """Carry the request out, then break the connection."""


Fault: TypeAlias = Refuse | LoseAnswer
Faults: TypeAlias = Callable[[Request], Fault | None]

LOSE_ANSWER = LoseAnswer()


class FaultRates(Struct, frozen=True, kw_only=True):
    """How many of a thousand requests meet which fault."""

    refused: int = 0
    throttled: int = 0
    answer_lost: int = 0


def no_faults(_: Request) -> Fault | None:
    """Let every request through."""
    return None


def seeded_faults(seed: str, rates: FaultRates) -> Faults:
    """Return a plan that draws each request's fate from the seed and the request's number."""
    numbers = count()

    def plan(request: Request) -> Fault | None:
        digest = sha256(f"{seed}/{next(numbers)}".encode()).digest()
        drawn = int.from_bytes(digest[:4], "big") % 1000
        if drawn < rates.refused:
            return Refuse(error=ApiError.internal("injected fault"))
        if drawn < rates.refused + rates.throttled:
            return Refuse(error=ApiError.too_many_requests())
        lost_until = rates.refused + rates.throttled + rates.answer_lost
        return LOSE_ANSWER if drawn < lost_until and request.verb in WRITING else None

    return plan
