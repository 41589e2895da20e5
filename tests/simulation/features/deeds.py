"""What users of rich worlds do beside everything else: they write features, and make mistakes.

A mistake is made in a resource of its own, which is repaired or taken away later; what the API
server refuses is told in the story, and nothing comes of it.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

from prometheus_client import generate_latest

from sandbox.errors import ApiError
from shared.kernel.manifests import name_of
from shared.telemetry.metrics import REGISTRY
from tests.simulation.features import clusters, jobs, services
from tests.simulation.features.clusters import Feature, Manifest
from tests.simulation.jobs import job_spec
from tests.simulation.kinds import CLUSTER, CRON, JOB, PLURALS, SERVICE
from tests.simulation.nature import NAMESPACE
from tests.simulation.services import VERSIONS
from tests.simulation.users import Deed
from tests.simulation.wishes import MISTAKEN, cluster
from tests.simulation.world import World
from tests.support.rayservices import STAND

KINDS = {CLUSTER: "RayCluster", JOB: "RayJob", SERVICE: "RayService", CRON: "RayCronJob"}
RICH = {CLUSTER: "gamma", JOB: "errand", SERVICE: "stall", CRON: "weekly"}
Schedule = tuple[str, str | None]


def plain(kind: str, name: str, chance: Random) -> Manifest:
    """Return a resource that makes sense and asks for little."""
    if kind == CLUSTER:
        made = deepcopy(cluster(name, {"small": chance.randint(0, 1)}))
        made["spec"]["suspend"] = False  # a cluster that was suspended wakes by this word only
        return made
    specs: dict[str, Callable[[], dict[str, Any]]] = {
        JOB: lambda: job_spec(chance),
        CRON: lambda: {"schedule": "0 0 1 1 *", "jobTemplate": job_spec(chance)},
        SERVICE: lambda: {
            "serveConfigV2": STAND,
            "rayClusterConfig": {**cluster("", {"small": 1})["spec"], "rayVersion": VERSIONS[0]},
        },
    }
    meta = {"name": name, "namespace": NAMESPACE}
    body = {"apiVersion": "ray.io/v1", "kind": KINDS[kind], "metadata": meta}
    return {**body, "spec": deepcopy(specs[kind]())}


def with_features(names: Sequence[str]) -> Deed:
    """Write a RayCluster with these features: a new one, or in the place of what is there."""

    def write_features(world: World, chance: Random) -> str:
        manifest = plain(CLUSTER, RICH[CLUSTER], chance)
        for name in names:
            clusters.FEATURES[name](manifest)
        _own_names(manifest)
        return f"{write(world, CLUSTER, manifest)} with {', '.join(names)}"

    return write_features


def without_features(world: World, chance: Random) -> str:
    """Delete the RayCluster with features."""
    plural, name = PLURALS[CLUSTER], RICH[CLUSTER]
    if name not in {name_of(found) for found in world.nature.objects(plural)}:
        return f"there is no {name} to delete"
    world.nature.cluster.delete(plural, NAMESPACE, name, propagation="Background")
    return f"{name} is deleted"


def job_with_features(names: Sequence[str], of_cluster: Sequence[str]) -> Deed:
    """Create a RayJob with these features, on a cluster with those."""

    def write_job(world: World, chance: Random) -> str:
        manifest = plain(JOB, RICH[JOB], chance)
        held: Manifest = {
            "metadata": manifest["metadata"],
            "spec": manifest["spec"]["rayClusterSpec"],
        }
        for name in of_cluster:
            clusters.FEATURES[name](held)
        for name in names:
            jobs.FEATURES[name](manifest)
        return f"{write(world, JOB, manifest)} with {', '.join((*names, *of_cluster))}"

    return write_job


def service_with_features(names: Sequence[str]) -> Deed:
    """Create a RayService with these features."""

    def write_service(world: World, chance: Random) -> str:
        manifest = plain(SERVICE, RICH[SERVICE], chance)
        for name in names:
            services.FEATURES[name](manifest)
        return f"{write(world, SERVICE, manifest)} with {', '.join(names)}"

    return write_service


def at_odd_times(schedule: Schedule, name: str = RICH[CRON]) -> Deed:
    """Write a RayCronJob with a schedule and a time zone."""

    def write_schedule(world: World, chance: Random) -> str:
        manifest = plain(CRON, name, chance)
        text, zone = schedule
        manifest["spec"] |= {"schedule": text} | ({} if zone is None else {"timeZone": zone})
        return f"{write(world, CRON, manifest)} at {text!r} of {zone}"

    return write_schedule


def mistaken(kind: str, changes: Sequence[tuple[str, Feature]]) -> Deed:
    """Create a resource with these mistakes in it, or make them in the one that is there."""

    def err(world: World, chance: Random) -> str:
        manifest = plain(kind, MISTAKEN[kind], chance)
        for _, change in changes:
            change(manifest)
        told = ", ".join(name for name, _ in changes)
        return f"{write(world, kind, manifest)} with mistakes: {told}"

    return err


def corrected(kind: str) -> Deed:
    """Put right what was mistaken, or give it up; a RayService is costly, and always given up."""

    def correct(world: World, chance: Random) -> str:
        plural, name = PLURALS[kind], MISTAKEN[kind]
        if name not in {name_of(found) for found in world.nature.objects(plural)}:
            return f"there is no {kind} to correct"
        if kind != SERVICE and chance.random() < 0.5:
            return f"{write(world, kind, plain(kind, MISTAKEN[kind], chance))} as it should be"
        world.nature.cluster.delete(plural, NAMESPACE, name, propagation="Background")
        return f"{kind} {name} is given up"

    return correct


def look_at_metrics(world: World, chance: Random) -> str:
    """Read every metric, as Prometheus does; how many there are depends on earlier worlds."""
    generate_latest(REGISTRY)
    return "the metrics are read"


def _own_names(manifest: Manifest) -> None:
    """Let no two clusters ask for one service."""
    service = manifest["spec"]["headGroupSpec"].get("headService")
    if service is not None:
        service["metadata"]["name"] = f"{manifest['metadata']['name']}-own-head"


def write(world: World, kind: str, manifest: Manifest) -> str:
    """Create it, or put its spec in the place of the one that is there, and its notes beside."""
    plural, name = PLURALS[kind], name_of(manifest)
    there = {name_of(found) for found in world.nature.objects(plural)}
    notes = {part: manifest["metadata"].get(part, {}) for part in ("labels", "annotations")}
    change = [{"op": "replace", "path": "/spec", "value": manifest["spec"]}]
    api = world.nature.cluster
    try:
        if name not in there:
            api.create(plural, manifest)
            return f"{kind} {name} is created"
        api.patch(plural, NAMESPACE, name, {"metadata": notes})
        api.patch(plural, NAMESPACE, name, change, content_type="application/json-patch+json")
    except ApiError as refusal:
        return f"{kind} {name} is refused ({refusal})"
    return f"{kind} {name} is written anew"
