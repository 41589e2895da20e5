"""The stories whose every moment is gone through: one short life for each kind of resource.

Each has a world without faults, in which two of every service's replicas are at work if chance
gave it two, and a plan without luck. `changes` is what users may want instead, at any moment.
"""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from services.status.conditions.rayservice.table import SERVING
from shared.kernel.manifests import name_of
from tests.simulation.crons import create_cron, delete_cron, reschedule, suspend_or_resume_cron
from tests.simulation.features.settings import rich
from tests.simulation.jobs import delete_job, recreate_job, suspend_or_resume_job
from tests.simulation.kinds import (
    CLUSTER,
    CRON,
    JOB,
    RAYCLUSTERS,
    RAYJOBS,
    SERVICE,
    in_steps,
    kinds_of,
)
from tests.simulation.nature import NAMESPACE
from tests.simulation.plan import Plan, Step
from tests.simulation.run import LISTENED_LONGER
from tests.simulation.scripts import FAILS, SUCCEEDS
from tests.simulation.services import (
    create_service,
    delete_service,
    go_back,
    reconfigure,
    suspend_or_resume_service,
    upgrade,
)
from tests.simulation.users import (
    Deed,
    delete,
    evict_pod,
    kill_pod,
    own_clusters,
    recreate,
    regroup,
    scale,
    suspend_or_resume,
    there_and_back,
)
from tests.simulation.wishes import PAIR, cluster
from tests.simulation.world import World

Change = tuple[Deed, ...]
"""What a user does, one thing a second after the other."""


class Story(Struct, frozen=True, kw_only=True):
    """A life without trouble, and what else its user may want."""

    world: int
    plan: Plan
    changes: Mapping[str, Change]


def world_of(kind: str, *, stepped: bool = False) -> int:
    """Return the first plain world that has this kind only."""
    return next(
        seed
        for seed in range(10_000)
        if kinds_of(seed) == (kind,)
        and in_steps(seed) is stepped
        and not rich(seed)
        and seed % LISTENED_LONGER
    )


def _cluster_of(sizes: Mapping[str, int]) -> Deed:
    def deed(world: World, chance: Random) -> str:
        if world.nature.objects(RAYCLUSTERS):
            return "somebody has made a cluster already"
        world.nature.cluster.create(RAYCLUSTERS, cluster("alpha", dict(sizes)))
        return f"alpha is created with {sizes}"

    return deed


def _sized(group: str, replicas: int) -> Deed:
    def deed(world: World, chance: Random) -> str:
        found = own_clusters(world)
        if not found:
            return "nobody is there to have another size"
        spec: Any = found[0]["spec"]
        groups = [
            {**each, "replicas": replicas} if each["groupName"] == group else each
            for each in spec["workerGroupSpecs"]
        ]
        patch = {"spec": {"workerGroupSpecs": groups}}
        world.nature.cluster.patch(RAYCLUSTERS, NAMESPACE, name_of(found[0]), patch)
        return f"{name_of(found[0])} wants {replicas} of {group}"

    return deed


def job_that(mode: str, **more: object) -> Deed:
    """Return a user who creates a job that is submitted so."""

    def deed(world: World, chance: Random) -> str:
        if world.nature.objects(RAYJOBS):
            return "somebody has made a job already"
        spec = {
            "entrypoint": SUCCEEDS,
            "submissionMode": mode,
            "rayClusterSpec": cluster("", {"small": 1})["spec"],
            "shutdownAfterJobFinishes": True,
            **more,
        }
        meta = {"name": "train", "namespace": NAMESPACE}
        job = {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": meta, "spec": spec}
        world.nature.cluster.create(RAYJOBS, job)
        return f"job train runs by {mode} with {more}"

    return deed


def _plan(lasts: float, *steps: tuple[float, Deed] | tuple[float, Deed, str]) -> Plan:
    """Return a plan in which users do this at these moments, or as soon as a service is so."""
    return Plan(
        steps=tuple(
            Step(at=at, luck=f"step {number}", deed=deed, awaits="".join(awaits))
            for number, (at, deed, *awaits) in enumerate(steps)
        ),
        lasts=lasts,
    )


OF_CLUSTERS: Mapping[str, Change] = {
    "its user wants another size": (scale,),
    "its user wants another size, and takes it back at once": (there_and_back,),
    "its user suspends it, and resumes it": (suspend_or_resume, suspend_or_resume),
    "its user takes a group away or adds one": (regroup,),
    "its user deletes it": (delete,),
    "its user makes it anew": (recreate, recreate),
    "a pod is killed": (kill_pod,),
    "a pod is evicted": (evict_pod,),
}
OF_JOBS: Mapping[str, Change] = {
    "its user suspends it, and resumes it": (suspend_or_resume_job, suspend_or_resume_job),
    "its user deletes it": (delete_job,),
    "its user makes it anew": (recreate_job, recreate_job),
    "a pod is killed": (kill_pod,),
    "a pod is evicted": (evict_pod,),
}
OF_SERVICES: Mapping[str, Change] = {
    "its user wants another version": (upgrade,),
    "its user wants another version, and takes it back": (upgrade, go_back),
    "its user wants another application": (reconfigure,),
    "its user suspends it, and resumes it": (suspend_or_resume_service, suspend_or_resume_service),
    "its user deletes it": (delete_service,),
    "its user makes it anew": (delete_service, create_service),
    "a pod is killed": (kill_pod,),
    "a pod is evicted": (evict_pod,),
}
OF_CRONS: Mapping[str, Change] = {
    "its user wants another schedule": (reschedule,),
    "its user suspends it, and resumes it": (suspend_or_resume_cron, suspend_or_resume_cron),
    "its user makes it anew": (delete_cron, create_cron),
}


def _stories() -> Iterator[tuple[str, Story]]:
    cluster_life = _plan(
        28.0,
        (0.1, _cluster_of({"small": 2, PAIR: 1})),
        (6.0, _sized("small", 4)),
        (10.0, _sized("small", 1)),
        (14.0, suspend_or_resume),
        (19.0, suspend_or_resume),
    )
    short_life = _plan(14.0, (0.1, _cluster_of({"small": 1})), (6.0, delete))
    of_jobs: Mapping[str, Callable[[], Deed]] = {
        "a job with a submitter": lambda: job_that("K8sJobMode", ttlSecondsAfterFinished=2),
        "a job over HTTP": lambda: job_that("HTTPMode"),
        "a job beside its head": lambda: job_that("SidecarMode"),
        "a job that fails": lambda: job_that("HTTPMode", entrypoint=FAILS, backoffLimit=1),
    }
    serves = ((0.1, create_service), (0.2, upgrade, SERVING))
    yield "a cluster", Story(world=world_of(CLUSTER), plan=cluster_life, changes=OF_CLUSTERS)
    yield "a deletion", Story(world=world_of(CLUSTER), plan=short_life, changes=OF_CLUSTERS)
    for name, deed in of_jobs.items():
        yield name, Story(world=world_of(JOB), plan=_plan(30.0, (0.1, deed())), changes=OF_JOBS)
    yield (
        "a service",
        Story(world=world_of(SERVICE), plan=_plan(45.0, *serves), changes=OF_SERVICES),
    )
    stepped = world_of(SERVICE, stepped=True)
    yield "a service in steps", Story(world=stepped, plan=_plan(60.0, *serves), changes=OF_SERVICES)
    crons = _plan(75.0, (0.1, create_cron))
    yield "a schedule", Story(world=world_of(CRON), plan=crons, changes=OF_CRONS)


STORIES: Mapping[str, Story] = MappingProxyType(dict(_stories()))
