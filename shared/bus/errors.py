"""NATS errors to ours, translated once, here.

Two codes say that somebody else wrote first: one names the last sequence, the other (a clustered
stream with a write in flight) does not. What may pass by itself is `BusUnavailable`; the rest is a
fault of ours and stays an `ApiError`.
"""

import re

from msgspec import Struct

from shared.ports.event_log import BusUnavailable, Refused

WRONG_LAST_SEQUENCE = 10071
WRITE_IN_FLIGHT = 10164
NO_MESSAGE = 10037
NO_STREAM = 10059
NO_CONSUMER = 10014
SERVER_TROUBLE = 500
"""From this code on it is the server's trouble, which may pass."""
SAME_ID_IN_FLIGHT = 10158
TOO_MANY_REQUESTS = 10167
PASSING = frozenset({SAME_ID_IN_FLIGHT, TOO_MANY_REQUESTS})


class Problem(Struct, frozen=True):
    """An error as the server words it."""

    code: int = 0
    err_code: int = 0
    description: str = ""


class ApiError(Exception):
    """The server refused a request for a reason that trying again does not cure."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.err_code}: {problem.description}")
        self.problem = problem


class NoResponders(BusUnavailable):
    """Nobody listens on the subject: nothing was stored by anyone."""


class NotThere(BusUnavailable):
    """The stream or consumer asked about does not exist, or not yet."""


class EntryTooLargeError(ValueError):
    """The entry would not fit into one message; sending it would cost the connection."""


def refusal(problem: Problem) -> Refused | None:
    """Return what a lost compare-and-set means for us; None for any other problem."""
    if problem.err_code not in (WRONG_LAST_SEQUENCE, WRITE_IN_FLIGHT):
        return None
    number = re.search(r"(\d+)\s*$", problem.description)
    return Refused(last=int(number.group(1)) if number else None)


def failure(problem: Problem) -> BusUnavailable | ApiError:
    """Return the exception for a problem: passing (no leader, no stream yet) or ours."""
    sentence = f"{problem.err_code}: {problem.description}"
    if problem.err_code in (NO_STREAM, NO_CONSUMER):
        return NotThere(sentence)
    if problem.code >= SERVER_TROUBLE or problem.err_code in PASSING:
        return BusUnavailable(sentence)
    return ApiError(problem)
