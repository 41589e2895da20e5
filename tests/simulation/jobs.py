"""What users do to RayJobs and to whoever submits for them, and what they write."""

from random import Random
from typing import Any

from shared.kernel.manifests import name_of
from tests.simulation.kinds import RAYJOBS
from tests.simulation.nature import JOBS, NAMESPACE
from tests.simulation.scripts import FAILS, SUCCEEDS, TAKES_LONG
from tests.simulation.users import Deed, any_of, own_clusters
from tests.simulation.wishes import cluster
from tests.simulation.world import World

NAMES = ("train", "tune")
MODES = ("HTTPMode", "HTTPMode", "K8sJobMode", "SidecarMode")
PROGRAMS = (SUCCEEDS, SUCCEEDS, FAILS, TAKES_LONG)


def job_spec(chance: Random) -> dict[str, Any]:
    """Draw what a RayJob runs, how it is submitted, and what becomes of its cluster."""
    mode = chance.choice(MODES)
    spec: dict[str, Any] = {
        "entrypoint": chance.choice(PROGRAMS),
        "submissionMode": mode,
        "rayClusterSpec": cluster("", {"small": chance.randint(0, 1)})["spec"],
        "shutdownAfterJobFinishes": chance.random() < 0.6,
    }
    if spec["shutdownAfterJobFinishes"]:
        spec["ttlSecondsAfterFinished"] = chance.choice((0, 5, 20))
    if chance.random() < 0.3:
        spec["backoffLimit"] = 1
    if chance.random() < 0.2:
        spec["activeDeadlineSeconds"] = 30
    return spec


def create_job(world: World, chance: Random) -> str:
    """Create a RayJob whose name is free."""
    taken = {name_of(obj) for obj in world.nature.objects(RAYJOBS)}
    free = [name for name in NAMES if name not in taken]
    if not free:
        return "every name of a job is taken"
    return _create(world, chance, free[0])


def _create(world: World, chance: Random, name: str) -> str:
    spec, where = job_spec(chance), "a cluster of its own"
    clusters = own_clusters(world)
    if clusters and chance.random() < 0.3:
        where = name_of(chance.choice(clusters))
        spec = {key: spec[key] for key in ("entrypoint", "submissionMode")}
        spec |= {"submissionMode": "HTTPMode", "clusterSelector": {"ray.io/cluster": where}}
    meta = {"name": name, "namespace": NAMESPACE}
    world.nature.cluster.create(
        RAYJOBS, {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": meta, "spec": spec}
    )
    return f"job {name} runs {spec['entrypoint']} by {spec['submissionMode']} on {where}"


def suspend_or_resume_job(world: World, chance: Random) -> str:
    """Turn the suspension of a RayJob over, as Kueue does."""
    found = any_of(world, RAYJOBS, chance)
    if found is None:
        return create_job(world, chance)
    if "clusterSelector" in found["spec"]:  # type: ignore[operator] # an object has a spec
        return f"job {name_of(found)} cannot be suspended, it selects its cluster"
    suspend = not found["spec"].get("suspend", False)  # type: ignore[attr-defined] # likewise
    patch = {"spec": {"suspend": suspend}}
    world.nature.cluster.patch(RAYJOBS, NAMESPACE, name_of(found), patch)
    return f"job {name_of(found)} wants suspend: {suspend}"


def delete_job(world: World, chance: Random) -> str:
    """Delete a RayJob."""
    found = any_of(world, RAYJOBS, chance)
    if found is None:
        return create_job(world, chance)
    world.nature.cluster.delete(RAYJOBS, NAMESPACE, name_of(found), propagation="Background")
    return f"job {name_of(found)} is deleted"


def recreate_job(world: World, chance: Random) -> str:
    """Delete a RayJob, and create one of the same name as soon as that is free."""
    found = any_of(world, RAYJOBS, chance)
    if found is None:
        return create_job(world, chance)
    name = name_of(found)
    world.nature.cluster.delete(RAYJOBS, NAMESPACE, name, propagation="Background")
    if name in {name_of(obj) for obj in world.nature.objects(RAYJOBS)}:
        return f"job {name} is deleted, and its name not free yet"
    return f"job {name} is made anew: {_create(world, chance, name)}"


def kill_submitter(world: World, chance: Random) -> str:
    """Delete the Kubernetes Job that submits, or a pod of it."""
    found = any_of(world, JOBS, chance)
    if found is None:
        return "there is no submitter to kill"
    pods = world.nature.owned("pods", str(found["metadata"]["uid"]))  # type: ignore[index] # as above
    if pods and chance.random() < 0.6:
        name = name_of(pods[0])
        world.nature.cluster.delete("pods", NAMESPACE, name, grace_seconds=0)
        return f"the submitter's pod {name} is killed"
    world.nature.cluster.delete(JOBS, NAMESPACE, name_of(found), propagation="Background")
    return f"the submitter {name_of(found)} is deleted"


DEEDS: tuple[Deed, ...] = (
    create_job,
    create_job,
    create_job,
    suspend_or_resume_job,
    suspend_or_resume_job,
    delete_job,
    recreate_job,
    kill_submitter,
)
