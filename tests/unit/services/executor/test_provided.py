"""A change that needs somebody to be ready: looked at when it is made, not when it was decided."""

import pytest

from sandbox.errors import ApiError
from sandbox.faults import Refuse
from sandbox.objects import Object
from services.executor.performing import Performer
from shared.actions.objects import PatchObject
from shared.actions.outcomes import NOBODY_READY, Done, Gone, Outcome, Refused
from shared.kernel.manifests import entries_at
from tests.support.builders import KEY
from tests.unit.services.executor.acted import MANIFEST, World, job_of

TAKES = {"ray.io/cluster": "new", "ray.io/serve": "true"}
READY = {"type": "Ready", "status": "True"}
SELECTOR = {"ray.io/cluster": "new"}


def service(world: World) -> Object:
    """Make the service that is to be led elsewhere."""
    owners = entries_at(MANIFEST, "metadata", "ownerReferences")
    meta = {"name": "serve", "namespace": KEY.namespace, "ownerReferences": [*owners]}
    spec = {"selector": {"ray.io/cluster": "old"}, "ports": [{"port": 8000}]}
    return world.cluster.create("services", {"metadata": meta, "spec": spec})


def pod(world: World, *conditions: object, labels: dict[str, str] = TAKES) -> None:
    """Make a pod that says this of itself."""
    meta = {"name": "p", "namespace": KEY.namespace, "labels": labels, "finalizers": ["test/keep"]}
    spec = {"containers": [{"name": "ray", "image": "ray"}]}
    world.cluster.create("pods", {"metadata": meta, "spec": spec})
    status = {"status": {"conditions": list(conditions)}}
    world.cluster.patch("pods", KEY.namespace, "p", status, subresource="status")


async def lead(world: World) -> Outcome:
    """Lead the service to the other cluster, if somebody there is ready."""
    action = PatchObject(
        kind="service",
        name="serve",
        uid=str(service(world)["metadata"]["uid"]),
        patch={"spec": {"selector": SELECTOR}},
        provided=TAKES,
        rule="service",
        because="it serves now",
    )
    return await Performer(world.port, world.server.clock).perform(job_of(action), action)


def led_to(world: World) -> str:
    found = world.cluster.get("services", KEY.namespace, "serve")
    return str(found["spec"]["selector"]["ray.io/cluster"])


async def test_who_is_ready_is_led_to() -> None:
    world = World()
    pod(world, READY)

    assert isinstance(await lead(world), Done)
    assert led_to(world) == "new"


@pytest.mark.parametrize("status", ["False", "Unknown"])
async def test_who_is_no_longer_ready_is_not(status: str) -> None:
    world = World()
    pod(world, {**READY, "status": status})

    assert await lead(world) == Refused(
        code=0,
        reason=NOBODY_READY,
        message="not now: no pod with ray.io/cluster=new, ray.io/serve=true is ready",
    )
    assert led_to(world) == "old"


async def test_nor_who_is_on_its_way_out() -> None:
    world = World()
    pod(world, READY)
    world.cluster.delete("pods", KEY.namespace, "p")

    assert isinstance(await lead(world), Refused)


async def test_nor_who_takes_no_requests() -> None:
    world = World()
    pod(world, READY, labels={**TAKES, "ray.io/serve": "false"})

    assert isinstance(await lead(world), Refused)


async def test_who_cannot_be_looked_at_is_not_taken_for_ready() -> None:
    world = World()
    pod(world, READY)
    down = Refuse(error=ApiError.internal("no quorum"))
    world.cluster.faults = lambda asked: (
        down if asked.verb == "list" and asked.resource == "pods" else None
    )

    outcome = await lead(world)

    world.cluster.faults = lambda _: None
    assert isinstance(outcome, Refused)
    assert led_to(world) == "old"


async def test_what_is_gone_is_gone_whoever_is_ready() -> None:
    world = World()
    pod(world, READY)
    action = PatchObject(
        kind="service", name="none", uid="x", patch={}, provided=TAKES, rule="r", because="b"
    )
    performer = Performer(world.port, world.server.clock)

    assert isinstance(await performer.perform(job_of(action), action), Gone)
