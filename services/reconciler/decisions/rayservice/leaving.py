"""A RayService that is to have nothing: suspended, or on its way out.

Our finalizer holds it until its clusters are gone, so that nobody who sees the name free finds
clusters of it left. Suspending removes clusters and services; it goes through once it began.
"""

from collections.abc import Iterator

from services.reconciler.decisions.decision import Draft
from services.reconciler.decisions.rayservice import gateway
from services.reconciler.decisions.rayservice.clusters import removal, removal_of
from services.reconciler.decisions.rayservice.situation import Situation
from shared.actions.objects import Action, DeleteObject, Notice, PatchObject, Words
from shared.aggregates.phases import phase_of
from shared.aggregates.rayservice import FINALIZER, RayServiceState, rayservice_state
from shared.aggregates.view import View
from shared.events.objects import Meta

RULE = "deletion"


def protected(view: View) -> bool:
    """Whether our finalizer is there."""
    return view.own is not None and FINALIZER in view.own.meta.finalizers


def protect(view: View) -> Iterator[PatchObject]:
    """Set the finalizer."""
    if view.own is not None:
        wanted = (*view.own.meta.finalizers, FINALIZER)
        yield from _finalizers(view, view.own.meta, wanted, "its clusters are to go before it")


def draft_leaving(found: Situation) -> Draft:
    """Delete the clusters of a RayService on its way out, then let it go."""
    if not protected(found.view):
        return Draft(phase=found.state.word)
    actions: list[Action] = []
    for cluster in found.state.clusters.values():
        actions.extend(removal(found, cluster, "its service is being deleted"))
    if not found.state.clusters and not _coming(found.state):
        actions.extend(_release(found.view, "no cluster of it is left"))
    return Draft(phase=found.state.word, actions=tuple(actions))


def draft_unreadable(view: View) -> Draft:
    """Let a RayService go whose spec cannot be read: its clusters first, as of any other."""
    phase, state = phase_of(view.status), rayservice_state(view)
    if not protected(view):
        return Draft(phase=phase)
    actions: list[Action] = []
    for cluster in state.clusters.values():
        actions.extend(removal_of(state, cluster, "its service is being deleted"))
    if not state.clusters and not _coming(state):
        actions.extend(_release(view, "no cluster of it is left"))
    return Draft(phase=phase, actions=tuple(actions))


def _coming(state: RayServiceState) -> bool:
    """Whether a cluster was asked for, or asked to go, and nobody has seen what became of it."""
    return any(kind == "raycluster" for kind, _ in state.unsettled)


def draft_suspending(found: Situation) -> Draft:
    """Remove clusters and services; an act is written for the phase even if there is nothing."""
    word, act = found.state.word, found.view.act
    unseen = act is None or act.seen.phase != word
    actions: list[Action] = []
    for cluster in found.state.clusters.values():
        actions.extend(
            removal(found, cluster, "the service is suspended", ending=" during suspend")
        )
    actions.extend(_services(found))
    actions.extend(gateway.remove(found))
    because = ("the service is being suspended",) if unseen else ()
    return Draft(phase=word, actions=tuple(actions), because=because)


def _services(found: Situation) -> Iterator[DeleteObject]:
    for name, living in found.state.services.items():
        if living.meta.deleted_at or found.unsettled("service", name):
            continue
        place = f"{found.service.namespace}/{name} during suspend"
        yield DeleteObject(
            kind="service",
            name=name,
            uid=living.meta.uid,
            rule="suspension",
            because="the service is suspended",
            notice=Notice(
                done=Words(reason="DeletedService", message=f"Deleted the Service {place}"),
                refused=Words(
                    reason="FailedToDeleteService",
                    message=f"Failed to delete the Service {place}: ",
                ),
            ),
        )


def _release(view: View, because: str) -> Iterator[PatchObject]:
    if view.own is not None and protected(view):
        rest = tuple(name for name in view.own.meta.finalizers if name != FINALIZER)
        yield from _finalizers(view, view.own.meta, rest, because)


def _finalizers(
    view: View, meta: Meta, wanted: tuple[str, ...], because: str
) -> Iterator[PatchObject]:
    """Set the whole list under the version that it rests on."""
    if any((one.kind, one.name) == ("rayservice", meta.name) for one in view.expectations):
        return
    yield PatchObject(
        kind="rayservice",
        name=meta.name,
        uid=meta.uid,
        patch={"metadata": {"finalizers": list(wanted)}},
        resource_version=view.status_version,
        rule=RULE,
        because=because,
    )
