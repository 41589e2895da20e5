"""Keep every worker group at the size its spec asks for, and remove what belongs to no group.

Too few: create the missing pods; what was asked for and is not seen yet counts as there. Too many:
those that are not ready go first, then the youngest, so that work already placed is disturbed
last; what is not seen yet never counts for deleting. With an autoscaler in charge surplus is its
business: it names the victims in `workersToDelete`, and only pods of that very group are touched.
"""

from collections.abc import Iterator, Mapping
from itertools import count, islice

from msgspec.structs import replace

from services.reconciler.decisions.decision import ACTIONS_MAX
from services.reconciler.decisions.raycluster import multi_host, workers
from services.reconciler.decisions.raycluster.certificates import awaited
from services.reconciler.decisions.raycluster.replicas import comes_in_replicas
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.decisions.raycluster.unhealthy import beyond_recovery
from services.reconciler.decisions.raycluster.workers import Sizing
from shared.actions.objects import CreateObject, DeleteObject
from shared.aggregates.raycluster import group_of
from shared.events.objects import PodSeen
from shared.kernel.features import MULTI_HOST_INDEXING
from shared.kernel.instants import EPOCH
from shared.resources.groups import WorkerGroup, desired_pods
from shared.resources.labels import HEAD_GROUP, REPLICA_INDEX


def size(found: Situation) -> Iterator[Sizing]:
    """Yield what brings every group to its size; nothing when all are right already.

    While what pods need to start is awaited, none is made.
    """
    waiting = bool(awaited(found))
    sized = _sized(found)
    yield from (one for one in sized if not (waiting and isinstance(one, CreateObject)))
    yield from _orphans(found)


def missing(found: Situation) -> bool:
    """Whether any group is short of workers."""
    return any(isinstance(one, CreateObject) for one in _sized(found))


def _sized(found: Situation) -> Iterator[Sizing]:
    for group in found.cluster.groups:
        sized = multi_host.size if comes_in_replicas(found, group) else _size_group
        yield from sized(found, group)


def _size_group(found: Situation, group: WorkerGroup) -> Iterator[Sizing]:
    pods = {
        name: pod
        for name, pod in found.state.group(group.group_name).items()
        if not beyond_recovery(pod)
    }
    named = _named_for_deletion(group, pods)
    for name in named:
        yield workers.removal(
            pods[name],
            rule="workers_to_delete",
            because=f"{name} is named in workersToDelete",
            notice=workers.named_words(pods[name]),
        )
    rest = {name: pod for name, pod in pods.items() if name not in named}
    wanted = desired_pods(group)
    unseen = found.state.coming_in(group.group_name) + found.state.held_in(group.group_name)
    missing = wanted - len(pods) - unseen
    if missing > 0:
        yield from _grow(found, group, len(pods) + unseen, missing)
    elif len(rest) > wanted and workers.may_shrink(found, group):
        yield from _shrink(found, group, rest)


def _named_for_deletion(group: WorkerGroup, pods: Mapping[str, PodSeen]) -> tuple[str, ...]:
    """Return the living pods of the group that its scale strategy names, each once.

    They still count for growing: their places are filled when they are seen to go, because a
    deletion may fail where a creation does not.
    """
    return tuple(name for name in dict.fromkeys(group.workers_to_delete) if name in pods)


def _grow(found: Situation, group: WorkerGroup, there: int, missing: int) -> Iterator[CreateObject]:
    because = f"group {group.group_name} has {there} of {desired_pods(group)} workers"
    indices = _free_indices(found, group)
    for name in islice(workers.free_names(found, group), min(missing, ACTIONS_MAX)):
        labels = {REPLICA_INDEX: str(next(indices))} if _indexed(found, group) else {}
        yield workers.creation(found, group, name, labels, because=because)


def _indexed(found: Situation, group: WorkerGroup) -> bool:
    return group.num_of_hosts == 1 and found.settings.features.on(MULTI_HOST_INDEXING)


def _free_indices(found: Situation, group: WorkerGroup) -> Iterator[int]:
    """Yield replica indices that no pod of the group has or is being made with, lowest first."""
    living = (pod.meta.labels for pod in found.state.group(group.group_name).values())
    unseen = (entry.labels for entry in found.view.expectations if entry.group == group.group_name)
    taken = {labels.get(REPLICA_INDEX, "") for labels in (*living, *unseen)}
    return (index for index in count() if str(index) not in taken)


def _shrink(
    found: Situation, group: WorkerGroup, pods: Mapping[str, PodSeen]
) -> Iterator[DeleteObject]:
    most_precious_first = sorted(
        pods.values(),
        key=lambda pod: (not workers.ready(pod), pod.meta.created_at or EPOCH, pod.meta.name),
    )
    wanted = desired_pods(group)
    for pod in most_precious_first[wanted:]:
        yield workers.surplus(
            found,
            group,
            pod,
            f"group {group.group_name} has {len(pods)} workers and wants {wanted}",
        )


def _orphans(found: Situation) -> Iterator[DeleteObject]:
    """Pods of groups that the spec no longer has."""
    known = {group.group_name for group in found.cluster.groups} | {HEAD_GROUP}
    for pod in workers.in_turn(found.state.alive.values()):
        group = group_of(pod.meta)
        if group not in known and not beyond_recovery(pod):
            asked = workers.removal(
                pod,
                rule="removed_group",
                because=f"group {group} is no longer in the spec",
                notice=workers.surplus_words(pod),
            )
            yield replace(asked, unit=workers.unit_of(pod))
