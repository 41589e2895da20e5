"""No worker is created beyond what the spec that was acted on asks for.

The act that asked for a pod says which generation it saw, so a spec that changed meanwhile excuses
nothing and accuses nobody. Where replicas have several hosts they are counted; one that is broken
is replaced at once, so what is to be removed of it does not count. Pods that were there before the
group had several hosts are no replica: they stay until whole ones are ready.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from sandbox.history import WatchEvent
from services.executor.performing import ACT_ANNOTATION
from shared.actions.objects import DeleteObject
from shared.kernel.manifests import annotations_of, controller_of, name_of, text_at, uid_of
from shared.ports.cluster import Object
from shared.resources.groups import desired_replicas
from shared.resources.labels import GROUP, HEAD_GROUP, REPLICA_NAME
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster
from tests.simulation.invariants.invariant import Invariant, Scene, label, owner_uid, usable
from tests.simulation.invariants.one_head import is_copy
from tests.simulation.nature import RAYCLUSTERS


class Wanted(Struct, frozen=True, kw_only=True):
    """How many replicas a group is to have, and of how many hosts each is."""

    replicas: int
    hosts: int = 1


NOBODY = Wanted(replicas=0)


class WorkersWithinDesired(Invariant):
    """Usable workers of a group, right after one is created."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._desired: dict[tuple[str, int, str], Wanted] = {}

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if resource == RAYCLUSTERS:
            self._learn(change.object)
        elif resource == "pods" and change.type == "ADDED" and _ours(change.object):
            yield from self._judge(change.object)

    def _learn(self, raw: Object) -> None:
        cluster = read_raycluster(raw)
        if isinstance(cluster, RayCluster):
            generation = raw["metadata"]["generation"]  # type: ignore[index] # an object has it
            for group in cluster.groups:
                wanted = Wanted(replicas=desired_replicas(group), hosts=group.num_of_hosts)
                self._desired[cluster.uid, generation, group.group_name] = wanted

    def _judge(self, pod: Object) -> Iterator[str]:
        group, uid = label(pod, GROUP), owner_uid(pod)
        act = self.scene.archive.acts.get(annotations_of(pod).get(ACT_ANNOTATION, ""))
        if act is None:
            yield f"{name_of(pod)} {uid_of(pod)} was created without a recorded act"
            return
        if group == HEAD_GROUP:
            return
        generation = act.decided.seen.generation
        wanted = self._desired.get((uid, generation, group), NOBODY)
        there: Sequence[Object] = [
            one
            for one in self.scene.nature.owned("pods", uid)
            if label(one, GROUP) == group and usable(one)
        ]
        if wanted.hosts > 1:
            there = self._replicas(there)
        if len(there) > wanted.replicas:
            yield (
                f"{len(there)} workers of {group} after {name_of(pod)} was created, "
                f"generation {generation} wants {wanted.replicas}"
            )

    def _replicas(self, pods: Sequence[Object]) -> Sequence[Object]:
        """Return one pod for each replica that nobody has asked to remove."""
        removed = {
            action.uid
            for act in self.scene.archive.acts.values()
            for action in act.decided.actions
            if isinstance(action, DeleteObject)
        }
        broken = {label(pod, REPLICA_NAME) for pod in pods if uid_of(pod) in removed}
        found = {label(pod, REPLICA_NAME): pod for pod in pods}
        return [pod for name, pod in found.items() if name and name not in broken]


def _ours(pod: Object) -> bool:
    """Say whether the pod was made for a RayCluster, and by us."""
    return text_at(controller_of(pod), "kind") == "RayCluster" and not is_copy(pod)
