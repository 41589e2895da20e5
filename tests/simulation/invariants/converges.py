"""What is not yet as the users wish: asked again and again once faults have stopped.

Empty when every cluster has exactly what its spec asks for and says so, nothing of a deleted one is
left, and the log tells of every object what Kubernetes has.
"""

from collections.abc import Iterator

from services.reconciler.manifests.names import storage_claim_name
from services.reconciler.manifests.volumes import outlives
from services.status.conditions.blocked import BLOCKED
from services.status.conditions.raycluster import SPEC_INVALID
from shared.aggregates.phases import SUSPENDED, SUSPENDING
from shared.aggregates.service_routes import serve_service_of
from shared.kernel.features import STATUS_CONDITIONS
from shared.kernel.manifests import annotations_of, entries_at, integer_at, name_of, text_at, uid_of
from shared.ports.cluster import Object
from shared.resources.groups import desired_pods
from shared.resources.labels import DISABLE_HEAD_RESTART, GROUP, HEAD_GROUP
from shared.resources.predicates import autoscaling, embedded_storage
from shared.resources.raycluster import RayCluster
from shared.resources.rayservice import RayService
from shared.resources.reading import read_raycluster, read_rayservice
from shared.validation.raycluster import validate
from shared.validation.rayservice import validate as check_service
from tests.simulation.invariants.invariant import Scene, label, owner_uid, ready
from tests.simulation.invariants.job_laws import unfinished
from tests.simulation.invariants.log_agrees import apart
from tests.simulation.invariants.service_laws import unserved
from tests.simulation.invariants.step_laws import steps, unsplit
from tests.simulation.invariants.suspended_means_empty import holds
from tests.simulation.kinds import RAYCLUSTERS, RAYJOBS, RAYSERVICES

EVENTS = "events"
SERVICES_MAX = 2
"""The head's, and the one by which hosts of replicas find each other, which stays; beside them
there may be the one that a RayService in steps leads requests to."""


def unfulfilled(scene: Scene) -> Iterator[str]:
    """Yield a sentence for everything that is not as it should be in the end."""
    for raw in scene.nature.objects(RAYCLUSTERS):
        yield from _cluster(scene, raw)
    for raw in scene.nature.objects(RAYJOBS):
        yield from unfinished(scene, raw)
    for raw in scene.nature.objects(RAYSERVICES):
        if _senseless(scene, raw):
            yield from _refused(raw)
            continue
        yield from unserved(scene, raw)
        if steps(raw):
            yield from unsplit(scene, raw)
    yield from _leftovers(scene)
    yield from apart(scene)


def _cluster(scene: Scene, raw: Object) -> Iterator[str]:
    """Judge one cluster; in SidecarMode the head ends with its job, and does not come again."""
    name, generation = name_of(raw), integer_at(raw, "metadata", "generation")
    if integer_at(raw, "status", "observedGeneration") != generation:
        yield f"{name}: generation {generation} is not observed"
    cluster = read_raycluster(raw)
    if not isinstance(cluster, RayCluster) or tuple(validate(cluster, scene.features)):
        if not _told_invalid(scene, raw):
            yield f"{name}: nobody is told that the spec is invalid"
        return
    if holds(raw, SPEC_INVALID) or holds(raw, SUSPENDING):
        yield f"{name}: it is called invalid, or still suspending"
    if cluster.spec.suspend:
        yield from _suspended(scene, raw)
    elif _waits_for_claim(scene, raw, cluster):
        return
    elif annotations_of(raw).get(DISABLE_HEAD_RESTART) != "true":
        yield from _running(scene, raw, cluster)


def _waits_for_claim(scene: Scene, raw: Object, cluster: RayCluster) -> bool:
    """Whether a claim that outlived an earlier cluster is in the way of one that shall not.

    Then people are told so, where there are conditions.
    """
    told = holds(raw, BLOCKED) or not scene.features.on(STATUS_CONDITIONS)
    if not told or not embedded_storage(cluster) or outlives(cluster):
        return False
    kept = [one for one in scene.nature.objects("persistentvolumeclaims") if not owner_uid(one)]
    return storage_claim_name(cluster) in {name_of(one) for one in kept}


