"""Which run is due, which are skipped, and when to look again.

Of the runs that were missed (a suspension, an outage, another schedule) the latest alone is made up
for, and the others are told as skipped: a month of them at once helps nobody. With `cron_catch_up`
every one is, oldest first, one act each, as KubeRay does. There is one run for each minute, because
its name is made of the minute; a faster pace has no more.
"""

from datetime import datetime

from msgspec import Struct

from services.reconciler.decisions.raycronjob.situation import Situation
from shared.aggregates.raycronjob import run_name
from shared.cron.missed import missed
from shared.cron.ticks import last_tick, tick_after
from shared.events.decisions import Timer
from shared.kernel.instants import print_instant

TICK = "tick"
_TICKS_A_MINUTE = 60


class Due(Struct, frozen=True, kw_only=True):
    """A run to ask for, and those that are skipped for it; `more` if not all of them are named."""

    tick: datetime
    skipped: tuple[datetime, ...] = ()
    more: bool = False


def due(found: Situation) -> Due | None:
    """Return the run that is due, if there is one."""
    catches_up = found.settings.of_jobs.cron_catch_up
    return _oldest(found) if catches_up else _latest(found)


def timer(found: Situation) -> tuple[Timer, ...]:
    """Return when to look again: at the next run that is not due yet; nothing if none comes."""
    now = found.view.now
    passed = last_tick(found.schedule, found.base, now)
    tick = _another_minute(found, passed or found.base, passed or found.state.handled)
    if tick is None:
        return ()
    told = f"the next run is due at {print_instant(tick)}"
    return (Timer(name=TICK, due_at=tick, because=told),)


def _latest(found: Situation) -> Due | None:
    gone_by = missed(found.schedule, found.base, found.view.now)
    if gone_by is None or _same_run(found, gone_by.latest, found.state.handled):
        return None
    others = {_name(found, tick): tick for tick in gone_by.earlier}
    known = {_name(found, tick) for tick in (gone_by.latest, found.state.handled) if tick}
    skipped = tuple(tick for name, tick in others.items() if name not in known)
    return Due(tick=gone_by.latest, skipped=skipped, more=gone_by.more)


def _oldest(found: Situation) -> Due | None:
    tick = _another_minute(found, found.base, found.state.handled)
    return Due(tick=tick) if tick is not None and tick <= found.view.now else None


def _another_minute(found: Situation, after: datetime, taken: datetime | None) -> datetime | None:
    """Return the first moment that is not of a minute that has its run."""
    tick = tick_after(found.schedule, after)
    for _ in range(_TICKS_A_MINUTE):
        if tick is None or not _same_run(found, tick, taken):
            return tick
        tick = tick_after(found.schedule, tick)
    return tick


def _same_run(found: Situation, tick: datetime, other: datetime | None) -> bool:
    return other is not None and _name(found, tick) == _name(found, other)


def _name(found: Situation, tick: datetime) -> str:
    return run_name(found.cron.name, tick)
