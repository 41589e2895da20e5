"""A schedule as values: a calendar of wall times in a zone, or a steady pace.

A `Calendar` names every minute whose wall time matches all of its fields. What a day must match is
the one surprise, and it is cron's own: if either day field is unrestricted both must match,
otherwise one of them is enough.
"""

from datetime import date, timedelta
from functools import cached_property

from msgspec import Struct

UTC_ZONE = "UTC"
_SUNDAY = 7


class Calendar(Struct, frozen=True, kw_only=True, dict=True):
    """Wall times: sets of numbers as cron counts them, weekdays from Sunday, which is 0."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    both_days: bool
    """Whether day of month and day of week must match, and not just one of them."""
    zone: str = UTC_ZONE

    @cached_property
    def times(self) -> tuple[int, ...]:
        """The minutes of a matching day, counted from its midnight, in order."""
        return tuple(60 * hour + minute for hour in sorted(self.hours) for minute in self._minutes)

    @cached_property
    def _minutes(self) -> tuple[int, ...]:
        return tuple(sorted(self.minutes))

    def names(self, day: date) -> bool:
        """Say whether a day of the calendar matches."""
        if day.month not in self.months:
            return False
        by_month = day.day in self.days
        by_week = day.isoweekday() % _SUNDAY in self.weekdays
        return (by_month and by_week) if self.both_days else (by_month or by_week)


class Every(Struct, frozen=True, kw_only=True):
    """A steady pace, in whole seconds, counted from the moment before."""

    span: timedelta


Schedule = Calendar | Every


class ScheduleError(ValueError):
    """A schedule that cannot be read; its text is the one that KubeRay's users know."""
