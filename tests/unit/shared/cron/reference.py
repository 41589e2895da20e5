"""Cron once more, the slow way: look at every minute and ask whether its wall time matches.

Nothing here is shared with `shared.cron`, not even the reading of a field.
"""

from datetime import UTC, datetime, timedelta
from importlib.resources import files
from zoneinfo import ZoneInfo

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


def first_minute(text: str, zone: str, after: datetime, days: int) -> datetime | None:
    """Return the first matching minute later than `after`, at most so many days later."""
    fields = text.split()
    with files("tzdata.zoneinfo").joinpath(zone).open("rb") as data:
        clock = ZoneInfo.from_file(data)
    moment = after.replace(second=0, microsecond=0)
    for _ in range(days * 24 * 60):
        moment += timedelta(minutes=1)
        if matches(fields, moment.astimezone(clock)):
            return moment.astimezone(UTC)
    return None


def matches(fields: list[str], wall: datetime) -> bool:
    minute, hour, day, month, weekday = fields
    by_month, by_week = holds(day, wall.day, 31), holds(weekday, wall.isoweekday() % 7, 6, WEEKDAYS)
    stars = any(item in ("*", "?", "*/1") for each in (day, weekday) for item in each.split(","))
    return (
        holds(minute, wall.minute, 59)
        and holds(hour, wall.hour, 23)
        and holds(month, wall.month, 12, MONTHS, first=1)
        and ((by_month and by_week) if stars else (by_month or by_week))
    )


def holds(
    field: str, number: int, highest: int, names: tuple[str, ...] = (), first: int = 0
) -> bool:
    for index, name in enumerate(names):
        field = field.lower().replace(name, str(index + first))
    lowest = 0 if first == 0 and highest != 31 else 1
    for item in field.split(","):
        span, _, step = item.partition("/")
        low, _, high = span.partition("-")
        begin = lowest if low in "*?" else int(low)
        end = highest if low in "*?" or (step and not high) else int(high or low)
        if begin <= number <= end and (number - begin) % int(step or 1) == 0:
            return True
    return False
