"""The moments that a schedule names: the first after a moment, the last up to a moment.

A calendar names every minute whose wall time matches. So a time that a clock skips is not named on
that day, and one that it shows twice is named twice. Days on which no clock is changed are mere
arithmetic; around a change every named wall time is looked up in the zone, both times it is shown,
because there the order of wall times is not the order of moments.
"""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from shared.cron.schedule import Calendar, Every, Schedule
from shared.cron.zones import zone_named

HORIZON_YEARS = 5
"""What is not named within so many years is never named."""
EARLIEST, LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(9900, 1, 1, tzinfo=UTC)
"""Beyond these nobody's calendar is to be trusted; nothing is named there."""

_DAY, _MINUTE = timedelta(days=1), timedelta(minutes=1)


def tick_after(schedule: Schedule, after: datetime) -> datetime | None:
    """Return the first named moment that is later than `after`; None if there is none."""
    if not EARLIEST <= after <= LATEST:
        return None
    if isinstance(schedule, Every):
        return after.replace(microsecond=0) + schedule.span
    zone = zone_named(schedule.zone)
    today = after.astimezone(zone).date()
    last = date(today.year + HORIZON_YEARS, 12, 31)
    for day in _days(schedule, today - _DAY, last):
        found = _first_after(schedule, day, zone, after)
        if found is not None:
            return found
    return None


def last_tick(schedule: Schedule, after: datetime, until: datetime) -> datetime | None:
    """Return the last named moment that is later than `after` and not later than `until`."""
    if not EARLIEST <= after < until <= LATEST:
        return None
    if isinstance(schedule, Every):
        base = after.replace(microsecond=0)
        count = (until - base) // schedule.span
        return base + count * schedule.span if count else None
    zone = zone_named(schedule.zone)
    first = after.astimezone(zone).date() - _DAY
    day = until.astimezone(zone).date() + _DAY
    while day >= first:
        if schedule.names(day):
            found = _last_until(schedule, day, zone, until)
            if found is not None:
                return found if found > after else None
        day -= _DAY
    return None


def _days(schedule: Calendar, first: date, last: date) -> Iterator[date]:
    """Yield the days that match, month by month."""
    day = first
    while day <= last:
        if day.month not in schedule.months:
            day = (day.replace(day=1) + timedelta(days=32)).replace(day=1)
            continue
        if schedule.names(day):
            yield day
        day += _DAY


def _first_after(schedule: Calendar, day: date, zone: tzinfo, after: datetime) -> datetime | None:
    midnight = _steady_midnight(day, zone)
    if midnight is None:
        return min((one for one in _around(schedule, day, zone) if one > after), default=None)
    index = bisect_right(schedule.times, (after - midnight) // _MINUTE)
    return midnight + schedule.times[index] * _MINUTE if index < len(schedule.times) else None


def _last_until(schedule: Calendar, day: date, zone: tzinfo, until: datetime) -> datetime | None:
    midnight = _steady_midnight(day, zone)
    if midnight is None:
        return max((one for one in _around(schedule, day, zone) if one <= until), default=None)
    index = bisect_right(schedule.times, (until - midnight) // _MINUTE)
    return midnight + schedule.times[index - 1] * _MINUTE if index else None


def _steady_midnight(day: date, zone: tzinfo) -> datetime | None:
    """Return the moment of a day's midnight; None if a clock is changed on it or around it."""
    offsets = {
        datetime.combine(day + shift * _DAY, time(fold=fold), zone).utcoffset()
        for shift in (0, 1)
        for fold in (0, 1)
    }
    offset = offsets.pop() if len(offsets) == 1 else None
    return None if offset is None else datetime.combine(day, time(), UTC) - offset


def _around(schedule: Calendar, day: date, zone: tzinfo) -> Iterator[datetime]:
    """Yield what is named on a day and beside it, each wall time as often as it is shown."""
    for near in (day - _DAY, day, day + _DAY):
        if schedule.names(near):
            for minutes in schedule.times:
                yield from _shown(near, minutes, zone)


def _shown(day: date, minutes: int, zone: tzinfo) -> Iterator[datetime]:
    hour, minute = divmod(minutes, 60)
    wall = datetime.combine(day, time(hour, minute))
    for fold in (0, 1):
        moment = wall.replace(tzinfo=zone, fold=fold).astimezone(UTC)
        if moment.astimezone(zone).replace(tzinfo=None, fold=0) == wall:
            yield moment
