"""Kinds of other projects: watched where they are asked for, and never waited for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from sandbox.cluster import Cluster
from sandbox.objects import Object
from services.watcher.service import Watcher
from services.watcher.sources.kinds import WATCHED, watched
from services.watcher.sources.session import World
from shared.bus.memory import MemoryServer
from shared.events.objects import ChildSeen
from shared.events.records import KindListed
from shared.events.subjects import observed, sync
from shared.kernel.schedulers import VOLCANO
from shared.resources.observed import Surroundings
from tests.support.sandbox_cluster import SandboxCluster
from tests.unit.services.watcher.watched import (
    DEMO,
    NOON,
    SETTINGS,
    child,
    listed,
    new_cluster,
    resource,
    told,
)

WITH_VOLCANO = watched(Surroundings(batch_scheduler=VOLCANO))
KIND = "volcanopodgroup"
GROUP = observed(DEMO, KIND, "ray-demo-pg")
DEFINITION: Object = {
    "metadata": {"name": "podgroups.scheduling.volcano.sh"},
    "spec": {
        "group": "scheduling.volcano.sh",
        "names": {"kind": "PodGroup", "plural": "podgroups"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1beta1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}


@asynccontextmanager
async def watching(cluster: Cluster, bus: MemoryServer) -> AsyncIterator[None]:
    """Run a watcher that is to look at Volcano's groups."""
    world = World(
        cluster=SandboxCluster(cluster), bus=bus.connect("one"), clock=bus.clock, member="one"
    )
    task = asyncio.create_task(Watcher(world, SETTINGS, kinds=WITH_VOLCANO).run())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def made(cluster: Cluster) -> Object:
    """Make a cluster with a group of Volcano's."""
    owner = cluster.create("rayclusters", resource())
    group = {**child("ray-demo-pg", owner, {}), "spec": {"minMember": 3}}
    return cluster.create("podgroups.scheduling.volcano.sh", group)


def test_only_what_is_asked_for_is_watched() -> None:
    assert [kind.name for kind in WITH_VOLCANO] == [*(kind.name for kind in WATCHED), KIND]


async def test_a_kind_that_is_served_is_told_with_its_spec() -> None:
    cluster, bus = new_cluster(), MemoryServer()
    cluster.create("customresourcedefinitions", DEFINITION)
    made(cluster)

    async with watching(cluster, bus):
        bodies = await told(bus, listed(1, KIND))

    seen = bodies[GROUP]
    assert isinstance(seen, ChildSeen)
    assert (seen.kind, seen.spec) == (KIND, {"minMember": 3})


async def test_a_kind_that_is_not_served_keeps_nobody_waiting() -> None:
    cluster, bus = new_cluster(), MemoryServer()

    async with watching(cluster, bus):
        bodies = await told(bus, listed(1, "raycluster", "pod", KIND))

    assert bodies[sync(KIND)] == KindListed(
        kind=KIND, session="1:one", number=1, resource_version=0, count=0
    )


async def test_a_kind_that_is_installed_later_is_told_from_then_on() -> None:
    cluster, bus = new_cluster(), MemoryServer()

    async with watching(cluster, bus):
        await told(bus, listed(1, KIND))
        cluster.create("customresourcedefinitions", DEFINITION)
        made(cluster)
        bodies = await told(bus, lambda bodies: GROUP in bodies)
        before = bodies[sync(KIND)]
        cluster.delete("podgroups.scheduling.volcano.sh", "default", "ray-demo-pg")
        bodies = await told(bus, lambda bodies: not isinstance(bodies[GROUP], ChildSeen))

    assert bodies[sync(KIND)] == before


async def test_our_own_kind_is_waited_for_if_it_is_not_served() -> None:
    cluster, bus = Cluster(lambda: NOON), MemoryServer()

    async with watching(cluster, bus):
        await told(bus, listed(1, "pod", KIND))
        await asyncio.sleep(100)
        bodies = await told(bus, listed(1, "pod", KIND))

    assert sync("raycluster") not in bodies
