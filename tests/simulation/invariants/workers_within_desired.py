"""No worker is created beyond what the spec that was acted on asks for.

The act that asked for a pod says which generation it saw, so a spec that changed meanwhile excuses
nothing and accuses nobody.
"""

from collections.abc import Iterator

from sandbox.history import WatchEvent
from services.executor.performing import ACT_ANNOTATION
from shared.kernel.manifests import annotations_of, name_of, uid_of
from shared.ports.cluster import Object
from shared.resources.groups import desired_pods
from shared.resources.labels import GROUP, HEAD_GROUP
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster
from tests.simulation.invariants.invariant import Invariant, Scene, label, owner_uid, usable
from tests.simulation.nature import RAYCLUSTERS


class WorkersWithinDesired(Invariant):
    """Usable workers of a group, right after one is created."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._desired: dict[tuple[str, int, str], int] = {}

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if resource == RAYCLUSTERS:
            self._learn(change.object)
        elif resource == "pods" and change.type == "ADDED" and owner_uid(change.object):
            yield from self._judge(change.object)

    def _learn(self, raw: Object) -> None:
        cluster = read_raycluster(raw)
        if isinstance(cluster, RayCluster):
            generation = raw["metadata"]["generation"]  # type: ignore[index] # an object has it
            for group in cluster.groups:
                self._desired[cluster.uid, generation, group.group_name] = desired_pods(group)

    def _judge(self, pod: Object) -> Iterator[str]:
        group, uid = label(pod, GROUP), owner_uid(pod)
        act = self.scene.archive.acts.get(annotations_of(pod).get(ACT_ANNOTATION, ""))
        if act is None:
            yield f"{name_of(pod)} {uid_of(pod)} was created without a recorded act"
            return
        if group == HEAD_GROUP:
            return
        generation = act.decided.seen.generation
        wanted = self._desired.get((uid, generation, group), 0)
        there = [
            one
            for one in self.scene.nature.owned("pods", uid)
            if label(one, GROUP) == group and usable(one)
        ]
        if len(there) > wanted:
            yield (
                f"{len(there)} workers of {group} after {name_of(pod)} was created, "
                f"generation {generation} wants {wanted}"
            )
