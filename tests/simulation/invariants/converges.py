"""What is not yet as the users wish: asked again and again once faults have stopped.

Empty when every cluster has exactly what its spec asks for and says so, nothing of a deleted one is
left, and the log tells of every object what Kubernetes has.
"""

from collections.abc import Iterator

from services.status.conditions.raycluster import SPEC_INVALID
from shared.aggregates.phases import SUSPENDED, SUSPENDING
from shared.events.objects import ChildSeen, PodSeen, ResourceSeen, ServiceSeen
from shared.events.subjects import place_of
from shared.kernel.features import Features
from shared.kernel.manifests import entries_at, integer_at, name_of, text_at, uid_of
from shared.ports.cluster import Object
from shared.resources.groups import desired_pods
from shared.resources.labels import GROUP, HEAD_GROUP
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster
from shared.validation.raycluster import validate
from tests.simulation.invariants.invariant import Scene, label, owner_uid
from tests.simulation.invariants.suspended_means_empty import holds
from tests.simulation.nature import RAYCLUSTERS

_KINDS = {"raycluster": RAYCLUSTERS, "pod": "pods", "service": "services"}


def unfulfilled(scene: Scene) -> Iterator[str]:
    """Yield a sentence for everything that is not as it should be in the end."""
    for raw in scene.nature.objects(RAYCLUSTERS):
        yield from _cluster(scene, raw)
    yield from _leftovers(scene)
    yield from _log(scene)


def _cluster(scene: Scene, raw: Object) -> Iterator[str]:
    name, generation = name_of(raw), integer_at(raw, "metadata", "generation")
    if integer_at(raw, "status", "observedGeneration") != generation:
        yield f"{name}: generation {generation} is not observed"
    cluster = read_raycluster(raw)
    if not isinstance(cluster, RayCluster) or tuple(validate(cluster, Features())):
        if not holds(raw, SPEC_INVALID):
            yield f"{name}: nobody is told that the spec is invalid"
        return
    if holds(raw, SPEC_INVALID) or holds(raw, SUSPENDING):
        yield f"{name}: it is called invalid, or still suspending"
    yield from _suspended(scene, raw) if cluster.spec.suspend else _running(scene, raw, cluster)


def _suspended(scene: Scene, raw: Object) -> Iterator[str]:
    pods, state = scene.nature.owned("pods", uid_of(raw)), text_at(raw, "status", "state")
    if pods or not holds(raw, SUSPENDED) or state != "suspended":
        yield f"{name_of(raw)}: it is not suspended, {len(pods)} pods are there"


def _running(scene: Scene, raw: Object, cluster: RayCluster) -> Iterator[str]:
    pods, services = (scene.nature.owned(kind, uid_of(raw)) for kind in ("pods", "services"))
    yield from _sizes(cluster, pods)
    if len(services) != 1 or text_at(raw, "status", "state") != "ready" or holds(raw, SUSPENDED):
        state = text_at(raw, "status", "state")
        yield f"{cluster.name}: {len(services)} services, state {state}"
    if integer_at(raw, "status", "readyWorkerReplicas") != len(pods) - 1:
        yield f"{cluster.name}: the status does not count {len(pods) - 1} ready workers"


def _sizes(cluster: RayCluster, pods: tuple[Object, ...]) -> Iterator[str]:
    wanted = {group.group_name: desired_pods(group) for group in cluster.groups}
    wanted[HEAD_GROUP] = 1
    for group in sorted({*wanted, *(label(pod, GROUP) for pod in pods)}):
        there = [pod for pod in pods if label(pod, GROUP) == group]
        ready = [pod for pod in there if _ready(pod)]
        if not len(there) == len(ready) == wanted.get(group, 0):
            yield (
                f"{cluster.name}: {len(there)} pods of {group}, {len(ready)} ready, "
                f"{wanted.get(group, 0)} wanted"
            )


def _ready(pod: Object) -> bool:
    going = text_at(pod, "metadata", "deletionTimestamp")
    return not going and any(
        entry.get("type") == "Ready" and entry.get("status") == "True"
        for entry in entries_at(pod, "status", "conditions")
    )


def _leftovers(scene: Scene) -> Iterator[str]:
    for resource in ("pods", "services"):
        for obj in scene.nature.objects(resource):
            uid = owner_uid(obj)
            if uid and scene.nature.find_uid(uid) is None:
                yield f"{name_of(obj)} is left of something that is gone"


def _log(scene: Scene) -> Iterator[str]:
    for key in scene.archive.resources():
        if scene.archive.view(key).open:
            yield f"the last act of {key.name} has no answer"
    told, there = _told(scene), _present(scene)
    for where in sorted({*told, *there}):
        if told.get(where) != there.get(where):
            yield (
                f"the log has version {told.get(where)} of {where}, Kubernetes {there.get(where)}"
            )


def _told(scene: Scene) -> dict[tuple[str, str], int]:
    """Return the versions that the log tells of, by kind and name."""
    found = {}
    for key in scene.archive.resources():
        for subject, record in scene.archive.latest(key).items():
            place, body = place_of(subject), record.envelope.body
            if place is not None and isinstance(
                body, PodSeen | ServiceSeen | ChildSeen | ResourceSeen
            ):
                found[place.rest[0], place.rest[1]] = body.meta.resource_version
    return found


def _present(scene: Scene) -> dict[tuple[str, str], int]:
    """Return the versions that Kubernetes has of everything that concerns us."""
    return {
        (kind, name_of(obj)): int(text_at(obj, "metadata", "resourceVersion"))
        for kind, resource in _KINDS.items()
        for obj in scene.nature.objects(resource)
        if kind == "raycluster" or owner_uid(obj)
    }
