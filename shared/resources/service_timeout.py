"""How long a RayService may take to be ready for the first time, as its annotation says."""

from collections.abc import Mapping
from datetime import timedelta

from shared.cron.durations import whole_seconds
from shared.cron.gotext import whole_number

ANNOTATION = "ray.io/initializing-timeout"
LONGEST = timedelta(days=36500)
"""A century: what is longer is this long, so that a moment can be added to it."""


def initializing_timeout(annotations: Mapping[str, str]) -> timedelta | None:
    """Return the limit: a duration as Go writes it, or whole seconds; None for no limit."""
    text = annotations.get(ANNOTATION, "")
    if not text:
        return None
    try:
        return min(max(whole_seconds(text), timedelta(seconds=1)), LONGEST)
    except (ValueError, OverflowError):
        pass
    try:
        return timedelta(seconds=min(whole_number(text), LONGEST.total_seconds()))
    except (ValueError, OverflowError):
        return None


def go_duration(span: timedelta) -> str:
    """Write a span as Go does: `1h30m0s`."""
    seconds = int(span.total_seconds())
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    if hours:
        return f"{hours}h{minutes}m{seconds}s"
    return f"{minutes}m{seconds}s" if minutes else f"{seconds}s"
