"""Durations as Go writes them: `1h30m`, `90s`, `1.5h`."""

import re
from datetime import timedelta
from types import MappingProxyType

from shared.cron.gotext import INT_MAX, quoted_bytes

_UNITS = MappingProxyType(
    {
        "ns": 1,
        "us": 10**3,
        "\u00b5s": 10**3,
        "\u03bcs": 10**3,
        "ms": 10**6,
        "s": 10**9,
        "m": 60 * 10**9,
        "h": 3600 * 10**9,
    }
)
_AMOUNT = re.compile(r"([0-9]*)(?:\.([0-9]*))?")
_UNIT = re.compile(r"[^.0-9]*")


def whole_seconds(text: str) -> timedelta:
    """Read a duration and cut it to whole seconds; raise ValueError with Go's sentence."""
    seconds, _ = divmod(_nanoseconds(text), 10**9)
    return timedelta(seconds=seconds)


def _nanoseconds(text: str) -> int:
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return 0
    if not rest:
        raise ValueError(f"time: invalid duration {quoted_bytes(text)}")
    total = 0
    while rest:
        amount, rest = _part(text, rest)
        total += amount
        if total > INT_MAX:
            raise ValueError(f"time: invalid duration {quoted_bytes(text)}")
    return -total if text.startswith("-") else total


def _part(text: str, rest: str) -> tuple[int, str]:
    """Read one number and its unit; return it in nanoseconds, and what follows."""
    amount = _AMOUNT.match(rest)
    whole, fraction = (amount[1], amount[2] or "") if amount else ("", "")
    if not amount or not (whole or fraction) or int(whole or "0") > INT_MAX:
        raise ValueError(f"time: invalid duration {quoted_bytes(text)}")
    unit = _UNIT.match(rest, amount.end())
    name = unit[0] if unit else ""
    if not name:
        raise ValueError(f"time: missing unit in duration {quoted_bytes(text)}")
    if name not in _UNITS:
        told = f"{quoted_bytes(name)} in duration {quoted_bytes(text)}"
        raise ValueError(f"time: unknown unit {told}")
    size = _UNITS[name]
    part = int(fraction or "0") * size // 10 ** len(fraction)
    return int(whole or "0") * size + part, rest[amount.end() + len(name) :]
