"""Groups whose replicas span several hosts: a replica comes whole and goes whole.

One with a host that is missing or beyond recovery goes, and another takes its place and index.
What is not seen yet counts as a host; until all that there may be of a replica is known none of
it is removed and nothing takes its place. A replica's actions are one unit, which no act holds in
part. Pods of the group that belong to no replica, made before there were such labels, are no
replacement for one: they stay until enough whole replicas are ready, then they are surplus.
"""

from collections.abc import Iterator, Sequence
from itertools import count, islice

from msgspec.structs import replace

from services.reconciler.decisions.decision import ACTIONS_MAX
from services.reconciler.decisions.raycluster import workers
from services.reconciler.decisions.raycluster.replicas import Replica, replicas_of
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.decisions.raycluster.unhealthy import beyond_recovery
from services.reconciler.decisions.raycluster.workers import Sizing
from services.reconciler.manifests.names import replica_name
from services.reconciler.manifests.pods.worker import Place, place_labels
from shared.actions.objects import CreateObject, DeleteObject, Notice, Words
from shared.events.objects import PodSeen
from shared.kernel.instants import EPOCH
from shared.resources.groups import WorkerGroup, desired_replicas
from shared.resources.labels import REPLICA_INDEX, REPLICA_NAME


def size(found: Situation, group: WorkerGroup) -> Iterator[Sizing]:
    """Yield what brings a multi-host group to its size, in whole replicas."""
    kept, standing = [], []
    for replica in replicas_of(found, group):
        fault = _fault(group, replica)
        if fault and replica.settled:
            yield from _mend(group, replica, fault)
            continue
        kept.append(replica)
        if replica.settled and _named(group, replica):
            yield from _obey(group, replica)
        elif replica.settled:
            standing.append(replica)
    strays = _strays(found, group)
    yield from _obey_about_strays(group, strays)
    if len(kept) < desired_replicas(group):
        yield from _grow(found, group, kept, strays)
    elif workers.may_shrink(found, group):
        yield from _shrink(found, group, standing)
        yield from _clear(found, group, standing, strays)


def _fault(group: WorkerGroup, replica: Replica) -> str:
    """Say why a replica cannot stay; empty if it can."""
    for pod in replica.pods:
        if why := beyond_recovery(pod):
            return f"worker pod {pod.meta.name} of replica {replica.name} cannot recover: {why}"
    there = len(replica.pods) + replica.unsure
    if there < group.num_of_hosts:
        return f"replica {replica.name} has {there} of {group.num_of_hosts} hosts"
    return ""


def _mend(group: WorkerGroup, replica: Replica, fault: str) -> Iterator[DeleteObject]:
    unhealthy = any(beyond_recovery(pod) for pod in replica.pods)
    told = "cleanup of {} multi-host group".format("unhealthy" if unhealthy else "incomplete")
    for pod in replica.pods:
        yield _removal(pod, rule="unhealthy", because=fault, notice=_words(group, pod, told))


def _named(group: WorkerGroup, replica: Replica) -> bool:
    return any(pod.meta.name in group.workers_to_delete for pod in replica.pods)


def _obey(group: WorkerGroup, replica: Replica) -> Iterator[DeleteObject]:
    """Remove a replica of which a pod is named; as elsewhere, it holds its place until it goes."""
    for pod in replica.pods:
        yield _removal(
            pod,
            rule="workers_to_delete",
            because=f"a pod of replica {replica.name} is named in workersToDelete",
            notice=_words(group, pod, "autoscaler scale-down request"),
        )


def _strays(found: Situation, group: WorkerGroup) -> list[PodSeen]:
    """Return the living pods of the group that belong to no replica."""
    living = sorted(found.state.group(group.group_name).items())
    return [
        pod
        for _, pod in living
        if not pod.meta.labels.get(REPLICA_NAME) and not beyond_recovery(pod)
    ]


