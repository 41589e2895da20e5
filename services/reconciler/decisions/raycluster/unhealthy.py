"""Pods that cannot come back by themselves are removed; their places are filled again.

A pod is beyond recovery when it has ended, or when its Ray container has ended and its restart
policy is Never. The deletion names the version that was seen: a pod that changed since is looked
at again first. A host of a multi-host replica does not go alone: `multi_host.py` sees to it.
"""

from collections.abc import Iterator

from services.reconciler.decisions.raycluster.replicas import belongs_to_replica
from services.reconciler.decisions.raycluster.situation import Situation
from shared.actions.objects import DeleteObject, Notice, Words
from shared.aggregates.raycluster import ENDED, group_of
from shared.events.objects import PodSeen
from shared.resources.labels import HEAD_GROUP


def beyond_recovery(pod: PodSeen) -> str:
    """Say why a pod cannot recover; empty if it can."""
    if pod.phase in ENDED:
        told = f", {pod.reason}" if pod.reason else ""
        return f"its status is {pod.phase}{told}, which is final"
    ray = next((one for one in pod.containers if one.name == pod.ray_container), None)
    ended = ray is not None and ray.state == "terminated"
    if ended and pod.phase == "Running" and pod.restart_policy == "Never":
        return "its Ray container ended and its restart policy is Never"
    return ""


def replace(found: Situation) -> Iterator[DeleteObject]:
    """Yield the deletion of every pod that cannot recover, the head first."""
    pods = sorted(
        found.state.alive.values(),
        key=lambda pod: (group_of(pod.meta) != HEAD_GROUP, pod.meta.name),
    )
    for pod in pods:
        why = beyond_recovery(pod)
        if why and not belongs_to_replica(found, pod):
            yield _removal(pod, why)


def _removal(pod: PodSeen, why: str) -> DeleteObject:
    kind = "head" if group_of(pod.meta) == HEAD_GROUP else "worker"
    place = f"{pod.meta.namespace}/{pod.meta.name}"
    told = f"Pod {place}; Pod status: {pod.phase}; Pod restart policy: {pod.restart_policy}"
    reason = "HeadPod" if kind == "head" else "WorkerPod"
    return DeleteObject(
        kind="pod",
        name=pod.meta.name,
        uid=pod.meta.uid,
        resource_version=pod.meta.resource_version,
        rule="unhealthy",
        because=f"{kind} pod {pod.meta.name} cannot recover: {why}",
        notice=Notice(
            done=Words(reason=f"Deleted{reason}", message=f"Deleted {kind} {told}"),
            refused=Words(
                reason=f"FailedToDelete{reason}", message=f"Failed deleting {kind} {told}, "
            ),
        ),
    )
