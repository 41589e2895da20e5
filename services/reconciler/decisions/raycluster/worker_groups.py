"""Keep every worker group at the size its spec asks for, and remove what belongs to no group.

Too few: create the missing pods; what was asked for and is not seen yet counts as there. Too many:
those that are not ready go first, then the youngest, so that work already placed is disturbed
last; what is not seen yet never counts for deleting. With an autoscaler in charge surplus is its
business: it names the victims in `workersToDelete`, and only pods of that very group are touched.
"""

from collections.abc import Iterator, Mapping
from itertools import count, islice

from services.reconciler.decisions.raycluster.situation import Situation, worker_manifest
from services.reconciler.decisions.raycluster.unhealthy import beyond_recovery
from services.reconciler.manifests.names import worker_pod_name
from shared.actions.objects import CreateObject, DeleteObject, Notice, Words
from shared.aggregates.raycluster import group_of
from shared.events.objects import PodSeen
from shared.kernel.features import MULTI_HOST_INDEXING
from shared.kernel.instants import EPOCH
from shared.resources.groups import WorkerGroup, desired_pods
from shared.resources.labels import HEAD_GROUP, REPLICA_INDEX

Sizing = CreateObject | DeleteObject


def size(found: Situation) -> Iterator[Sizing]:
    """Yield what brings every group to its size; nothing when all are right already."""
    for group in found.cluster.groups:
        yield from _size_group(found, group)
    yield from _orphans(found)


def _size_group(found: Situation, group: WorkerGroup) -> Iterator[Sizing]:
    pods = {
        name: pod
        for name, pod in found.state.group(group.group_name).items()
        if not beyond_recovery(pod)
    }
    named = _named_for_deletion(group, pods)
    for name in named:
        yield _removal(pods[name], "workers_to_delete", f"{name} is named in workersToDelete")
    rest = {name: pod for name, pod in pods.items() if name not in named}
    wanted = desired_pods(group)
    unseen = found.state.coming_in(group.group_name) + found.state.held_in(group.group_name)
    missing = wanted - len(pods) - unseen
    if missing > 0:
        yield from _grow(found, group, len(pods) + unseen, missing)
    elif len(rest) > wanted and _may_shrink(found, group):
        yield from _shrink(group, rest, wanted)


def _named_for_deletion(group: WorkerGroup, pods: Mapping[str, PodSeen]) -> tuple[str, ...]:
    """Return the living pods of the group that its scale strategy names, each once.

    They still count for growing: their places are filled when they are seen to go, because a
    deletion may fail where a creation does not.
    """
    strategy = group.scale_strategy
    named = dict.fromkeys(strategy.workers_to_delete) if strategy else ()
    return tuple(name for name in named if name in pods)


def _may_shrink(found: Situation, group: WorkerGroup) -> bool:
    autoscaled = found.cluster.spec.enable_in_tree_autoscaling is True
    return group.suspended or not autoscaled or found.settings.random_pod_delete


def _grow(found: Situation, group: WorkerGroup, there: int, missing: int) -> Iterator[CreateObject]:
    cluster, fence = found.cluster, found.view.act_fence
    names = (
        worker_pod_name(cluster.name, group.group_name, uid=cluster.uid, slot=slot, fence=fence)
        for slot in count()
    )
    free = (name for name in names if ("pod", name) not in found.state.taken)
    indices = _free_indices(found, group)
    for name in islice(free, missing):
        yield CreateObject(
            kind="pod",
            name=name,
            manifest=worker_manifest(group.group_name),
            group=group.group_name,
            labels={REPLICA_INDEX: str(next(indices))} if _indexed(found, group) else {},
            rule="worker_groups",
            because=f"group {group.group_name} has {there} of {desired_pods(group)} workers",
            notice=Notice(
                done=Words(
                    reason="CreatedWorkerPod",
                    message=f"Created worker Pod {cluster.namespace}/{name}",
                ),
                refused=Words(
                    reason="FailedToCreateWorkerPod",
                    message="Failed to create worker Pod for the cluster "
                    f"{cluster.namespace}/{cluster.name}, ",
                ),
            ),
        )


def _indexed(found: Situation, group: WorkerGroup) -> bool:
    return group.num_of_hosts == 1 and found.settings.features.on(MULTI_HOST_INDEXING)


def _free_indices(found: Situation, group: WorkerGroup) -> Iterator[int]:
    """Yield replica indices that no pod of the group has or is being made with, lowest first."""
    living = (pod.meta.labels for pod in found.state.group(group.group_name).values())
    unseen = (entry.labels for entry in found.view.expectations if entry.group == group.group_name)
    taken = {labels.get(REPLICA_INDEX, "") for labels in (*living, *unseen)}
    return (index for index in count() if str(index) not in taken)


def _shrink(group: WorkerGroup, pods: Mapping[str, PodSeen], wanted: int) -> Iterator[DeleteObject]:
    most_precious_first = sorted(
        pods.values(),
        key=lambda pod: (not _ready(pod), pod.meta.created_at or EPOCH, pod.meta.name),
    )
    why = (
        f"group {group.group_name} is suspended"
        if group.suspended
        else f"group {group.group_name} has {len(pods)} workers and wants {wanted}"
    )
    for pod in most_precious_first[wanted:]:
        yield _removal(pod, "worker_groups", why)


def _orphans(found: Situation) -> Iterator[DeleteObject]:
    """Pods of groups that the spec no longer has."""
    known = {group.group_name for group in found.cluster.groups} | {HEAD_GROUP}
    for pod in found.state.alive.values():
        group = group_of(pod.meta)
        if group not in known and not beyond_recovery(pod):
            yield _removal(pod, "removed_group", f"group {group} is no longer in the spec")


def _ready(pod: PodSeen) -> bool:
    return any(one.type == "Ready" and one.status == "True" for one in pod.conditions)


def _removal(pod: PodSeen, rule: str, because: str) -> DeleteObject:
    place = f"{pod.meta.namespace}/{pod.meta.name}"
    return DeleteObject(
        kind="pod",
        name=pod.meta.name,
        uid=pod.meta.uid,
        rule=rule,
        because=because,
        notice=Notice(
            done=Words(reason="DeletedWorkerPod", message=f"Deleted Pod {place}"),
            refused=Words(
                reason="FailedToDeleteWorkerPod", message=f"Failed deleting Pod {place}, "
            ),
        ),
    )
