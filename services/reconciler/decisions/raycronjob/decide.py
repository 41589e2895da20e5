"""The concerns of a RayCronJob in order: the gate, its end, its sense, its rest, its runs.

Nothing is made for one that is going. What is asked for and has no known outcome is waited for; a
run whose name is somebody else's is skipped with a warning, and the schedule goes on. Each act
tells in its marks which moment it asks a run for and which is done with.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from services.reconciler.decisions.decision import Context, Draft
from services.reconciler.decisions.oversize import too_large
from services.reconciler.decisions.raycronjob import notices, runs
from services.reconciler.decisions.raycronjob.runs import Due
from services.reconciler.decisions.raycronjob.situation import Situation, situation_of
from services.reconciler.decisions.senseless import draft_senseless
from services.reconciler.manifests.raycronjob import run_manifest
from shared.actions.objects import Action, CreateObject, Notice, Words
from shared.aggregates.phases import phase_of
from shared.aggregates.raycronjob import (
    ASKED,
    HANDLED,
    SKIPPED,
    Fate,
    RayCronJobState,
    mark,
    raycronjob_state,
    run_name,
)
from shared.aggregates.view import View
from shared.kernel.features import CRON_JOB
from shared.kernel.instants import print_instant
from shared.kernel.manifests import mapping_at
from shared.resources.problem import Problem
from shared.validation.raycronjob import told

RUN = "run"
MORE_SKIPPED = f"{SKIPPED}more"


def draft_raycronjob(view: View, context: Context) -> Draft | None:
    """Say what a RayCronJob needs now; None while the gate is shut."""
    if view.own is None or not context.settings.features.on(CRON_JOB):
        return None
    if view.own.meta.deleted_at is not None:
        return _at_rest(view)
    found = too_large(view, "InvalidRayCronJobSpec") or situation_of(view, context)
    if not isinstance(found, Situation):
        return _senseless(view, found[0])
    if found.cron.spec.suspend:
        return _suspended(view)
    if found.state.fate is Fate.UNKNOWN:
        return replace(_at_rest(view), timers=runs.timer(found))
    return _running(found)


def _at_rest(view: View) -> Draft:
    """Ask for nothing, and remember where the schedule stands."""
    return Draft(phase=phase_of(view.status), noted=tuple(_standing(raycronjob_state(view))))


def _senseless(view: View, first: Problem) -> Draft:
    message = told(first, view.key.namespace, view.key.name)
    draft = draft_senseless(view, first, phase_of(view.status), message)
    standing = tuple(_standing(raycronjob_state(view)))
    return replace(draft, noted=tuple(dict.fromkeys((*standing, *_others(draft.noted)))))


def _others(noted: tuple[str, ...]) -> Iterator[str]:
    return (one for one in noted if not one.startswith((HANDLED, ASKED, SKIPPED)))


def _suspended(view: View) -> Draft:
    """Say once for each generation that nothing is made."""
    said = f"suspended/{view.own.meta.generation if view.own else 0}"
    rest = _at_rest(view)
    known = view.act is not None and said in view.act.noted
    return replace(rest, noted=(*rest.noted, said), actions=() if known else (notices.suspended(),))


def _running(found: Situation) -> Draft:
    """Ask for the run that is due, and to be woken for the next."""
    run = runs.due(found)
    again = run is not None and run.tick == found.state.asked
    actions: list[Action] = [*notices.occupied(found)]
    if run is not None:
        actions += () if again else notices.skipped(found, run)
        actions.append(_creation(found, run))
    template = mapping_at(found.view.own.spec if found.view.own else {}, "jobTemplate")
    return Draft(
        phase=phase_of(found.view.status),
        actions=tuple(actions),
        manifests={RUN: run_manifest(found.cron, template, run.tick)} if run else {},
        noted=tuple(_marks(found, run)),
        timers=runs.timer(found),
    )


def _creation(found: Situation, run: Due) -> CreateObject:
    name, at = run_name(found.cron.name, run.tick), print_instant(run.tick)
    where = f"{found.cron.namespace}/{name}"
    return CreateObject(
        kind="rayjob",
        name=name,
        manifest=RUN,
        rule=RUN,
        because=f"the schedule {found.cron.spec.schedule} names {at}",
        notice=Notice(
            done=Words(reason="CreatedRayJob", message=f"Created RayJob {where} for {at}"),
            refused=Words(
                reason="FailedToCreateRayJob",
                message=f"Failed to create RayJob {where} for {at}, ",
            ),
        ),
    )


def _standing(state: RayCronJobState) -> Iterator[str]:
    """Yield what must not be forgotten: the moment done with, and one whose fate is open."""
    if state.handled is not None:
        yield mark(HANDLED, state.handled)
    if state.asked is not None and state.fate is Fate.UNKNOWN:
        yield mark(ASKED, state.asked)


def _marks(found: Situation, run: Due | None) -> Iterator[str]:
    yield from _standing(found.state)
    if run is None:
        return
    yield mark(ASKED, run.tick)
    yield from (mark(SKIPPED, tick) for tick in run.skipped)
    if run.more:
        yield MORE_SKIPPED
