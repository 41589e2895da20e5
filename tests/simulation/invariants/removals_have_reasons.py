"""Workers die for a reason that the act names and the log shows.

A group that has k too many loses k, no more and no fewer. Replicas of several hosts come and go
whole, whatever the reason. Judged when an act is recorded, from what it saw.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from shared.actions.objects import CreateObject, DeleteObject
from shared.aggregates.raycluster import RayClusterState, group_of, raycluster_state
from shared.aggregates.view import View
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.objects import PodSeen
from shared.events.subjects import place_of
from shared.kernel.features import STATUS_CONDITIONS
from shared.resources.groups import WorkerGroup, desired_replicas
from shared.resources.labels import HEAD_GROUP, REPLICA_NAME
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster
from tests.simulation.invariants.invariant import Invariant

ENDED = ("Failed", "Succeeded")
ACTIONS_MAX = 64
Pods = Mapping[str, PodSeen]


class RemovalsHaveReasons(Invariant):
    """What acts of a RayCluster remove."""

    def recorded(self, record: Record) -> Iterator[str]:
        act, place = record.envelope.body, place_of(record.subject)
        if not isinstance(act, Decided) or place is None or place.key.kind != "raycluster":
            return
        if not any(isinstance(one, CreateObject | DeleteObject) for one in act.actions):
            return
        if act.based_on < self.scene.archive.first:
            return
        seen = self.scene.archive.view(place.key, act.based_on)
        cluster = cluster_of(seen)
        if cluster is None or act.seen.deleting:
            return
        untold = not self.scene.features.on(STATUS_CONDITIONS)
        state = raycluster_state(seen)
        if untold and cluster.spec.suspend:
            state = replace(state, phase="suspending/by its spec")
        for complaint in _complaints(state, cluster, act):
            yield f"act {record.sequence} of {place.key.name} {complaint}"


def cluster_of(seen: View) -> RayCluster | None:
    """Return what a view's spec says, if it makes sense."""
    if seen.own is None:
        return None
    meta = {"name": seen.own.meta.name, "namespace": seen.own.meta.namespace}
    read = read_raycluster({"metadata": {**meta, "uid": seen.own.meta.uid}, "spec": seen.own.spec})
    return read if isinstance(read, RayCluster) else None


def _complaints(state: RayClusterState, cluster: RayCluster, act: Decided) -> Iterator[str]:
    groups = {group.group_name: group for group in cluster.groups}
    removed = {one.name: one for one in act.actions if isinstance(one, DeleteObject)}
    pods = {name: pod for name, pod in state.alive.items() if name in removed}
    for name, pod in pods.items():
        group = groups.get(group_of(pod.meta))
        rule = removed[name].rule
        if group_of(pod.meta) != HEAD_GROUP and not _holds(rule, pod, group, state, cluster):
            yield f"removes {name} by the rule {rule}, which does not hold"
    for group in groups.values():
        surplus = {
            name: pod
            for name, pod in pods.items()
            if group_of(pod.meta) == group.group_name and removed[name].rule == "worker_groups"
        }
        if surplus and not group.suspended and len(act.actions) < ACTIONS_MAX:
            yield from _too_many(group, state, surplus, _refused(group, state, act))
        if group.num_of_hosts > 1:
            yield from _in_part(group, state, pods, act)


def _holds(
    rule: str, pod: PodSeen, group: WorkerGroup | None, state: RayClusterState, cluster: RayCluster
) -> bool:
    """Say whether what the rule speaks of is so."""
    mates = _mates(group, state, pod)
    named = set(group.workers_to_delete if group else ())
    hosts = group.num_of_hosts if group else 1
    reasons = {
        "worker_groups": group is not None,
        "workers_to_delete": not named.isdisjoint(one.meta.name for one in mates),
        "unhealthy": any(_ended(one) for one in mates) or len(mates) < hosts,
        "removed_group": group is None,
        "suspension": state.phase.startswith(("suspending/", "suspended/")),
        "recreate": cluster.spec.upgrade_strategy is not None,
    }
    return reasons.get(rule, False)


def _mates(group: WorkerGroup | None, state: RayClusterState, pod: PodSeen) -> list[PodSeen]:
    """Return the pods that come and go with this one, itself included."""
    replica = pod.meta.labels.get(REPLICA_NAME)
    if group is None or group.num_of_hosts == 1 or not replica:
        return [pod]
    return [one for one in state.alive.values() if one.meta.labels.get(REPLICA_NAME) == replica]


def _ended(pod: PodSeen) -> bool:
    return pod.phase in ENDED


def _too_many(
    group: WorkerGroup, state: RayClusterState, surplus: Pods, refused: Pods
) -> Iterator[str]:
    """Compare what goes, or was to go and waits, with what is too much, in replicas."""
    there = _replicas(group, state.group(group.group_name))
    doubtful = {pod.meta.labels.get(REPLICA_NAME, "") for pod in state.held.values()}
    standing = [
        name
        for name, pods in there.items()
        if len(pods) == group.num_of_hosts
        and name not in doubtful
        and not any(_ended(pod) or pod.meta.name in group.workers_to_delete for pod in pods)
    ]
    former = _former(group, surplus)
    gone = _replicas(group, surplus).keys() - former
    gone |= _replicas(group, refused).keys() & set(standing)
    wanted = desired_replicas(group)
    if (gone or not former) and len(gone) != len(standing) - wanted:
        yield (
            f"removes {len(gone)} of {group.group_name}, which has {len(standing)} "
            f"and wants {wanted}"
        )
    if former and len(standing) < wanted:
        yield f"removes {', '.join(sorted(former))} before {wanted} whole replicas stand"


def _refused(group: WorkerGroup, state: RayClusterState, act: Decided) -> Pods:
    """Return the pods whose removal was refused, and waits before it is asked for again."""
    names = {one.name for one in act.troubles if (one.verb, one.kind) == ("delete", "pod")}
    pods = state.group(group.group_name)
    return {name: pod for name, pod in pods.items() if name in names}


def _former(group: WorkerGroup, pods: Pods) -> set[str]:
    """Return the pods that were there before each replica had several hosts; they go last."""
    if group.num_of_hosts == 1:
        return set()
    return {name for name, pod in pods.items() if not pod.meta.labels.get(REPLICA_NAME)}


def _replicas(group: WorkerGroup, pods: Pods) -> dict[str, list[PodSeen]]:
    """Sort pods into replicas; where each has one host it is one by itself."""
    found: dict[str, list[PodSeen]] = defaultdict(list)
    for name, pod in pods.items():
        whole = group.num_of_hosts > 1
        found[pod.meta.labels.get(REPLICA_NAME, name) if whole else name].append(pod)
    return found


def _in_part(
    group: WorkerGroup, state: RayClusterState, removed: Pods, act: Decided
) -> Iterator[str]:
    for pod in removed.values():
        if group_of(pod.meta) == group.group_name:
            left = [
                one.meta.name for one in _mates(group, state, pod) if one.meta.name not in removed
            ]
            if left:
                yield f"removes {pod.meta.name} without {', '.join(left)} of its replica"
    made = Counter(
        one.labels.get(REPLICA_NAME, "")
        for one in act.actions
        if isinstance(one, CreateObject) and one.kind == "pod" and one.group == group.group_name
    )
    for replica, hosts in made.items():
        if hosts != group.num_of_hosts:
            yield f"makes {hosts} hosts of replica {replica}, which has {group.num_of_hosts}"
