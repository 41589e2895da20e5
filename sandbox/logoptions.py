"""What is asked of a container's log: the query of a request, read and checked. Pure.

Refusals are worded as the API server does; the kubelet's door has words of its own for them. Read
next: containerlogs.py, which carries it out.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from sandbox.controllers.podlogs import Asked
from sandbox.errors import ApiError, Cause
from sandbox.objects import moment
from sandbox.wording import forbidden, invalid

FALSE = frozenset(("0", "false"))
AT_LEAST = {"tailLines": 0, "limitBytes": 1, "sinceSeconds": 1}
TOO_SMALL = {0: "must be greater than or equal to 0", 1: "must be greater than 0"}
NUMBER_MAX = 2**63
EVER = 10**9
"""More seconds than any pod has lived."""
MOMENT = "2006-01-02T15:04:05Z07:00"
"""How the API server names the form of a moment."""


class Wanted(Struct, frozen=True, kw_only=True):
    """Which lines one request wants, and how."""

    previous: bool = False
    follow: bool = False
    limit: int | None = None
    asked: Asked = Asked()


def read_wanted(query: Mapping[str, str], pod: str, now: datetime) -> Wanted:
    """Read the query of a request; raises `ApiError` where it makes no sense."""
    numbers = {name: _number(query[name]) for name in AT_LEAST if name in query}
    since = _moment(query.get("sinceTime", ""))
    causes = list(_causes(numbers, since))
    if causes:
        raise ApiError.invalid("PodLogOptions", pod, causes)
    seconds = numbers.get("sinceSeconds")
    return Wanted(
        previous=_true(query, "previous"),
        follow=_true(query, "follow"),
        limit=numbers.get("limitBytes"),
        asked=Asked(
            tail=numbers.get("tailLines"),
            since=since if seconds is None else now - timedelta(seconds=min(seconds, EVER)),
            timestamps=_true(query, "timestamps"),
        ),
    )


def _causes(numbers: Mapping[str, int], since: datetime | None) -> Iterator[Cause]:
    both = since is not None and "sinceSeconds" in numbers
    for name, number in numbers.items():
        least = AT_LEAST[name]
        if number < least and not (both and name == "sinceSeconds"):
            yield invalid(name, number, TOO_SMALL[least])
    if both:
        yield forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified")


def _number(text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise ApiError.bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    if not -NUMBER_MAX <= int(text) < NUMBER_MAX:
        raise ApiError.bad_request(f'strconv.ParseInt: parsing "{text}": value out of range')
    return int(text)


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    try:
        found = moment(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        told = f'parsing time "{text}" as "{MOMENT}": cannot parse "{text}" as "2006"'
        raise ApiError.bad_request(told)
    return found


def _true(query: Mapping[str, str], name: str) -> bool:
    """Read a switch: named at all it is on, unless it says otherwise."""
    return name in query and query[name].lower() not in FALSE
