"""When and how long, as flags say it. In a capsule, now is its end."""

from argparse import Namespace
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

from heliograph.assembly.capsules import read_manifest
from heliograph.views.bounds import Bound, Bounds
from heliograph.views.clocktime import spoken_bound, spoken_moment
from shared.runtime.clock import SystemClock
from shared.runtime.failures import FatalError
from shared.runtime.spans import parse_span

T = TypeVar("T")
WHEN = (
    "a sequence (4711), a moment (2030-01-01T03:12Z), a time of day (03:12, UTC), a span ago (2h)"
)


def now_of(args: Namespace) -> datetime:
    """Return the present; not every command knows capsules."""
    path = getattr(args, "capsule", None)
    ended = read_manifest(path).span.ended_at if path is not None else None
    return ended or SystemClock().now()


def bound_of(args: Namespace, flag: str, text: str | None) -> Bound | None:
    """Read a bound that a flag gives, if it does."""
    return _read(spoken_bound, args, flag, text) if text is not None else None


def moment_of(args: Namespace, flag: str, text: str | None) -> datetime | None:
    """Read a flag that takes a moment and no sequence, if it is given."""
    return _read(spoken_moment, args, flag, text) if text is not None else None


def bounds_of(args: Namespace, first: str | None, last: str | None) -> Bounds:
    """Read where a range begins and ends."""
    return Bounds(first=bound_of(args, "--from", first), last=bound_of(args, "--to", last))


def span_of(flag: str, text: str) -> timedelta:
    """Read how long something is to take."""
    try:
        return parse_span(text)
    except ValueError as problem:
        raise FatalError(f"{flag}: {text!r} {problem}") from problem


def _read(read: Callable[[str, datetime], T], args: Namespace, flag: str, text: str) -> T:
    try:
        return read(text, now_of(args))
    except ValueError as problem:
        raise FatalError(f"{flag}: {problem}") from problem
