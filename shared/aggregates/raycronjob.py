"""A view read as a RayCronJob: which moment is done with, and what became of the one asked for.

A run is asked for under a name that its moment gives it, so that asking twice makes one. An act
says in marks which moment it asks for and which it is done with, and the next one carries that on.
The status tells the same to people, and to us when the log has forgotten.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from shared.actions.objects import CreateObject
from shared.actions.outcomes import AlreadySo, Done, Occupied, Outcome, Refused, Unknown
from shared.aggregates.expectations import answered
from shared.aggregates.raycluster import owned_by
from shared.aggregates.view import View
from shared.events.objects import ChildSeen, ObjectGone, ResourceSeen
from shared.kernel.instants import print_instant, read_instant
from shared.kernel.manifests import text_at

RAYJOB = "rayjob"
LAST_SCHEDULE = "lastScheduleTime"
HANDLED, ASKED, SKIPPED = "handled/", "asked/", "skipped/"
"""What marks of an act begin with; a moment follows."""


class Fate(StrEnum):
    """What became of a run that was asked for."""

    MADE = "made"
    OCCUPIED = "occupied"
    """Its name is somebody else's."""
    REFUSED = "refused"
    UNKNOWN = "unknown"
    """Asked for, and nobody can tell yet."""
    MISSING = "missing"


class RayCronJobState(Struct, frozen=True, kw_only=True):
    """Where a schedule stands."""

    handled: datetime | None = None
    """The latest moment that is done with, whether a run came of it or not."""
    asked: datetime | None = None
    """The moment that the last act asks a run for, or waits for."""
    fate: Fate = Fate.MISSING
    """What became of that run."""
    words: str = ""
    """What was said to its creation, if it was not made."""


def run_name(cron_name: str, tick: datetime) -> str:
    """Return the name of the run of a moment: one for each minute."""
    return f"{cron_name}-{int(tick.timestamp()) // 60}"


def mark(prefix: str, tick: datetime) -> str:
    """Return the mark of a moment."""
    return f"{prefix}{print_instant(tick)}"


def raycronjob_state(view: View) -> RayCronJobState:
    """Read a view whose resource exists as a RayCronJob."""
    noted = view.act.noted if view.act else ()
    told = read_instant(text_at(view.status, LAST_SCHEDULE))
    asked = _marked(noted, ASKED)
    fate, words = _fate(view, asked) if asked else (Fate.MISSING, "")
    settled = asked if fate in (Fate.MADE, Fate.OCCUPIED) else None
    known = [each for each in (told, _marked(noted, HANDLED), settled) if each is not None]
    return RayCronJobState(handled=max(known, default=None), asked=asked, fate=fate, words=words)


def _marked(noted: Iterable[str], prefix: str) -> datetime | None:
    found = (read_instant(one.removeprefix(prefix)) for one in noted if one.startswith(prefix))
    return next(found, None)


def _fate(view: View, tick: datetime) -> tuple[Fate, str]:
    """Say what became of a run: what was seen first, then the answer, then what is in flight."""
    name = run_name(view.key.name, tick)
    seen = view.children.get((RAYJOB, name))
    if isinstance(seen, ChildSeen | ResourceSeen) and _ours(view, seen):
        return Fate.MADE, ""
    for action, outcome in answered(view.act, view.answer) if view.act else ():
        if isinstance(action, CreateObject) and (action.kind, action.name) == (RAYJOB, name):
            return _after(outcome)
    if (RAYJOB, name) in {(entry.kind, entry.name) for entry in view.expectations}:
        return _in_flight(view, name), ""
    return (Fate.MADE if isinstance(seen, ObjectGone) else Fate.MISSING), ""


def _ours(view: View, seen: ChildSeen | ResourceSeen) -> bool:
    return view.own is not None and owned_by(seen.meta, view.own.meta.uid)


def _after(outcome: Outcome) -> tuple[Fate, str]:
    match outcome:
        case Done() | AlreadySo():
            return Fate.MADE, ""
        case Occupied():
            return Fate.OCCUPIED, outcome.message
        case Refused():
            return Fate.REFUSED, outcome.message
        case Unknown():
            return Fate.UNKNOWN, ""
        case _:
            return Fate.MISSING, ""


def _in_flight(view: View, name: str) -> Fate:
    entry = next(one for one in view.expectations if (one.kind, one.name) == (RAYJOB, name))
    if entry.what == "gone":
        return Fate.MISSING
    return Fate.MADE if entry.resource_version else Fate.UNKNOWN
