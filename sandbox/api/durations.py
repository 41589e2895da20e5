"""Spans of time as kubectl prints them: two units at most, coarser with age.

Pure.
"""

from datetime import datetime, timedelta

MINUTE, HOUR, DAY, YEAR = 60, 3600, 86400, 365 * 86400


def age(since: str, now: datetime) -> str:
    """Return how long ago a timestamp was."""
    try:
        return human(now - datetime.fromisoformat(since))
    except (TypeError, ValueError):
        return "<unknown>"


def human(span: timedelta) -> str:
    """Print a span."""
    seconds = int(span.total_seconds())
    if seconds < -1:
        return "<invalid>"
    if seconds < 0:
        return "0s"
    for limit, unit, rest, names in STEPS:
        if seconds < limit:
            return _two(seconds, unit, rest, names)
    return f"{seconds // YEAR}y"


def _two(seconds: int, unit: int, rest: int, names: str) -> str:
    whole = seconds // unit
    left = (seconds % unit) // rest if rest else 0
    return f"{whole}{names[0]}{left}{names[1]}" if left else f"{whole}{names[0]}"


STEPS = (
    (2 * MINUTE, 1, 0, "s"),
    (10 * MINUTE, MINUTE, 1, "ms"),
    (3 * HOUR, MINUTE, 0, "m"),
    (8 * HOUR, HOUR, MINUTE, "hm"),
    (2 * DAY, HOUR, 0, "h"),
    (8 * DAY, DAY, HOUR, "dh"),
    (2 * YEAR, DAY, 0, "d"),
    (8 * YEAR, YEAR, DAY, "yd"),
)
