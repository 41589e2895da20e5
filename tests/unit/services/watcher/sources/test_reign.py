"""Whose turn it is to watch, and when a session may begin to list."""

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest

from sandbox.cluster import Cluster
from services.watcher.sources.marks import last_mark
from shared.bus.leases import Claim, lease_subject, tenancy_subject
from shared.bus.memory import MemoryServer
from shared.events.codec import encode
from shared.events.objects import ResourceSeen
from shared.events.records import KindListed
from shared.events.subjects import own, sync
from shared.ports.event_log import Entry
from tests.unit.services.watcher.watched import (
    DEMO,
    SETTINGS,
    kinds_told,
    listed,
    new_cluster,
    resource,
    told,
    watching,
)

LEASE = timedelta(seconds=2)


@pytest.fixture
def cluster() -> Cluster:
    return new_cluster()


@pytest.fixture
def bus() -> MemoryServer:
    return MemoryServer()


async def test_another_watcher_takes_over_when_one_leaves(
    cluster: Cluster, bus: MemoryServer
) -> None:
    async with AsyncExitStack() as stack:
        async with watching(cluster, bus, "one"):
            await told(bus, listed(1))
            await stack.enter_async_context(watching(cluster, bus, "two"))
        bodies = await told(bus, listed(2))

    mark = bodies[sync("pod")]
    assert isinstance(mark, KindListed)
    assert mark.session == "2:two"


async def test_a_renewed_connection_begins_a_new_session(
    cluster: Cluster, bus: MemoryServer
) -> None:
    cluster.create("rayclusters", resource())
    async with watching(cluster, bus):
        await told(bus, listed(1))
        bus.restart()
        bodies = await told(bus, listed(2))

    assert kinds_told(bodies) == {own(DEMO): ResourceSeen}


async def test_a_lost_log_is_written_anew(cluster: Cluster, bus: MemoryServer) -> None:
    cluster.create("rayclusters", resource())
    async with watching(cluster, bus):
        await told(bus, listed(1))
        generation = bus.clients["one"].generation
        bus.wipe(first_sequence=1000)
        bodies = await told(bus, lambda bodies: listed(1)(bodies) and own(DEMO) in bodies)
        assert bus.clients["one"].generation == generation, "the connection stays"

    assert kinds_told(bodies) == {own(DEMO): ResourceSeen}


async def test_a_long_outage_of_the_bus_is_over_when_it_is_over(
    cluster: Cluster, bus: MemoryServer
) -> None:
    async with watching(cluster, bus, "one"):
        await told(bus, listed(1))
        bus.clients["one"].link.break_down()
        await asyncio.sleep(300)
        bus.clients["one"].link.come_back()
        back = bus.clock.now()
        await told(bus, listed(2))

    assert bus.clock.now() - back < timedelta(seconds=7)


async def test_a_watcher_that_hangs_loses_its_turn(cluster: Cluster, bus: MemoryServer) -> None:
    async with watching(cluster, bus, "one"), watching(cluster, bus, "two"):
        first = (await told(bus, listed(1)))[sync("pod")]
        assert isinstance(first, KindListed)
        cut_off = first.session.partition(":")[2]
        begun = bus.clock.now()
        bus.clients[cut_off].link.break_down()
        second = (await told(bus, listed(2)))[sync("pod")]

    assert isinstance(second, KindListed)
    assert {first.session[2:], second.session[2:]} == {"one", "two"}
    assert bus.clock.now() - begun < timedelta(seconds=6)


async def test_a_new_log_is_listed_after_every_call_begun_before_has_ended(
    cluster: Cluster, bus: MemoryServer
) -> None:
    begun = bus.clock.now()
    async with watching(cluster, bus):
        await told(bus, listed(1))
        first = bus.clock.now()
        bus.wipe(first_sequence=1000)
        await told(bus, listed(1))

    assert first - begun >= SETTINGS.call_deadline
    assert bus.clock.now() - first >= SETTINGS.call_deadline


async def test_a_takeover_without_a_break_does_not_wait(
    cluster: Cluster, bus: MemoryServer
) -> None:
    async with watching(cluster, bus, "one"):
        await told(bus, listed(1))
    begun = bus.clock.now()

    async with watching(cluster, bus, "two"):
        await told(bus, listed(2))

    assert bus.clock.now() - begun < timedelta(seconds=1)


async def test_whoever_was_cut_off_while_waiting_for_its_turn_takes_over_as_after_a_break(
    cluster: Cluster, bus: MemoryServer
) -> None:
    async with AsyncExitStack() as stack:
        async with watching(cluster, bus, "one"):
            await told(bus, listed(1))
            await stack.enter_async_context(watching(cluster, bus, "two"))
            await asyncio.sleep(1)
            bus.clients["two"].link.break_down()
            bus.clients["two"].link.come_back()
        begun = bus.clock.now()
        await told(bus, listed(2))

    assert bus.clock.now() - begun >= SETTINGS.call_deadline


async def test_a_log_that_lost_its_end_is_mended(cluster: Cluster, bus: MemoryServer) -> None:
    async with watching(cluster, bus):
        await told(bus, listed(1))
        cluster.create("rayclusters", resource())
        await told(bus, lambda bodies: own(DEMO) in bodies)
        begun = bus.clock.now()
        bus.truncate((await bus.connect("reader").log.end()).last - 1)
        bodies = await told(bus, listed(2))

    assert kinds_told(bodies) == {own(DEMO): ResourceSeen}
    assert bus.clock.now() - begun >= SETTINGS.call_deadline


async def test_whoever_loses_the_lease_alone_begins_anew(
    cluster: Cluster, bus: MemoryServer
) -> None:
    async with watching(cluster, bus):
        await told(bus, listed(1))
        two = bus.connect("two").presence
        claim = encode(Claim(value="9:two", tenancy="two"))
        await two.append(Entry(subject=tenancy_subject("two"), id="", data=b"two", ttl=LEASE))
        await two.append(Entry(subject=lease_subject("pod"), id="usurper", data=claim))
        bodies = await told(bus, listed(2, "pod"))

    assert listed(1, "raycluster", "service")(bodies)


async def test_a_stopped_watcher_writes_nothing_more(cluster: Cluster, bus: MemoryServer) -> None:
    async with watching(cluster, bus):
        await told(bus, listed(1))
    mark = await last_mark(bus.connect("reader").log, "raycluster")

    cluster.create("rayclusters", resource())
    await asyncio.sleep(60)

    assert await last_mark(bus.connect("reader").log, "raycluster") == mark
    assert await bus.connect("reader").log.last(own(DEMO)) is None


@pytest.mark.parametrize("steps", range(8))
async def test_a_watcher_that_is_stopped_while_the_bus_goes_away_ends(
    cluster: Cluster, bus: MemoryServer, steps: int
) -> None:
    """A session that broke in that moment made the watcher forget that it was told to end."""
    async with asyncio.timeout(60), watching(cluster, bus, "one"):
        await told(bus, listed(1))
        bus.clients["one"].link.break_down()
        for _ in range(steps):
            await asyncio.sleep(0)
