"""Spans of time as people write them: `7d`, `12h`, `1h30m`, `10s`, `500ms`."""

import re
from datetime import timedelta
from types import MappingProxyType

_UNITS = MappingProxyType(
    {
        "d": timedelta(days=1),
        "h": timedelta(hours=1),
        "m": timedelta(minutes=1),
        "s": timedelta(seconds=1),
        "ms": timedelta(milliseconds=1),
    }
)
_PART = re.compile(r"([0-9]+)(ms|[dhms])")
_WHOLE = re.compile(r"([0-9]{1,9}(ms|[dhms]))+")


def parse_span(text: str) -> timedelta:
    """Read a span above zero; raise ValueError with a sentence for a person."""
    if not _WHOLE.fullmatch(text):
        raise ValueError("must be a span like 7d, 12h, 30m or 10s")
    try:
        span = sum((int(n) * _UNITS[unit] for n, unit in _PART.findall(text)), timedelta())
    except OverflowError:
        raise ValueError("must be a span that a calendar can hold") from None
    if not span:
        raise ValueError("must be longer than nothing")
    return span


def print_span(span: timedelta) -> str:
    """Write a span so that `parse_span` reads the same, to the millisecond."""
    parts = []
    for unit, size in _UNITS.items():
        count, span = divmod(span, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0s"
