"""Readers of three servers are told everything that was acknowledged, wherever they are connected.

A server that was away has yet to copy what it missed; nobody may take what it has for everything.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from functools import partial

import pytest

from shared.bus.connection import Connection, connected
from shared.bus.declarations import Installation
from shared.bus.jetstream import JetStreamBus
from shared.bus.server import NatsServer
from shared.bus.streams import init
from shared.events.subjects import everything_in
from shared.ports.event_log import (
    Batch,
    BusUnavailable,
    Entry,
    EventLog,
    FromSequence,
    FromSnapshot,
)
from tests.support.nats import HEARTBEAT, open_connection
from tests.support.natscluster import SIZE, NatsCluster, patiently, side_by_side

pytestmark = [pytest.mark.xdist_group("three servers"), pytest.mark.timeout(180)]
MISSED = 150
LARGE = b"x" * 20_000
LOOKS = 12
EVERYTHING = (everything_in(1),)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsCluster]:
    cluster = NatsCluster(side_by_side(tmp_path_factory.mktemp("three")))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.close()


@pytest.fixture
async def connection(cluster: NatsCluster) -> AsyncIterator[Connection]:
    async with connected(cluster.endpoint) as connection:
        await patiently(lambda: init(connection, Installation(replicas=SIZE)))
        yield connection


def entry(number: int) -> Entry:
    """Return the only record of a cluster."""
    subject = f"ray.1.raycluster.default.c{number}.obs.raycluster.c{number}"
    return Entry(subject=subject, id=f"{number}", data=LARGE)


async def away(server: NatsServer, connection: Connection, first: int) -> int:
    """Let a server miss something; return how many records there are afterwards."""
    server.kill()
    log = JetStreamBus(connection).log
    for missed in [entry(number) for number in range(first, first + MISSED)]:
        await patiently(partial(log.append, missed))
    await asyncio.to_thread(server.start)
    return first + MISSED


async def read(log: EventLog) -> int | None:
    """Count what is there; None while nobody answers."""
    try:
        return len([one async for one in log.read(EVERYTHING, FromSequence(1))])
    except BusUnavailable:
        return None


async def first_synced(log: EventLog) -> int:
    """Count what a tail has given when it says that this is everything."""
    given = 0
    async with log.follow(EVERYTHING, FromSnapshot()) as news:
        async for one in news:
            if isinstance(one, Batch):
                given += len(one.messages)
                if one.synced:
                    return given
    raise AssertionError("a tail has no end")


async def looks(server: NatsServer) -> tuple[set[int | None], set[int]]:
    """Look again and again through a server that copies what it missed."""
    connection = await open_connection(server)
    log = JetStreamBus(connection, heartbeat=HEARTBEAT).log
    try:
        counts = {await read(log) for _ in range(LOOKS)}
        return counts, {await first_synced(log) for _ in range(LOOKS)}
    finally:
        await connection.close()


async def test_a_server_that_was_away_hides_nothing(
    cluster: NatsCluster, connection: Connection
) -> None:
    leader, there = await cluster.leader(connection), 0
    for server in cluster.servers:
        if server is not leader:
            there = await away(server, connection, there)
            read_counts, synced_counts = await looks(server)
            assert read_counts <= {there, None}
            assert synced_counts == {there}


async def test_a_leader_that_was_away_hides_nothing(
    cluster: NatsCluster, connection: Connection
) -> None:
    before = await patiently(lambda: first_synced(JetStreamBus(connection).log))
    there = await away(await cluster.leader(connection), connection, before)

    for server in cluster.servers:
        read_counts, synced_counts = await looks(server)
        assert read_counts <= {there, None}
        assert synced_counts == {there}
