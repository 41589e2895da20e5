"""Which moments of a schedule went by: the latest, and those before it as far as worth telling."""

from datetime import datetime

from msgspec import Struct

from shared.cron.schedule import Schedule
from shared.cron.ticks import last_tick, tick_after

TOLD_MAX = 10
"""So many of the earlier ones are named one by one."""


class Missed(Struct, frozen=True, kw_only=True):
    """The latest moment that went by; before it the oldest ones, and whether there are more."""

    latest: datetime
    earlier: tuple[datetime, ...] = ()
    more: bool = False


def missed(schedule: Schedule, after: datetime, now: datetime) -> Missed | None:
    """Return what the schedule named later than `after` and not later than `now`."""
    latest = last_tick(schedule, after, now)
    if latest is None:
        return None
    earlier: list[datetime] = []
    tick = tick_after(schedule, after)
    while tick is not None and tick < latest:
        if len(earlier) == TOLD_MAX:
            return Missed(latest=latest, earlier=tuple(earlier), more=True)
        earlier.append(tick)
        tick = tick_after(schedule, tick)
    return Missed(latest=latest, earlier=tuple(earlier))
