"""The replicas of a multi-host group: which hosts of each live, and which are not known of yet.

Pods belong together by the label with the replica's name. Of one that was asked for and is not
seen yet the expectation knows it. What becomes of replicas is decided in `multi_host.py`.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.decisions.raycluster.workers import ready
from shared.aggregates.raycluster import group_of
from shared.events.objects import PodSeen
from shared.kernel.features import MULTI_HOST_INDEXING
from shared.resources.groups import WorkerGroup
from shared.resources.labels import REPLICA_INDEX, REPLICA_NAME


class Replica(Struct, frozen=True, kw_only=True):
    """Some pods that stand and fall together."""

    name: str
    index: str
    pods: tuple[PodSeen, ...]
    """Those that live, by name."""
    unsure: int
    """How many more may live: creations not seen yet, deletions without a known outcome."""

    @property
    def settled(self) -> bool:
        """Whether everything about it is known."""
        return not self.unsure

    @property
    def ready(self) -> bool:
        """Whether all its hosts are."""
        return self.settled and all(ready(pod) for pod in self.pods)


def comes_in_replicas(found: Situation, group: WorkerGroup) -> bool:
    """Whether pods of the group come and go as whole replicas."""
    return group.num_of_hosts > 1 and found.settings.features.on(MULTI_HOST_INDEXING)


def belongs_to_replica(found: Situation, pod: PodSeen) -> bool:
    """Whether the pod comes and goes with others."""
    named = bool(pod.meta.labels.get(REPLICA_NAME))
    return named and any(
        group.group_name == group_of(pod.meta) and comes_in_replicas(found, group)
        for group in found.cluster.groups
    )


def replicas_of(found: Situation, group: WorkerGroup) -> tuple[Replica, ...]:
    """Return the replicas of which something lives or may live, by name."""
    living: dict[str, list[PodSeen]] = {}
    for _, pod in sorted(found.state.group(group.group_name).items()):
        living.setdefault(pod.meta.labels.get(REPLICA_NAME, ""), []).append(pod)
    unsure: dict[str, list[Mapping[str, str]]] = {}
    for labels in _unsure(found, group.group_name):
        unsure.setdefault(labels.get(REPLICA_NAME, ""), []).append(labels)
    return tuple(
        Replica(
            name=name,
            index=_index(*(pod.meta.labels for pod in living.get(name, ())), *unsure.get(name, ())),
            pods=tuple(living.get(name, ())),
            unsure=len(unsure.get(name, ())),
        )
        for name in sorted({*living, *unsure} - {""})
    )


def _unsure(found: Situation, group: str) -> Iterator[Mapping[str, str]]:
    """Yield the labels of the pods of a group that may live without being seen to."""
    for entry in found.view.expectations:
        if entry.kind == "pod" and found.state.coming.get(entry.name) == group:
            yield entry.labels
    for pod in found.state.held.values():
        if group_of(pod.meta) == group:
            yield pod.meta.labels


def _index(*hosts: Mapping[str, str]) -> str:
    return next((labels[REPLICA_INDEX] for labels in hosts if REPLICA_INDEX in labels), "")
