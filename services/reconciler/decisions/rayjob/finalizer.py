"""Our finalizer on a RayJob: set before anything is made, removed once its Ray job was stopped.

Stopping is asked for once and best effort: neither a dashboard that does not answer nor a Secret
that is gone keeps a deleted RayJob. What it owns goes with it.
"""

from collections.abc import Iterator

from services.reconciler.decisions.decision import Draft
from services.reconciler.decisions.rayjob.asking import looking
from services.reconciler.decisions.rayjob.situation import Situation
from shared.actions.jobs import StopJob
from shared.actions.objects import Action, PatchObject
from shared.actions.outcomes import Overtaken
from shared.aggregates.expectations import answered
from shared.aggregates.phases import phase_of
from shared.aggregates.rayjob import ENDED, FINALIZER
from shared.aggregates.view import View
from shared.events.objects import Meta
from shared.kernel.manifests import text_at

RULE = "deletion"
STOPPED = "stopped/"
"""Mark of a Ray job that was asked to stop."""


def protected(view: View) -> bool:
    """Whether our finalizer is there."""
    return view.own is not None and FINALIZER in view.own.meta.finalizers


def protect(view: View) -> Iterator[PatchObject]:
    """Set the finalizer."""
    if view.own is not None:
        meta = view.own.meta
        wanted = (*meta.finalizers, FINALIZER)
        yield from _finalizers(view, meta, wanted, "its Ray job is to be stopped with it")


def draft_leaving(found: Situation) -> Draft:
    """Stop the Ray job of a RayJob on its way out, then let it go."""
    if not protected(found.view):
        return Draft(phase=found.state.word)
    stops = tuple(_stop(found))
    asked = _asked(found)
    if found.selects and _runs(found) and not asked and found.state.selected is None:
        return Draft(phase=found.state.word, wants=looking(found))
    because = "its Ray job was asked to stop" if asked or stops else "nothing of it runs any more"
    actions: tuple[Action, ...] = (*stops, *_release(found.view, because))
    return Draft(
        phase=found.state.word,
        actions=actions,
        wants=looking(found) if stops else (),
        noted=(f"{STOPPED}{found.job_id}",) if asked else (),
    )


def _asked(found: Situation) -> bool:
    """Whether the Ray job was asked to stop, whatever came of it."""
    act, answer = found.view.act, found.view.answer
    if act is None or f"{STOPPED}{found.job_id}" in act.noted:
        return act is not None
    return answer is not None and any(
        isinstance(action, StopJob) and not isinstance(outcome, Overtaken)
        for action, outcome in answered(act, answer)
    )


def draft_unreadable(view: View) -> Draft:
    """Let a RayJob go whose spec cannot be read."""
    because = "nothing can be stopped of what cannot be read"
    return Draft(phase=phase_of(view.status), actions=tuple(_release(view, because)))


def _stop(found: Situation) -> Iterator[StopJob]:
    if not _runs(found) or _asked(found) or found.state.cluster is None:
        return
    yield StopJob(
        job_id=found.job_id,
        address=found.address,
        service=found.service,
        secret=found.secret,
        rule=RULE,
        because="the RayJob is being deleted",
    )


def _runs(found: Situation) -> bool:
    """Whether there is a Ray job that may have to be stopped."""
    status = found.view.status
    begun = found.job_id and found.address and text_at(status, "dashboardURL")
    return bool(begun) and text_at(status, "jobStatus") not in ENDED


def _release(view: View, because: str) -> Iterator[PatchObject]:
    if view.own is not None and protected(view):
        rest = tuple(name for name in view.own.meta.finalizers if name != FINALIZER)
        yield from _finalizers(view, view.own.meta, rest, because)


def _finalizers(
    view: View, meta: Meta, wanted: tuple[str, ...], because: str
) -> Iterator[PatchObject]:
    """Set the whole list under the version that it rests on."""
    if any((one.kind, one.name) == (view.key.kind, meta.name) for one in view.expectations):
        return
    yield PatchObject(
        kind="rayjob",
        name=meta.name,
        uid=meta.uid,
        patch={"metadata": {"finalizers": list(wanted)}},
        resource_version=view.status_version,
        rule=RULE,
        because=because,
    )
