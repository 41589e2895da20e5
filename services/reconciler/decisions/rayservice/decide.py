"""The concerns of a RayService in order.

Nothing is computed here. Which clusters there are to be is told by marks that the status service
turns into names; a cluster is made only under a name that the status has.
"""

from itertools import chain

from msgspec.structs import replace

from services.reconciler.decisions.decision import Context, Draft
from services.reconciler.decisions.oversize import somebody_elses, too_large
from services.reconciler.decisions.rayservice import (
    clusters,
    gateway,
    leaving,
    patience,
    rollback,
    serving,
    stepping,
    traffic,
)
from services.reconciler.decisions.rayservice.situation import Situation, situation_of
from services.reconciler.decisions.senseless import draft_senseless
from shared.actions.objects import Action
from shared.aggregates.phases import phase_of
from shared.aggregates.view import View
from shared.resources.problem import Problem
from shared.validation.rayservice import told, validate

CONCERNS = (
    clusters.ensure,
    clusters.keep_in_step,
    gateway.ensure,
    clusters.remove_dangling,
    serving.configure,
    serving.warn,
    stepping.resize,
    rollback.warn,
    traffic.label_heads,
    traffic.lead,
    traffic.warn,
)
"""What a RayService sees to, in order."""


def draft_rayservice(view: View, context: Context) -> Draft | None:
    """Say what a RayService needs now; None while it is somebody else's."""
    deleting = view.own is not None and view.own.meta.deleted_at is not None
    if somebody_elses(view):
        return None
    found = too_large(view, "InvalidRayServiceSpec") or situation_of(view, context)
    if not isinstance(found, Situation):
        return leaving.draft_unreadable(view) if deleting else _senseless(view, found[0])
    if deleting:
        return leaving.draft_leaving(found)
    if found.state.word.startswith("suspending/"):
        return leaving.draft_suspending(found)
    problems = validate(found.service, context.settings.features)
    return _draft_invalid(found, problems[0]) if problems else _draft(found)


def _senseless(view: View, first: Problem) -> Draft:
    message = told(first, view.key.namespace, view.key.name)
    return draft_senseless(view, first, phase_of(view.status), message)


def _draft_invalid(found: Situation, first: Problem) -> Draft:
    """Tell people, and go on sending away clusters that were replaced before."""
    draft = _senseless(found.view, first)
    return replace(
        draft,
        actions=(*draft.actions, *clusters.remove_dangling(found, senseless=True)),
        timers=tuple(clusters.dangling_timers(found, senseless=True)),
        noted=tuple(dict.fromkeys((*draft.noted, *_kept(found)))),
    )


def _kept(found: Situation) -> tuple[str, ...]:
    """Return what clusters and heads were told, which must outlive any act without wishes."""
    return (*_told(found), *stepping.marks(found, moving=False))


def _told(found: Situation) -> tuple[str, ...]:
    return (*serving.served_marks(found), *traffic.label_marks(found))


def _draft(found: Situation) -> Draft:
    """Say what a sensible RayService needs."""
    word = found.state.word
    if not leaving.protected(found.view):
        return Draft(phase=word, actions=tuple(leaving.protect(found.view)))
    if found.service.spec.suspend or word.startswith("suspended/"):
        timers = tuple(clusters.dangling_timers(found))
        return Draft(phase=word, timers=timers, noted=_kept(found))
    if patience.timed_out(found):
        return _draft_given_up(found)
    actions = tuple(chain.from_iterable(concern(found) for concern in CONCERNS))
    return Draft(
        phase=word,
        actions=actions,
        manifests=found.manifests(actions) | gateway.manifests(found, actions),
        timers=(
            *clusters.dangling_timers(found),
            *serving.timers(found),
            *traffic.timers(found),
            *stepping.timers(found),
            *patience.timer(found),
        ),
        wants=tuple(serving.wants(found, actions)),
        noted=_marks(found),
        troubles=serving.obstacles(found),
        because=_because(found),
    )


def _draft_given_up(found: Situation) -> Draft:
    """Only send away what is left of a service that was not ready in time."""
    actions: tuple[Action, ...] = (*clusters.remove_dangling(found), *patience.warn(found))
    return Draft(
        phase=found.state.word,
        actions=actions,
        timers=tuple(clusters.dangling_timers(found)),
        noted=(patience.TIMED_OUT,),
    )


def _marks(found: Situation) -> tuple[str, ...]:
    told = (traffic.no_port_mark(found), serving.unreadable_mark(found))
    moving = (*stepping.marks(found), *rollback.marks(found))
    return (*clusters.marks(found), *_told(found), *moving, *(mark for mark in told if mark))


def _because(found: Situation) -> tuple[str, ...]:
    """Say why an act must be written although it asks for nothing: marks that the status needs."""
    known = found.view.act.noted if found.view.act else ()
    words = {
        "prepare": "another cluster is wanted",
        "drop-pending": "the spec is that of the active cluster again",
        "rollback": "the upgrade goes back to the active cluster",
        "capacity": "what each cluster is to run is kept",
        "split": "how traffic is to be split is kept",
    }
    fresh = (mark.partition("/")[0] for mark in _marks(found) if mark not in known)
    otherwise = "what Serve and heads were told is kept"
    return tuple(words.get(mark, otherwise) for mark in dict.fromkeys(fresh))
