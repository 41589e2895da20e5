"""What there is to tell of a RayCronJob: runs that were made, and runs that were not."""

from datetime import UTC, datetime

from msgspec.structs import replace

from services.status.lifecycle.steps import Step
from shared.aggregates.raycluster import owned_by
from shared.aggregates.raycronjob import RAYJOB, SKIPPED, run_name
from shared.aggregates.view import View
from shared.events.lifecycle import CronState
from shared.events.objects import ChildSeen, ResourceSeen
from shared.kernel.instants import print_instant, read_instant

ACTIVE, SUSPENDED = "active", "suspended"
CronStep = Step[CronState]


def first_state(_: View) -> CronState:
    """Return the state of a schedule that has just appeared."""
    return CronState()


def present_state(view: View) -> CronState:
    """Return the state as it is now, for whoever has heard nothing yet."""
    made, skipped = _made(view), _skipped(view)
    return CronState(
        phase=SUSPENDED if _asleep(view) else ACTIVE,
        fired=print_instant(made[-1]) if made else "",
        skipped=print_instant(skipped[-1]) if skipped else "",
    )


def next_step(told: CronState, view: View) -> CronStep | None:
    """Return the next thing to tell, skipped runs before those that were made."""
    return _sleep(told, view) or _skipped_step(told, view) or _fired_step(told, view)


def _sleep(told: CronState, view: View) -> CronStep | None:
    phase = SUSPENDED if _asleep(view) else ACTIVE
    if phase == told.phase:
        return None
    state = replace(told, phase=phase)
    if phase == SUSPENDED:
        return CronStep(what=SUSPENDED, because="it is suspended: no runs are made", state=state)
    return CronStep(what="resumed", because="it is no longer suspended", state=state)


def _asleep(view: View) -> bool:
    return view.own is not None and view.own.spec.get("suspend") is True


def _skipped_step(told: CronState, view: View) -> CronStep | None:
    fresh = [tick for tick in _skipped(view) if _later(tick, told.skipped)]
    if not fresh:
        return None
    because = f"the runs of {', '.join(print_instant(tick) for tick in fresh)} were skipped"
    state = replace(told, skipped=print_instant(fresh[-1]))
    return CronStep(what="skipped", because=because, state=state)


def _fired_step(told: CronState, view: View) -> CronStep | None:
    tick = next((one for one in _made(view) if _later(one, told.fired)), None)
    if tick is None:
        return None
    run, state = run_name(view.key.name, tick), replace(told, fired=print_instant(tick))
    because = f"the run of {print_instant(tick)} was due"
    return CronStep(what="fired", because=because, state=state, run=run)


def _later(tick: datetime, told: str) -> bool:
    former = read_instant(told) if told else None
    return former is None or tick > former


def _made(view: View) -> list[datetime]:
    """Return the minutes of the runs that are there, oldest first."""
    uid = view.own.meta.uid if view.own else ""
    prefix = f"{view.key.name}-"
    minutes = [
        int(name.removeprefix(prefix))
        for (kind, name), body in view.children.items()
        if kind == RAYJOB
        and isinstance(body, ChildSeen | ResourceSeen)
        and owned_by(body.meta, uid)
        and name.removeprefix(prefix).isdigit()
    ]
    return [datetime.fromtimestamp(minute * 60, UTC) for minute in sorted(minutes)]


def _skipped(view: View) -> list[datetime]:
    noted = view.act.noted if view.act else ()
    marks = (one.removeprefix(SKIPPED) for one in noted if one.startswith(SKIPPED))
    return sorted(tick for tick in map(read_instant, marks) if tick is not None)
