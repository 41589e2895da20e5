"""Bounds as people say them in the morning: `03:12` is the last time the clock said so. Pure."""

import re
from datetime import datetime, timedelta

from heliograph.views.bounds import Bound, parse_bound

_CLOCK = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?")


def spoken_bound(text: str, now: datetime) -> Bound:
    """Read a bound, a time of day included; raise ValueError with a sentence for a person.

    A time of day is that of today in UTC, as timelines tell it, or of yesterday where today's is
    yet to come.
    """
    found = _CLOCK.fullmatch(text)
    if found is None:
        return _told(text, now)
    hour, minute, second = (int(part or 0) for part in found.groups())
    moment = now.replace(hour=hour, minute=minute, second=second, microsecond=0)
    return moment if moment <= now else moment - timedelta(days=1)


def spoken_moment(text: str, now: datetime) -> datetime:
    """Read a bound that must be a moment."""
    found = spoken_bound(text, now)
    if isinstance(found, int):
        raise ValueError(f"{text!r} is a sequence, and a moment is asked for")  # noqa: TRY004 - bad data, not a bad type
    return found


def _told(text: str, now: datetime) -> Bound:
    try:
        return parse_bound(text, now)
    except ValueError as problem:
        raise ValueError(f"{problem}, nor a time of day like 03:12") from None
