"""Invariants notice: crimes that no service commits are committed here by hand."""

from random import Random
from typing import Any

from shared.kernel.manifests import name_of, uid_of
from tests.simulation.crons import create_cron
from tests.simulation.gateways import ROUTES
from tests.simulation.jobs import create_job
from tests.simulation.kinds import CRON, RAYCRONJOBS, RAYJOBS, RAYSERVICES, in_steps, kinds_of
from tests.simulation.nature import NAMESPACE, RAYCLUSTERS
from tests.simulation.plan import Plan, Step
from tests.simulation.run import run_plan
from tests.simulation.services import create_service
from tests.simulation.users import Deed, create
from tests.simulation.wishes import STRANGER, cluster
from tests.simulation.world import World
from tests.support.rayclusters import template

IN_STEPS = next(seed for seed in range(100) if in_steps(seed))
WITH_SCHEDULES = next(seed for seed in range(100) if CRON in kinds_of(seed))


def violations(crime: Deed, *, first: Deed = create, seed: int = 0) -> tuple[str, ...]:
    """Let something come up, commit the crime, and see who complains."""
    steps = (Step(at=0.1, luck="first", deed=first), Step(at=12.0, luck="crime", deed=crime))
    return run_plan(seed, Plan(steps=steps, lasts=13.0)).violations


def owned_by(kind: str, owner: Any, obj: dict[str, Any]) -> dict[str, Any]:
    """Return an object that says that a resource controls it."""
    reference = {
        "apiVersion": "ray.io/v1",
        "kind": kind,
        "name": name_of(owner),
        "uid": uid_of(owner),
        "controller": True,
    }
    return {**obj, "metadata": {**obj["metadata"], "ownerReferences": [reference]}}


def rob(world: World, chance: Random) -> str:
    world.nature.cluster.delete("pods", NAMESPACE, STRANGER, grace_seconds=0)
    return "the stranger is robbed"


def usurp(world: World, chance: Random) -> str:
    owner = world.nature.objects(RAYCLUSTERS)[0]
    labels = {"ray.io/node-type": "head", "ray.io/group": "headgroup"}
    meta: dict[str, Any] = {"name": "usurper", "labels": labels}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": meta, **template()}
    world.nature.cluster.create("pods", owned_by("RayCluster", owner, pod))
    return "a second head appears"


def boast(world: World, chance: Random) -> str:
    name = name_of(world.nature.objects(RAYCLUSTERS)[0])
    status = {"status": {"observedGeneration": 99}}
    world.nature.cluster.patch(RAYCLUSTERS, NAMESPACE, name, status, subresource="status")
    return "the status is ahead of the spec"


def age(world: World, chance: Random) -> str:
    name = name_of(world.nature.objects(RAYCLUSTERS)[0])
    status = {"status": {"lastUpdateTime": "2001-01-01T00:00:00Z"}}
    world.nature.cluster.patch(RAYCLUSTERS, NAMESPACE, name, status, subresource="status")
    return "the status is an old one"


def add_cluster(resource: str, kind: str) -> Deed:
    """Give a RayJob or a RayService one more cluster."""

    def crime(world: World, chance: Random) -> str:
        owner = world.nature.objects(resource)[0]
        more = owned_by(kind, owner, cluster("another", {"small": 0}))
        world.nature.cluster.create(RAYCLUSTERS, more)
        return "one more cluster appears"

    return crime


def rewind(world: World, chance: Random) -> str:
    name = name_of(world.nature.objects(RAYJOBS)[0])
    status = {"status": {"jobDeploymentStatus": "Suspended"}}
    world.nature.cluster.patch(RAYJOBS, NAMESPACE, name, status, subresource="status")
    return "the job is told to be suspended"


def run_early(world: World, chance: Random) -> str:
    owner = world.nature.objects(RAYCRONJOBS)[0]
    minute = int(world.server.clock.now().timestamp()) // 60 + 5
    meta = {"name": f"{name_of(owner)}-{minute}", "namespace": NAMESPACE}
    job = {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": meta, "spec": {}}
    world.nature.cluster.create(RAYJOBS, owned_by("RayCronJob", owner, job))
    return "a run comes too early"


def divert(world: World, chance: Random) -> str:
    route = world.nature.objects(ROUTES)[0]
    rules = [{"backendRefs": [{"name": "elsewhere-serve-svc", "weight": 90}]}]
    world.nature.cluster.patch(ROUTES, NAMESPACE, name_of(route), {"spec": {"rules": rules}})
    return "requests are led elsewhere"


def test_a_deleted_stranger_is_noticed() -> None:
    assert violations(rob) == (f"the stranger {STRANGER} was deleted",)


def test_a_second_head_is_noticed() -> None:
    told = violations(usurp)

    assert any(sentence.startswith("two heads at once") for sentence in told)
    assert any("without a recorded act" in sentence for sentence in told)


def test_a_status_ahead_of_its_spec_is_noticed() -> None:
    assert violations(boast)[0] == "alpha: observedGeneration from 1 to 99 at generation 1"


def test_a_status_that_goes_back_is_noticed() -> None:
    assert "lastUpdateTime goes back" in violations(age)[0]


def test_a_second_cluster_of_a_job_is_noticed() -> None:
    told = violations(add_cluster(RAYJOBS, "RayJob"), first=create_job)

    assert any(sentence.startswith("25: another was made beside") for sentence in told)


def test_a_phase_to_which_no_way_leads_is_noticed() -> None:
    assert any("27: " in sentence for sentence in violations(rewind, first=create_job))


def test_a_cluster_that_no_service_has_named_is_noticed() -> None:
    told = violations(add_cluster(RAYSERVICES, "RayService"), first=create_service)

    assert "31: another was made under a name that nobody told" in told


def test_a_run_before_its_time_is_noticed() -> None:
    told = violations(run_early, first=create_cron, seed=WITH_SCHEDULES)

    assert any("came before its time" in sentence for sentence in told)


def test_traffic_that_nobody_decided_on_is_noticed() -> None:
    told = violations(divert, first=create_service, seed=IN_STEPS)

    assert "33: nobody decided on {'elsewhere': 90}" in told
