"""A text to a schedule, in the grammar that KubeRay's users write.

Five fields or a descriptor, with `TZ=` or `CRON_TZ=` and a zone in front if wanted. What cannot be
read is told in the words of the parser that KubeRay uses. The order of the checks is its order,
too: a text with two faults has one first error.
"""

from datetime import timedelta
from types import MappingProxyType

from shared.cron.durations import whole_seconds
from shared.cron.fields import DAYS, HOURS, MINUTES, MONTHS, WEEKDAYS, parse_field
from shared.cron.gotext import SPACES, words
from shared.cron.schedule import UTC_ZONE, Calendar, Every, Schedule, ScheduleError
from shared.cron.zones import UnknownZoneError, zone_named

BOUNDS = (MINUTES, HOURS, DAYS, MONTHS, WEEKDAYS)
DESCRIPTORS = MappingProxyType(
    {
        "@yearly": "0 0 1 1 *",
        "@annually": "0 0 1 1 *",
        "@monthly": "0 0 1 * *",
        "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *",
        "@midnight": "0 0 * * *",
        "@hourly": "0 * * * *",
    }
)
_EVERY = "@every "
_ZONED = ("TZ=", "CRON_TZ=")
_SHORTEST = timedelta(seconds=1)


def parse_schedule(text: str, zone: str | None = None) -> Schedule:
    """Read a schedule, in a zone if one is given; raise ScheduleError with a sentence."""
    if not text:
        raise ScheduleError("empty spec string")
    if zone is None:
        zone, text = _split_zone(text)
    _require_zone(zone)
    if text.startswith(_EVERY):
        return _every(text)
    if text.startswith("@"):
        if text not in DESCRIPTORS:
            raise ScheduleError(f"unrecognized descriptor: {text}")
        text = DESCRIPTORS[text]
    return _calendar(text, zone)


def _split_zone(text: str) -> tuple[str, str]:
    """Return the zone in front of a schedule, and the rest."""
    if not text.startswith(_ZONED):
        return UTC_ZONE, text
    prefix, blank, rest = text.partition(" ")
    if not blank:
        raise ScheduleError(f"no schedule follows the time zone: {text}")
    return prefix.partition("=")[2], rest.strip(SPACES)


def _require_zone(name: str) -> None:
    try:
        zone_named(name)
    except UnknownZoneError as problem:
        raise ScheduleError(f"provided bad location {name}: {problem}") from None


def _every(text: str) -> Every:
    try:
        span = whole_seconds(text.removeprefix(_EVERY))
    except ValueError as problem:
        raise ScheduleError(f"failed to parse duration {text}: {problem}") from None
    return Every(span=max(span, _SHORTEST))


def _calendar(text: str, zone: str) -> Calendar:
    fields = words(text)
    if len(fields) != len(BOUNDS):
        told = f"found {len(fields)}: [{' '.join(fields)}]"
        raise ScheduleError(f"expected exactly {len(BOUNDS)} fields, {told}")
    minutes, hours, days, months, weekdays = (
        parse_field(field, bounds) for field, bounds in zip(fields, BOUNDS, strict=True)
    )
    return Calendar(
        minutes=minutes.numbers,
        hours=hours.numbers,
        days=days.numbers,
        months=months.numbers,
        weekdays=weekdays.numbers,
        both_days=days.unrestricted or weekdays.unrestricted,
        zone=zone or UTC_ZONE,
    )
