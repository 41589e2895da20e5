"""One field of a schedule: a list of numbers, names, ranges and steps.

Errors come in the order and the words of the parser that KubeRay uses: users search for them.
"""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from shared.cron.gotext import whole_number
from shared.cron.schedule import ScheduleError

_NO_NAMES: Mapping[str, int] = MappingProxyType({})
_STARS = frozenset("*?")


def _numbered(first: int, names: str) -> Mapping[str, int]:
    return MappingProxyType({name: first + i for i, name in enumerate(names.split())})


class Bounds(Struct, frozen=True):
    """What a field may hold, and the names of its numbers."""

    lowest: int
    highest: int
    names: Mapping[str, int] = _NO_NAMES


class Field(Struct, frozen=True):
    """The numbers of a field, and whether a star leaves it unrestricted."""

    numbers: frozenset[int]
    unrestricted: bool


MINUTES = Bounds(0, 59)
HOURS = Bounds(0, 23)
DAYS = Bounds(1, 31)
MONTHS = Bounds(1, 12, _numbered(1, "jan feb mar apr may jun jul aug sep oct nov dec"))
WEEKDAYS = Bounds(0, 6, _numbered(0, "sun mon tue wed thu fri sat"))


def parse_field(text: str, bounds: Bounds) -> Field:
    """Read a field; an empty item of its list says nothing."""
    parts = [_parse_item(item, bounds) for item in text.split(",") if item]
    return Field(
        numbers=frozenset().union(*(part.numbers for part in parts)),
        unrestricted=any(part.unrestricted for part in parts),
    )


def _parse_item(item: str, bounds: Bounds) -> Field:
    span, *steps = item.split("/")
    low, *highs = span.split("-")
    star = low in _STARS
    first, last = (bounds.lowest, bounds.highest) if star else _range(item, low, highs, bounds)
    if len(steps) > 1:
        raise ScheduleError(f"too many slashes: {item}")
    step = _number(steps[0]) if steps else 1
    if steps and not highs:
        last = bounds.highest
    _check(item, first, last, step, bounds)
    return Field(numbers=frozenset(range(first, last + 1, step)), unrestricted=star and step == 1)


def _range(item: str, low: str, highs: list[str], bounds: Bounds) -> tuple[int, int]:
    first = _number(low, bounds.names)
    if len(highs) > 1:
        raise ScheduleError(f"too many hyphens: {item}")
    return first, _number(highs[0], bounds.names) if highs else first


def _check(item: str, first: int, last: int, step: int, bounds: Bounds) -> None:
    if first < bounds.lowest:
        told = f"beginning of range ({first}) below minimum ({bounds.lowest})"
    elif last > bounds.highest:
        told = f"end of range ({last}) above maximum ({bounds.highest})"
    elif first > last:
        told = f"beginning of range ({first}) beyond end of range ({last})"
    elif step == 0:
        told = "step of range should be a positive number"
    else:
        return
    raise ScheduleError(f"{told}: {item}")


def _number(text: str, names: Mapping[str, int] = _NO_NAMES) -> int:
    named = names.get(text.lower())
    if named is not None:
        return named
    try:
        number = whole_number(text)
    except ValueError as problem:
        raise ScheduleError(f"failed to parse int from {text}: {problem}") from None
    if number < 0:
        raise ScheduleError(f"negative number ({number}) not allowed: {text}")
    return number
