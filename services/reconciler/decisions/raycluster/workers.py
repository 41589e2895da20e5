"""How a worker is asked for and how it is sent away, whatever the reason.

Which workers, and how many, is decided in `worker_groups.py` and, where replicas have several
hosts, in `multi_host.py`. Names are those of the decision; none that the view holds is used again.
"""

from collections.abc import Iterable, Iterator
from itertools import count

from services.reconciler.decisions.raycluster.situation import Situation, worker_manifest
from services.reconciler.manifests.names import worker_pod_name
from shared.actions.objects import CreateObject, DeleteObject, Notice, Words
from shared.aggregates.raycluster import group_of
from shared.events.objects import PodSeen
from shared.resources.groups import WorkerGroup
from shared.resources.labels import HEAD_GROUP, REPLICA_NAME
from shared.resources.predicates import autoscaling

Sizing = CreateObject | DeleteObject


def ready(pod: PodSeen) -> bool:
    """Whether the pod says that it is ready."""
    return any(one.type == "Ready" and one.status == "True" for one in pod.conditions)


def unit_of(pod: PodSeen) -> str:
    """Return what the pod comes and goes with: its replica, if that has several hosts."""
    return pod.meta.labels.get(REPLICA_NAME, "")


def in_turn(pods: Iterable[PodSeen]) -> list[PodSeen]:
    """Sort pods that all have to go: the head first, those of one replica side by side."""
    return sorted(
        pods, key=lambda pod: (group_of(pod.meta) != HEAD_GROUP, unit_of(pod), pod.meta.name)
    )


def may_shrink(found: Situation, group: WorkerGroup) -> bool:
    """Whether surplus is ours to remove; with an autoscaler in charge it names the victims."""
    return group.suspended or not autoscaling(found.cluster) or found.settings.random_pod_delete


def free_names(found: Situation, group: WorkerGroup) -> Iterator[str]:
    """Yield names for new workers of the group, without end."""
    cluster, fence = found.cluster, found.view.act_fence
    names = (
        worker_pod_name(cluster.name, group.group_name, uid=cluster.uid, slot=slot, fence=fence)
        for slot in count()
    )
    return (name for name in names if ("pod", name) not in found.state.taken)


def creation(
    found: Situation, group: WorkerGroup, name: str, labels: dict[str, str], *, because: str
) -> CreateObject:
    """Ask for a worker of the group."""
    cluster = found.cluster
    return CreateObject(
        kind="pod",
        name=name,
        manifest=worker_manifest(group.group_name),
        group=group.group_name,
        labels=labels,
        rule="worker_groups",
        because=because,
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


def removal(pod: PodSeen, *, rule: str, because: str, notice: Notice) -> DeleteObject:
    """Send a worker away."""
    return DeleteObject(
        kind="pod",
        name=pod.meta.name,
        uid=pod.meta.uid,
        rule=rule,
        because=because,
        notice=notice,
    )


def surplus(
    found: Situation, group: WorkerGroup, pod: PodSeen, because: str, words: Notice | None = None
) -> DeleteObject:
    """Send away a worker that is one too many, or whose group is suspended."""
    if not group.suspended:
        notice = words or surplus_words(pod)
        return removal(pod, rule="worker_groups", because=because, notice=notice)
    return removal(
        pod,
        rule="worker_groups",
        because=f"group {group.group_name} is suspended",
        notice=_suspended_words(found, group, pod),
    )


def surplus_words(pod: PodSeen) -> Notice:
    """Tell of a worker that is one too many."""
    place = f"{pod.meta.namespace}/{pod.meta.name}"
    return Notice(
        done=Words(reason="DeletedWorkerPod", message=f"Deleted Pod {place}"),
        refused=Words(reason="FailedToDeleteWorkerPod", message=f"Failed deleting Pod {place}, "),
    )


def named_words(pod: PodSeen) -> Notice:
    """Tell of a worker that `workersToDelete` names."""
    place = f"{pod.meta.namespace}/{pod.meta.name}"
    return Notice(
        done=Words(reason="DeletedWorkerPod", message=f"Deleted pod {place}"),
        refused=Words(reason="FailedToDeleteWorkerPod", message=f"Failed deleting pod {place}, "),
    )


def _suspended_words(found: Situation, group: WorkerGroup, pod: PodSeen) -> Notice:
    cluster = f"{found.cluster.namespace}/{found.cluster.name}"
    return Notice(
        done=Words(
            reason="DeletedWorkerPod",
            message=f"Deleted Pod {pod.meta.name} of suspended worker group {group.group_name} "
            f"in RayCluster {cluster}",
        ),
        refused=Words(
            reason="FailedToDeleteWorkerPodCollection",
            message=f"Failed deleting worker Pods for suspended group {group.group_name} "
            f"in RayCluster {cluster}, ",
        ),
    )