def _obey_about_strays(group: WorkerGroup, strays: Sequence[PodSeen]) -> Iterator[DeleteObject]:
    for pod in strays:
        if pod.meta.name in group.workers_to_delete:
            yield workers.removal(
                pod,
                rule="workers_to_delete",
                because=f"{pod.meta.name} is named in workersToDelete",
                notice=workers.named_words(pod),
            )


def _grow(
    found: Situation, group: WorkerGroup, kept: Sequence[Replica], strays: Sequence[PodSeen]
) -> Iterator[CreateObject]:
    wanted = desired_replicas(group)
    because = f"group {group.group_name} has {len(kept)} of {wanted} replicas"
    used = {replica.index for replica in kept}
    used |= {pod.meta.labels.get(REPLICA_INDEX, "") for pod in strays}
    indices = (index for index in count() if str(index) not in used)
    replica_names, pod_names = _free_names(found, group), workers.free_names(found, group)
    for index in islice(indices, min(wanted - len(kept), ACTIONS_MAX)):
        name = next(replica_names)
        for host in range(group.num_of_hosts):
            place = Place(replica_index=index, replica_name=name, host_index=host)
            labels = place_labels(group, place)
            asked = workers.creation(found, group, next(pod_names), labels, because=because)
            yield replace(asked, unit=name)


def _free_names(found: Situation, group: WorkerGroup) -> Iterator[str]:
    """Yield names for new replicas of the group, without end."""
    used = {pod.meta.labels.get(REPLICA_NAME) for pod in found.state.pods.values()}
    used |= {entry.labels.get(REPLICA_NAME) for entry in found.view.expectations}
    uid, fence = found.cluster.uid, found.view.act_fence
    names = (replica_name(group.group_name, uid, slot=slot, fence=fence) for slot in count())
    return (name for name in names if name not in used)


def _shrink(
    found: Situation, group: WorkerGroup, standing: Sequence[Replica]
) -> Iterator[DeleteObject]:
    wanted = desired_replicas(group)
    because = f"group {group.group_name} has {len(standing)} replicas and wants {wanted}"
    for replica in sorted(standing, key=_least_precious_last)[wanted:]:
        for pod in replica.pods:
            words = _words(group, pod, "scaling down")
            asked = workers.surplus(found, group, pod, because, words)
            yield replace(asked, unit=replica.name)


def _least_precious_last(replica: Replica) -> tuple[bool, float, str]:
    began = min((pod.meta.created_at or EPOCH).timestamp() for pod in replica.pods)
    return (not replica.ready, began, replica.name)


def _clear(
    found: Situation, group: WorkerGroup, standing: Sequence[Replica], strays: Sequence[PodSeen]
) -> Iterator[DeleteObject]:
    """Remove what belongs to no replica, once there are enough that are ready."""
    wanted = desired_replicas(group)
    if sum(1 for replica in standing if replica.ready) < wanted:
        return
    for pod in strays:
        if pod.meta.name not in group.workers_to_delete:
            because = f"group {group.group_name} has its {wanted} replicas without {pod.meta.name}"
            yield workers.surplus(found, group, pod, because)


def _removal(pod: PodSeen, *, rule: str, because: str, notice: Notice) -> DeleteObject:
    asked = workers.removal(pod, rule=rule, because=because, notice=notice)
    return replace(asked, unit=pod.meta.labels[REPLICA_NAME])


def _words(group: WorkerGroup, pod: PodSeen, why: str) -> Notice:
    place = f"{pod.meta.namespace}/{pod.meta.name} for group {group.group_name}"
    told = f"Pod status: {pod.phase}; Pod restart policy: {pod.restart_policy}"
    return Notice(
        done=Words(reason="DeletedWorkerPod", message=f"Deleted worker Pod {place}: {why}"),
        refused=Words(
            reason="FailedToDeleteWorkerPod",
            message=f"Failed deleting worker Pod {place}; {told}, ",
        ),
    )
