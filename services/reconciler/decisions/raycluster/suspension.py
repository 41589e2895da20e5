"""Suspend and resume, in two steps that nothing can come between.

The status service stores `RayClusterSuspending` first; only then pods go, and nothing is created.
`RayClusterSuspended` follows once nothing is left and an act that saw this very phase is closed:
so an act is written for the phase even when there is nothing to delete. With the gate of the
conditions shut there are no phases: pods go while the spec says so.
"""

from collections.abc import Iterator

from services.reconciler.decisions.decision import Draft
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.decisions.raycluster.workers import in_turn, unit_of
from shared.actions.objects import DeleteObject, Notice, Words
from shared.kernel.features import STATUS_CONDITIONS


def concerns(found: Situation) -> bool:
    """Whether the cluster is suspended, on its way there, or about to be."""
    return not _active(found) or found.cluster.spec.suspend is True


def draft(found: Situation) -> Draft:
    """Delete what lives while suspending or suspended; wait while the phase is not stored yet."""
    phase = found.state.phase
    if _active(found) and found.settings.features.on(STATUS_CONDITIONS):
        return Draft(phase=phase)
    act = found.view.act
    unseen = phase.startswith("suspending/") and (act is None or act.seen.phase != phase)
    return Draft(
        phase=phase,
        actions=tuple(_removals(found)),
        because=("the cluster is being suspended",) if unseen else (),
    )


def _active(found: Situation) -> bool:
    """Whether the status tells of no suspension; without conditions it never does."""
    told = found.settings.features.on(STATUS_CONDITIONS)
    return not told or found.state.phase.startswith("active/")


def _removals(found: Situation) -> Iterator[DeleteObject]:
    place = f"{found.cluster.namespace}/{found.cluster.name}"
    for pod in in_turn(found.state.alive.values()):
        yield DeleteObject(
            kind="pod",
            name=pod.meta.name,
            uid=pod.meta.uid,
            rule="suspension",
            because="the cluster is suspended",
            unit=unit_of(pod),
            notice=Notice(
                done=Words(
                    reason="DeletedPod",
                    message=f"Deleted Pod {pod.meta.name} of RayCluster {place} due to suspension",
                ),
                refused=Words(
                    reason="FailedToDeletePodCollection",
                    message=f"Failed deleting Pods due to suspension for RayCluster {place}, ",
                ),
            ),
        )
