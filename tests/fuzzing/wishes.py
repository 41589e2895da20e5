"""What each kind of resource is when its spec is fulfilled; a sentence for what is not. Pure."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import yaml

from shared.resources.groups import desired_pods
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster
from tests.differential.stories import Json, Objects, live

Wish: TypeAlias = Callable[[Json, Objects], Iterator[str]]
GROUP, NODE_TYPE = "ray.io/group", "ray.io/node-type"
HEADS = "headgroup"
OVER = ("Complete", "Failed")
OFTEN = ("* * * * *", "@every 1s")


def cluster_unmet(cluster: Json, objects: Objects) -> Iterator[str]:
    """Judge a RayCluster: pods in each group, and what the status says of them."""
    read = read_raycluster(cluster)
    if not isinstance(read, RayCluster):
        yield f"it cannot be read: {read}"
        return
    pods = owned(cluster, objects.get("pods", ()))
    status = cluster.get("status") or {}
    state = status.get("state")
    stays = read.spec.suspend is None and _condition(status, "RayClusterSuspended") == "True"
    if read.spec.suspend or stays:
        if pods or state != "suspended":
            yield f"it is not suspended: {len(pods)} pods, state {state}"
        return
    scaled = read.spec.enable_in_tree_autoscaling is True  # surplus is the autoscaler's business
    wanted = {group.group_name: desired_pods(group) for group in read.groups} | {HEADS: 1}
    for group in sorted({*wanted, *(_label(pod, GROUP) for pod in pods)}):
        there = [pod for pod in pods if _label(pod, GROUP) == group]
        well, most = sum(1 for pod in there if is_ready(pod)), wanted.get(group, 0)
        surplus = scaled and len(there) == well > most and group in wanted and group != HEADS
        if not len(there) == well == most and not surplus:
            yield f"{most} pods of {group} are wished, {len(there)} there, {well} ready"
    if state != "ready":
        yield f"its state is {state!r}"


def job_unmet(job: Json, objects: Objects) -> Iterator[str]:
    """Judge a RayJob: it is over, or rests or runs as its user wants."""
    status = job.get("status") or {}
    phase, clusters = status.get("jobDeploymentStatus", ""), owned(job, objects["rayclusters"])
    if phase in OVER:
        yield from _over(job["spec"], status, clusters)
    elif job["spec"].get("suspend"):
        if phase != "Suspended" or clusters:
            yield f"it is {phase or 'nothing'} and not suspended"
    else:
        yield from _under_way(job["spec"], phase)


def _over(spec: Json, status: Json, clusters: list[Json]) -> Iterator[str]:
    goes = spec.get("shutdownAfterJobFinishes") and not spec.get("deletionStrategy")
    if goes and clusters and not spec.get("ttlSecondsAfterFinished"):
        yield "it is over and its cluster is there"
    if status["jobDeploymentStatus"] == "Failed" and not (
        status.get("reason") and status.get("message")
    ):
        yield "it failed without a reason and a message"


def _under_way(spec: Json, phase: str) -> Iterator[str]:
    """Judge a job that is not over; one that runs for ever never is."""
    if phase == "Waiting" and spec.get("submissionMode") != "InteractiveMode":
        yield "it waits for an id, and is not interactive"
    elif phase == "Running" and "forever" in str(spec.get("entrypoint")):
        return
    elif phase != "Waiting":
        yield f"it rests in {phase or 'no phase'}"


def service_unmet(service: Json, objects: Objects) -> Iterator[str]:
    """Judge a RayService: one cluster, which runs what the configuration names."""
    status, clusters = service.get("status") or {}, live(owned(service, objects["rayclusters"]))
    ready = _condition(status, "Ready") == "True"
    if service["spec"].get("suspend"):
        if clusters or _condition(status, "Suspended") != "True":
            yield f"it is not suspended, {len(clusters)} clusters are there"
        return
    if not ready:
        yield "it is not ready"
    told = status.get("activeServiceStatus") or {}
    if [one["metadata"]["name"] for one in clusters] != [told.get("rayClusterName")]:
        yield f"its active cluster is {told.get('rayClusterName')}, there are {len(clusters)}"
    for cluster in clusters:
        yield from cluster_unmet(cluster, objects)
    running = {
        name
        for name, app in (told.get("applicationStatuses") or {}).items()
        if app.get("status") == "RUNNING"
    }
    if running != (named := _applications(service["spec"].get("serveConfigV2", ""))):
        yield f"applications {sorted(running)} run, {sorted(named)} are wished"


def cron_unmet(cron: Json, objects: Objects) -> Iterator[str]:
    """Judge a RayCronJob: one that is due often has made runs, one at rest has made none lately."""
    spec, ran = cron["spec"], (cron.get("status") or {}).get("lastScheduleTime")
    if spec.get("suspend"):
        return
    if spec["schedule"] in OFTEN and not ran and not owned(cron, objects["rayjobs"]):
        yield f"nothing was made by {spec['schedule']!r}"


WISHES: Mapping[str, Wish] = {
    "RayCluster": cluster_unmet,
    "RayJob": job_unmet,
    "RayService": service_unmet,
    "RayCronJob": cron_unmet,
}


def owned(owner: Json, objects: Any) -> list[Json]:
    """Return those that an object controls."""
    uid = owner["metadata"]["uid"]
    return [
        one
        for one in objects
        if any(each["uid"] == uid for each in one["metadata"].get("ownerReferences", ()))
    ]


def _applications(config: str) -> set[str]:
    try:
        read = yaml.safe_load(config)
    except yaml.YAMLError:
        return set()
    entries = (read.get("applications") or ()) if isinstance(read, dict) else ()
    return {str(one.get("name", "default")) for one in entries if isinstance(one, dict)}


def _condition(status: Json, name: str) -> str:
    found = status.get("conditions", ())
    return next((str(one["status"]) for one in found if one["type"] == name), "")


def _label(pod: Json, name: str) -> str:
    return str(pod["metadata"].get("labels", {}).get(name, ""))


def is_ready(pod: Json) -> bool:
    """Tell whether a pod is ready."""
    conditions = (pod.get("status") or {}).get("conditions", ())
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
