"""What must be there, or be gone, before a cluster's pods are made; judged when an act is recorded.

39 nothing is made while a head is left that another spec made, where pods are to be recreated;
40 a cluster whose state is in Redis has our finalizer before it has a pod.
"""

from collections.abc import Iterator

import msgspec

from services.reconciler.decisions.raycluster.upgrade import RECREATE
from services.reconciler.decisions.settings import DecisionSettings
from shared.actions.objects import CreateObject
from shared.aggregates.raycluster import group_of, raycluster_state
from shared.aggregates.view import View
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.subjects import place_of
from shared.kernel.hashing import recreate_hash
from shared.resources.labels import (
    HEAD_GROUP,
    OPERATOR_VERSION,
    RECREATE_HASH,
    REDIS_CLEANUP_FINALIZER,
)
from shared.resources.predicates import embedded_storage, fault_tolerant
from shared.resources.raycluster import RayCluster
from tests.simulation.invariants.invariant import Invariant
from tests.simulation.invariants.removals_have_reasons import cluster_of


class PodsInOrder(Invariant):
    """What acts of a RayCluster make."""

    def recorded(self, record: Record) -> Iterator[str]:
        act, place = record.envelope.body, place_of(record.subject)
        if not isinstance(act, Decided) or place is None or place.key.kind != "raycluster":
            return
        made = [one.name for one in act.actions if isinstance(one, CreateObject)]
        pods = [one for one in act.actions if isinstance(one, CreateObject) and one.kind == "pod"]
        told = self.scene.archive.settings(act.settings)
        if not made or told is None or act.based_on < self.scene.archive.first:
            return
        seen = self.scene.archive.view(place.key, act.based_on)
        cluster = cluster_of(seen)
        if cluster is None or seen.own is None or act.seen.deleting:
            return
        settings = msgspec.convert(told.settings, DecisionSettings)
        for head in _outdated(seen, cluster, settings.manifests.version):
            yield f"39: head {head} of another spec is left, and yet to be made: {', '.join(made)}"
        in_redis = fault_tolerant(cluster) and not embedded_storage(cluster)
        held = REDIS_CLEANUP_FINALIZER in seen.own.meta.finalizers
        if pods and in_redis and settings.redis_cleanup and not held:
            yield f"40: {pods[0].name} is made before anything holds {cluster.name}"


def _outdated(seen: View, cluster: RayCluster, version: str) -> Iterator[str]:
    """Yield heads that our version made from another spec, where that asks for new pods."""
    strategy = cluster.spec.upgrade_strategy
    if strategy is None or strategy.type != RECREATE:
        return
    now = recreate_hash(cluster.spec_as_written())
    for pod in raycluster_state(seen).pods.values():
        if group_of(pod.meta) == HEAD_GROUP:
            stamps = pod.meta.annotations
            made_from = stamps.get(RECREATE_HASH, "")
            if made_from not in ("", now) and stamps.get(OPERATOR_VERSION) == version:
                yield pod.meta.name
