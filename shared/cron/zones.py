"""Time zones by their names, read from the package `tzdata` and from nowhere else.

The zone files of the machine are left alone on purpose: two replicas on different machines would
not agree on what a schedule names. `Local`, and no name at all, is UTC.
"""

import pkgutil
from datetime import tzinfo
from functools import cache
from io import BytesIO
from zoneinfo import ZoneInfo

from shared.cron.schedule import UTC_ZONE

_DATA = "tzdata"
_OURS = frozenset({"", "Local"})


class UnknownZoneError(ValueError):
    """A zone that nobody knows; its text is the one that KubeRay's users know."""


@cache
def zone_named(name: str) -> tzinfo:
    """Return a zone; raise UnknownZoneError with a sentence."""
    known = UTC_ZONE if name in _OURS else name
    if ".." in known or known[0] in "/\\":
        raise UnknownZoneError("time: invalid location name")
    if known not in _names():
        raise UnknownZoneError(f"unknown time zone {name}")
    return ZoneInfo.from_file(BytesIO(_read(f"zoneinfo/{known}")), key=known)


@cache
def _names() -> frozenset[str]:
    return frozenset(_read("zones").decode().split())


def _read(path: str) -> bytes:
    data = pkgutil.get_data(_DATA, path)
    if data is None:
        raise UnknownZoneError(f"the package {_DATA} has no {path}")
    return data
