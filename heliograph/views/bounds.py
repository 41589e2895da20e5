"""Where a range of the log begins and ends, as people say it. Pure.

A bound is a sequence (`4711`), a moment (`2030-01-01T12:00Z`, without a zone in UTC) or a span that
reaches back from now (`2h`, `7d`).
"""

from datetime import UTC, datetime

from msgspec import Struct

from shared.runtime.spans import parse_span

Bound = int | datetime


class Bounds(Struct, frozen=True, kw_only=True):
    """A range; both ends belong to it."""

    first: Bound | None = None
    last: Bound | None = None

    def holds(self, sequence: int, at: datetime) -> bool:
        """Whether a record is in the range."""
        return self.begun(sequence, at) and not self.passed(sequence, at)

    def begun(self, sequence: int, at: datetime) -> bool:
        """Whether a record is not before the range."""
        return self.first is None or not _before(sequence, at, self.first)

    def passed(self, sequence: int, at: datetime) -> bool:
        """Whether a record, and so every later one, is past the range."""
        return self.last is not None and _after(sequence, at, self.last)


def parse_bound(text: str, now: datetime) -> Bound:
    """Read a bound; raise ValueError with a sentence for a person."""
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        return now - parse_span(text)
    except OverflowError:
        raise ValueError(f"{text!r} is longer ago than there were days") from None
    except ValueError:
        pass
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"{text!r} is no sequence like 4711, no moment like 2030-01-01T12:00:00Z "
            "and no span like 2h or 7d"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _before(sequence: int, at: datetime, bound: Bound) -> bool:
    return at < bound if isinstance(bound, datetime) else sequence < bound


def _after(sequence: int, at: datetime, bound: Bound) -> bool:
    return at > bound if isinstance(bound, datetime) else sequence > bound
