"""A whole watcher over the sandbox and a bus in memory: what it makes the log say."""

import asyncio
from datetime import timedelta

import pytest

from sandbox.cluster import Cluster
from sandbox.errors import ApiError
from sandbox.faults import Refuse, no_faults
from shared.bus.memory import MemoryServer
from shared.events.objects import ObjectGone, PodSeen, ResourceSeen, ServiceSeen
from shared.events.records import KindListed
from shared.events.subjects import observed, own, sync
from shared.kernel.instants import read_instant
from tests.unit.services.watcher.watched import (
    DEMO,
    HEAD,
    KINDS,
    end_of,
    head,
    head_service,
    kinds_told,
    listed,
    new_cluster,
    resource,
    told,
    watching,
)


@pytest.fixture
def cluster() -> Cluster:
    return new_cluster()


@pytest.fixture
def bus() -> MemoryServer:
    return MemoryServer()


async def test_tells_of_a_resource_and_everything_it_controls(
    cluster: Cluster, bus: MemoryServer
) -> None:
    owner = cluster.create("rayclusters", resource())
    cluster.create("pods", head(owner))
    cluster.create("services", head_service(owner))

    async with watching(cluster, bus):
        bodies = await told(bus, listed(1))

    assert kinds_told(bodies) == {
        own(DEMO): ResourceSeen,
        HEAD: PodSeen,
        observed(DEMO, "service", "demo-head-svc"): ServiceSeen,
    }


async def test_marks_a_kind_with_the_session_and_the_version_of_its_list(
    cluster: Cluster, bus: MemoryServer
) -> None:
    cluster.create("rayclusters", resource())
    version = int(cluster.list("rayclusters").revision)

    async with watching(cluster, bus):
        bodies = await told(bus, listed(1))

    assert bodies[sync("raycluster")] == KindListed(
        kind="raycluster", session="1:one", number=1, resource_version=version, count=1
    )


async def test_follows_what_happens_after_the_list(cluster: Cluster, bus: MemoryServer) -> None:
    async with watching(cluster, bus):
        await told(bus, listed(1))
        owner = cluster.create("rayclusters", resource())
        pod = cluster.create("pods", head(owner))
        await told(bus, lambda bodies: HEAD in bodies)
        cluster.delete("pods", "default", "demo-head", grace_seconds=0)
        bodies = await told(bus, lambda bodies: isinstance(bodies[HEAD], ObjectGone))

    assert bodies[HEAD] == ObjectGone(
        kind="pod",
        name="demo-head",
        uid=pod["metadata"]["uid"],
        resource_version=int(cluster.list("pods").revision),
        created_at=read_instant(pod["metadata"]["creationTimestamp"]),
    )


async def test_a_restart_repeats_nothing(cluster: Cluster, bus: MemoryServer) -> None:
    cluster.create("pods", head(cluster.create("rayclusters", resource())))
    async with watching(cluster, bus):
        await told(bus, listed(1))
    before = await end_of(bus)

    async with watching(cluster, bus):
        await told(bus, listed(2))

    assert await end_of(bus) == before + len(KINDS)


async def test_finds_out_what_vanished_while_nobody_watched(
    cluster: Cluster, bus: MemoryServer
) -> None:
    pod = cluster.create("pods", head(cluster.create("rayclusters", resource())))
    async with watching(cluster, bus):
        await told(bus, listed(1))
    cluster.delete("pods", "default", "demo-head", grace_seconds=0)

    async with watching(cluster, bus):
        bodies = await told(bus, listed(2))

    assert bodies[HEAD] == ObjectGone(
        kind="pod",
        name="demo-head",
        uid=pod["metadata"]["uid"],
        resource_version=int(cluster.list("pods").revision),
    )


async def test_a_failed_list_tells_of_nothing(cluster: Cluster, bus: MemoryServer) -> None:
    cluster.create("pods", head(cluster.create("rayclusters", resource())))
    async with watching(cluster, bus):
        await told(bus, listed(1))
    failures = iter([Refuse(error=ApiError.internal("no quorum"))] * 3)
    cluster.faults = lambda _: next(failures, None)

    async with watching(cluster, bus):
        bodies = await told(bus, listed(2))

    cluster.faults = no_faults
    assert kinds_told(bodies) == {own(DEMO): ResourceSeen, HEAD: PodSeen}


async def test_lists_again_when_the_past_of_a_watch_is_lost(
    cluster: Cluster, bus: MemoryServer
) -> None:
    async with watching(cluster, bus) as port:
        await told(bus, listed(1))
        cluster.faults = lambda request: (
            Refuse(error=ApiError.gone(1, 2)) if request.verb == "watch" else None
        )
        port.end_watches()
        cluster.create("rayclusters", resource())
        bodies = await told(bus, lambda bodies: own(DEMO) in bodies)

    mark = bodies[sync("raycluster")]
    assert isinstance(mark, KindListed)
    assert mark.session == "1:one"


async def test_resumes_a_watch_that_the_server_ended(cluster: Cluster, bus: MemoryServer) -> None:
    async with watching(cluster, bus) as port:
        await told(bus, listed(1))
        cluster.faults = lambda request: (
            Refuse(error=ApiError.internal("no lists now")) if request.verb == "list" else None
        )
        port.end_watches()
        cluster.create("rayclusters", resource())
        bodies = await told(bus, lambda bodies: own(DEMO) in bodies)

    assert kinds_told(bodies) == {own(DEMO): ResourceSeen}


async def test_writes_again_what_would_age_out(cluster: Cluster, bus: MemoryServer) -> None:
    cluster.create("rayclusters", resource())
    async with watching(cluster, bus):
        await told(bus, listed(1))
    before = await end_of(bus)
    await asyncio.sleep(timedelta(days=3).total_seconds())

    async with watching(cluster, bus):
        await told(bus, listed(2))

    assert await end_of(bus) == before + len(KINDS) + 1


async def test_a_list_that_finds_nothing_new_writes_nothing(
    cluster: Cluster, bus: MemoryServer
) -> None:
    cluster.create("pods", head(cluster.create("rayclusters", resource())))
    async with watching(cluster, bus):
        await told(bus, listed(1))
        before = await end_of(bus)
        await asyncio.sleep(timedelta(minutes=15).total_seconds())

    assert await end_of(bus) == before


async def test_what_no_watch_told_is_found_by_the_next_list(
    cluster: Cluster, bus: MemoryServer
) -> None:
    async with watching(cluster, bus):
        await told(bus, listed(1))
        begun = bus.clock.now()
        cluster.faults = lambda request: (
            Refuse(error=ApiError.internal("no watches")) if request.verb == "watch" else None
        )
        cluster.create("rayclusters", resource())
        await told(bus, lambda bodies: own(DEMO) in bodies)

    assert bus.clock.now() - begun < timedelta(minutes=13)
