"""The concerns of a RayJob by phase.

Nothing is computed here. The phase is what the status told; what ends a phase is the status
service's to say (`services.status.conditions.rayjob`). Each phase has its concerns, its timers and
what it wants to be told.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from types import MappingProxyType

from services.reconciler.decisions.decision import Context, Draft
from services.reconciler.decisions.oversize import somebody_elses, too_large
from services.reconciler.decisions.rayjob import (
    asking,
    batch_scheduling,
    deadlines,
    expiry,
    finalizer,
    making,
    obstacles,
    removing,
    unsubmitted,
)
from services.reconciler.decisions.rayjob.situation import Situation, situation_of
from services.reconciler.decisions.senseless import draft_senseless
from shared.actions.objects import Action
from shared.aggregates.phases import phase_of
from shared.aggregates.rayjob import (
    INITIALIZING,
    NEW,
    OVER,
    RETRYING,
    RUNNING,
    SUSPENDED,
    SUSPENDING,
    WAITING,
)
from shared.aggregates.troubles import WAIT
from shared.aggregates.view import View
from shared.events.decisions import Trouble
from shared.resources.problem import Problem
from shared.validation.rayjob import status_problems, told, validate

REMOVING = {SUSPENDING: "the job is suspended", RETRYING: "the job is tried again"}
SIDECAR_RESTARTS = "sidecar-restarts"

Concern = Callable[[Situation], Iterable[Action]]
CONCERNS: Mapping[str, tuple[Concern, ...]] = MappingProxyType(
    {
        INITIALIZING: (
            batch_scheduling.ensure,
            making.ensure_cluster,
            making.warn_of_missing,
            making.ensure_submitter,
        ),
        WAITING: (making.ensure_cluster, making.warn_of_missing),
        RUNNING: (
            making.ensure_cluster,
            making.warn_of_missing,
            making.ensure_service,
            making.ensure_submitter,
            making.submit,
        ),
        SUSPENDED: (batch_scheduling.clean_up,),
    }
)
"""What each phase sees to, in order."""


def draft_rayjob(view: View, context: Context) -> Draft | None:
    """Say what a RayJob needs now; None while it is somebody else's."""
    deleting = view.own is not None and view.own.meta.deleted_at is not None
    if somebody_elses(view):
        return None
    found = too_large(view, "InvalidRayJobSpec") or situation_of(view, context)
    if not isinstance(found, Situation):
        return finalizer.draft_unreadable(view) if deleting else _senseless(view, found[0])
    if deleting:
        return finalizer.draft_leaving(found)
    if found.state.phase in REMOVING:
        return _draft_removing(found)
    problems = (*validate(found.job, context.settings.features), *status_problems(found.job))
    if problems:
        return _senseless(view, problems[0])
    return _draft(found)


def _senseless(view: View, first: Problem) -> Draft:
    message = told(first, view.key.namespace, view.key.name)
    return draft_senseless(view, first, phase_of(view.status), message)


def _draft_removing(found: Situation) -> Draft:
    """Remove the attempt; an act is written for the phase even if there is nothing to remove."""
    because, act = REMOVING[found.state.phase], found.view.act
    unseen = act is None or act.seen.phase != found.state.word
    return Draft(
        phase=found.state.word,
        actions=(*removing.remove_attempt(found, because), *batch_scheduling.clean_up(found)),
        because=(because,) if unseen else (),
    )


def _draft(found: Situation) -> Draft:
    """Say what a sensible RayJob needs in its phase."""
    phase = found.state.phase
    if phase in OVER:
        return Draft(
            phase=found.state.word,
            actions=(*expiry.expire(found), *batch_scheduling.clean_up(found)),
            timers=tuple(expiry.timer(found)),
        )
    if phase == NEW or not finalizer.protected(found.view):
        needs = () if finalizer.protected(found.view) else tuple(finalizer.protect(found.view))
        return Draft(phase=found.state.word, actions=needs, timers=deadlines.timers(found))
    actions, timers = _actions(found), deadlines.timers(found)
    troubles = _troubles(found)
    return Draft(
        phase=found.state.word,
        actions=actions,
        manifests=found.manifests(actions),
        timers=timers,
        wants=() if obstacles.hold(found) else asking.wants(found, actions),
        noted=tuple(_marks(found)),
        troubles=troubles,
        because=_because(found, troubles),
    )


def _troubles(found: Situation) -> tuple[Trouble, ...]:
    if found.state.phase != RUNNING:
        return obstacles.troubles(found)
    return (*making.unsubmittable(found), *unsubmitted.troubles(found))


def _actions(found: Situation) -> tuple[Action, ...]:
    phase = found.state.phase
    suspends = found.job.spec.suspend and phase in (INITIALIZING, RUNNING)
    concerns = () if suspends else CONCERNS.get(phase, ())
    if obstacles.hold(found):
        concerns = tuple(one for one in concerns if one is batch_scheduling.ensure)
    return tuple(chain.from_iterable(concern(found) for concern in concerns))


def _marks(found: Situation) -> tuple[str, ...]:
    mark = making.missing_mark(found)
    restarts = (SIDECAR_RESTARTS,) if found.restarts else ()
    return (*((mark,) if mark else ()), *restarts, *asking.marks(found))


def _because(found: Situation, troubles: tuple[Trouble, ...]) -> tuple[str, ...]:
    """Say what came into the way, or that what was awaited is not awaited any more."""
    known = found.view.act.troubles if found.view.act else ()
    new = tuple(one.message for one in troubles if one not in known)
    former = (one for one in known if one.verb == WAIT and one not in troubles)
    return new or tuple(f"no longer: {one.message}" for one in former)