def _told_invalid(scene: Scene, raw: Object) -> bool:
    """Whether the status says that the spec makes no sense, or an Event where it says nothing."""
    if scene.features.on(STATUS_CONDITIONS):
        return holds(raw, SPEC_INVALID)
    return any(
        text_at(event, "involvedObject", "uid") == uid_of(raw)
        and text_at(event, "reason").startswith("InvalidRayCluster")
        for event in scene.nature.objects(EVENTS)
    )


def _senseless(scene: Scene, raw: Object) -> bool:
    """Whether a RayService cannot be read, or makes no sense."""
    service = read_rayservice(raw)
    return not isinstance(service, RayService) or bool(check_service(service, scene.features))


def _refused(raw: Object) -> Iterator[str]:
    reasons = [text_at(one, "reason") for one in entries_at(raw, "status", "conditions")]
    if "ValidationFailed" not in reasons:
        yield f"{name_of(raw)}: nobody is told that the spec is invalid"


def _suspended(scene: Scene, raw: Object) -> Iterator[str]:
    pods, state = scene.nature.owned("pods", uid_of(raw)), text_at(raw, "status", "state")
    untold = scene.features.on(STATUS_CONDITIONS) and not holds(raw, SUSPENDED)
    if pods or untold or state != "suspended":
        yield f"{name_of(raw)}: it is not suspended, {len(pods)} pods are there"


def _running(scene: Scene, raw: Object, cluster: RayCluster) -> Iterator[str]:
    pods, owned = (scene.nature.owned(kind, uid_of(raw)) for kind in ("pods", "services"))
    services = [one for one in owned if name_of(one) != serve_service_of(cluster.name)]
    left = autoscaling(cluster) and not scene.random_pod_delete
    yield from _sizes(cluster, pods, leaves_surplus=left)
    wanted = 1 + any(group.num_of_hosts > 1 for group in cluster.groups)
    is_ready = text_at(raw, "status", "state") == "ready" or (left and _surplus(cluster, pods))
    well = is_ready and not holds(raw, SUSPENDED)
    if not wanted <= len(services) <= SERVICES_MAX or not well:
        state = text_at(raw, "status", "state")
        yield f"{cluster.name}: {len(services)} services, state {state}"
    if integer_at(raw, "status", "readyWorkerReplicas") != len(pods) - 1:
        yield f"{cluster.name}: the status does not count {len(pods) - 1} ready workers"


def _sizes(cluster: RayCluster, pods: tuple[Object, ...], *, leaves_surplus: bool) -> Iterator[str]:
    """Judge the sizes of groups; surplus that is an autoscaler's to remove may stay."""
    wanted = {group.group_name: desired_pods(group) for group in cluster.groups}
    wanted[HEAD_GROUP] = 1
    may_stay = {group.group_name for group in cluster.groups if not group.suspended}
    for group in sorted({*wanted, *(label(pod, GROUP) for pod in pods)}):
        there = [pod for pod in pods if label(pod, GROUP) == group]
        well = [pod for pod in there if ready(pod)]
        least = wanted.get(group, 0)
        most = len(there) if leaves_surplus and group in may_stay else least
        if len(there) != len(well) or not least <= len(well) <= most:
            yield f"{cluster.name}: {len(there)} pods of {group}, {len(well)} ready, {least} wanted"


def _surplus(cluster: RayCluster, pods: tuple[Object, ...]) -> bool:
    """Whether there are more workers than wanted: such a cluster does not become ready."""
    return len(pods) - 1 > sum(desired_pods(group) for group in cluster.groups)


def _leftovers(scene: Scene) -> Iterator[str]:
    for resource in scene.nature.told:
        for obj in scene.nature.objects(resource):
            uid = owner_uid(obj)
            if uid and scene.nature.find_uid(uid) is None:
                yield f"{name_of(obj)} is left of something that is gone"
