"""Moments and spans: parse, print, compare. Always UTC, never asked from a clock."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_instant(text: str) -> datetime:
    """Read an RFC 3339 moment, with up to nine digits of fraction."""
    head, dot, rest = text.partition(".")
    if dot:
        digits = len(rest) - len(rest.lstrip("0123456789"))
        text = f"{head}.{rest[: min(digits, 6)]}{rest[digits:]}"
    moment = datetime.fromisoformat(text)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def read_instant(text: str) -> datetime | None:
    """Read a moment that somebody else wrote; None if it is none."""
    try:
        return parse_instant(text)
    except (ValueError, OverflowError):
        return None


def print_instant(moment: datetime) -> str:
    """Write a moment the way Kubernetes does: whole seconds, Z."""
    return f"{_plain(moment).isoformat(timespec='seconds')}Z"


def print_precisely(moment: datetime) -> str:
    """Write a moment with microseconds."""
    return f"{_plain(moment).isoformat(timespec='microseconds')}Z"


def _plain(moment: datetime) -> datetime:
    """Return what a clock in UTC shows, without saying so."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def seconds(span: float) -> timedelta:
    """Return a span of so many seconds."""
    return timedelta(seconds=span)
