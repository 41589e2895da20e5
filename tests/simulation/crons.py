"""What users do to RayCronJobs; once the faults stop, they end their schedules."""

from random import Random
from typing import Any

from shared.kernel.manifests import name_of
from tests.simulation.jobs import job_spec
from tests.simulation.kinds import RAYCRONJOBS
from tests.simulation.nature import NAMESPACE
from tests.simulation.users import Deed, any_of
from tests.simulation.world import World

NAME = "nightly"
SCHEDULES = ("* * * * *", "*/2 * * * *")


def create_cron(world: World, chance: Random) -> str:
    """Create the RayCronJob."""
    if world.nature.objects(RAYCRONJOBS):
        return f"the name {NAME} is taken"
    template = {**job_spec(chance), "shutdownAfterJobFinishes": True}
    spec: dict[str, Any] = {"schedule": chance.choice(SCHEDULES), "jobTemplate": template}
    meta = {"name": NAME, "namespace": NAMESPACE}
    world.nature.cluster.create(
        RAYCRONJOBS,
        {"apiVersion": "ray.io/v1", "kind": "RayCronJob", "metadata": meta, "spec": spec},
    )
    return f"{NAME} runs at {spec['schedule']}"


def reschedule(world: World, chance: Random) -> str:
    """Write a schedule, another one or the same."""
    return _change(world, chance, {"schedule": chance.choice(SCHEDULES)})


def suspend_or_resume_cron(world: World, chance: Random) -> str:
    """Stop runs, or let them come again."""
    return _change(world, chance, {"suspend": chance.random() < 0.5})


def delete_cron(world: World, chance: Random) -> str:
    """Delete the RayCronJob; its runs go with it."""
    found = any_of(world, RAYCRONJOBS, chance)
    if found is None:
        return create_cron(world, chance)
    world.nature.cluster.delete(RAYCRONJOBS, NAMESPACE, name_of(found), propagation="Background")
    return f"{name_of(found)} is deleted"


def _change(world: World, chance: Random, spec: dict[str, Any]) -> str:
    found = any_of(world, RAYCRONJOBS, chance)
    if found is None:
        return create_cron(world, chance)
    world.nature.cluster.patch(RAYCRONJOBS, NAMESPACE, name_of(found), {"spec": spec})
    return f"{name_of(found)} wants {spec}"


def end_schedules(world: World) -> None:
    """Let no run come any more: a schedule never falls silent by itself."""
    for found in world.nature.objects(RAYCRONJOBS):
        name = name_of(found)
        world.nature.cluster.patch(RAYCRONJOBS, NAMESPACE, name, {"spec": {"suspend": True}})


DEEDS: tuple[Deed, ...] = (
    create_cron,
    create_cron,
    reschedule,
    suspend_or_resume_cron,
    suspend_or_resume_cron,
    delete_cron,
)
