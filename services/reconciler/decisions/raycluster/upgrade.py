"""Recreate: when the spec no longer is what the head was made from, every pod goes.

Only for `upgradeStrategy: Recreate`. The head carries a hash of its spec and the version of the
operator that wrote it; only a hash of our own version can be compared. Invariant: the outdated head
is the memory that a recreation is under way, so it goes last, when no other pod lives or may live,
and nothing is made until it is gone. Hash: `shared.kernel.hashing`; stamp: the head's manifest.
"""

from collections.abc import Iterator

from services.reconciler.decisions.decision import Draft
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.decisions.raycluster.workers import in_turn, unit_of
from shared.actions.objects import DeleteObject, Notice, PatchObject, Words
from shared.aggregates.raycluster import group_of
from shared.events.objects import PodSeen
from shared.kernel.hashing import recreate_hash
from shared.resources.labels import HEAD_GROUP, OPERATOR_VERSION, RECREATE_HASH

RECREATE = "Recreate"


def concerns(found: Situation) -> bool:
    """Whether there is a head, be it on its way out, that was made from another spec."""
    return any(_outdated(found, pod) for pod in found.state.pods.values())


def draft(found: Situation) -> Draft:
    """Delete what lives, the head last, and make nothing."""
    return Draft(phase=found.state.phase, actions=tuple(_removals(found)))


def restamp(found: Situation) -> Iterator[PatchObject]:
    """Yield our stamp for a living head that another version stamped; it is not restarted."""
    ours = found.settings.manifests.version
    for pod in found.state.alive.values():
        theirs = pod.meta.annotations.get(OPERATOR_VERSION, "")
        known = theirs in ("", ours) or ("pod", pod.meta.name) in found.state.unsettled
        if not _compared(found, pod) or known:
            continue
        stamp = {
            RECREATE_HASH: recreate_hash(found.cluster.spec_as_written()),
            OPERATOR_VERSION: ours,
        }
        yield PatchObject(
            kind="pod",
            name=pod.meta.name,
            uid=pod.meta.uid,
            patch={"metadata": {"annotations": stamp}},
            rule="restamp",
            because=f"head pod {pod.meta.name} was stamped by version {theirs}",
        )


def _compared(found: Situation, pod: PodSeen) -> bool:
    """Whether the pod is a head whose stamp counts."""
    strategy = found.cluster.spec.upgrade_strategy
    asked = strategy is not None and strategy.type == RECREATE
    return asked and group_of(pod.meta) == HEAD_GROUP


def _outdated(found: Situation, pod: PodSeen) -> bool:
    if not _compared(found, pod):
        return False
    made_from = pod.meta.annotations.get(RECREATE_HASH, "")
    ours = pod.meta.annotations.get(OPERATOR_VERSION) == found.settings.manifests.version
    return bool(ours and made_from) and made_from != recreate_hash(found.cluster.spec_as_written())


def _removals(found: Situation) -> Iterator[DeleteObject]:
    state = found.state
    others = [pod for pod in state.alive.values() if group_of(pod.meta) != HEAD_GROUP]
    if others:
        yield from (_removal(found, pod) for pod in in_turn(others))
    elif not (state.coming or state.held):
        yield from (_removal(found, pod) for pod in state.alive.values())


def _removal(found: Situation, pod: PodSeen) -> DeleteObject:
    place = f"{found.cluster.namespace}/{found.cluster.name}"
    why = "due to spec change with Recreate upgradeStrategy"
    return DeleteObject(
        kind="pod",
        name=pod.meta.name,
        uid=pod.meta.uid,
        rule="recreate",
        because="the spec changed, and the upgrade strategy is Recreate",
        unit=unit_of(pod),
        notice=Notice(
            done=Words(
                reason="DeletedPod",
                message=f"Deleted Pod {pod.meta.name} of RayCluster {place} {why}",
            ),
            refused=Words(
                reason="FailedToDeletePodCollection",
                message=f"Failed deleting Pods {why} for RayCluster {place}, ",
            ),
        ),
    )
