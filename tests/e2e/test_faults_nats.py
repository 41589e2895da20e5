"""Harm to the log itself: three servers that die one by one or all at once, a lost tail, no stream.

What three servers acknowledged stays; what one server lost in a power cut is told anew from
Kubernetes. Either way nothing that runs is harmed (`tests/e2e/churning.py`).
"""

import asyncio
import os
import shutil
import signal
from collections.abc import Iterator
from random import Random

import pytest

from shared.bus.declarations import LOG
from shared.bus.server import NatsServer
from shared.events.envelope import Record
from tests.e2e.churning import CONVERGES_WITHIN, Strike, chosen_seed, churn, end, pause, survive
from tests.e2e.laws import broken_laws
from tests.e2e.story import closed_books, records_of
from tests.support.fleet import fleet_in, is_settled
from tests.support.kubes import Kube, installed
from tests.support.nats import open_connection
from tests.support.natscluster import NatsCluster, side_by_side
from tests.support.processes import EACH_TWICE, Installation
from tests.support.realkube import LATER

pytestmark = [pytest.mark.xdist_group("faults of nats"), pytest.mark.timeout(300)]
ELECTION = 8.0
"""Until three servers agree on who leads, in seconds."""


@pytest.fixture(scope="module", autouse=True)
def in_turn() -> None:
    if os.environ.get(LATER):
        pytest.skip("harm to the log has its turn later, on the real control plane")


@pytest.fixture(scope="module")
def three(
    tmp_path_factory: pytest.TempPathFactory, kube: Kube
) -> Iterator[tuple[Installation, NatsCluster]]:
    folder = tmp_path_factory.mktemp("three")
    cluster = NatsCluster(side_by_side(folder))
    try:
        with installed(folder, kube, EACH_TWICE, prepare=cluster.begin) as here:
            yield here, cluster
    finally:
        cluster.close()


async def restart(server: NatsServer, down: float) -> None:
    """Kill a server, and start it again after a while."""
    server.kill()
    await asyncio.sleep(down)
    await asyncio.to_thread(server.start)


def one_at_a_time(cluster: NatsCluster, chance: Random) -> Strike:
    """Kill each server in turn, as a rolling restart without manners would."""

    async def strike() -> None:
        for server in chance.sample(cluster.servers, len(cluster.servers)):
            await restart(server, chance.uniform(0.5, 2.0))
            await asyncio.sleep(ELECTION)

    return strike


def all_at_once(cluster: NatsCluster, chance: Random) -> Strike:
    """Kill all servers; start them one after the other."""

    async def strike() -> None:
        await pause(chance)
        for server in cluster.servers:
            server.kill()
        await pause(chance)
        for server in cluster.servers:
            await asyncio.to_thread(server.start)
        await asyncio.sleep(ELECTION)

    return strike


@pytest.mark.parametrize("harm", [one_at_a_time, all_at_once])
async def test_three_servers_lose_nothing(
    three: tuple[Installation, NatsCluster], harm: type
) -> None:
    here, cluster = three
    seed = chosen_seed()

    await survive(here, harm(cluster, Random(f"{seed}/strikes")), seed, 1)


@pytest.fixture
def alone(tmp_path_factory: pytest.TempPathFactory, kube: Kube) -> Iterator[Installation]:
    with installed(tmp_path_factory.mktemp("alone"), kube, EACH_TWICE) as made:
        yield made


def losing_the_tail(here: Installation, chance: Random, known: list[Record]) -> Strike:
    """Take the log back to how it was some seconds ago, as a power cut may; `known` keeps all."""
    copy = here.folder / "copy"

    async def strike() -> None:
        await pause(chance)
        here.nats.kill()
        shutil.copytree(here.nats.store, copy, dirs_exist_ok=True)
        await asyncio.to_thread(here.nats.start)
        await asyncio.sleep(chance.uniform(3, 6))
        services = [one for name in EACH_TWICE for one in here.members(name)]
        for service in services:
            service.signal(signal.SIGSTOP)
        known.extend(await records_of(here))
        here.nats.kill()
        shutil.rmtree(here.nats.store)
        shutil.copytree(copy, here.nats.store)
        shutil.rmtree(copy)
        await asyncio.to_thread(here.nats.start)
        for service in services:
            service.signal(signal.SIGCONT)

    return strike


def losing_the_stream(here: Installation, chance: Random, known: list[Record]) -> Strike:
    """Delete the log under everybody's hands, and make an empty one after a while."""

    async def strike() -> None:
        await pause(chance)
        services = [one for name in EACH_TWICE for one in here.members(name)]
        for service in services:
            service.signal(signal.SIGSTOP)
        known.extend(await records_of(here))
        connection = await open_connection(here.nats, "vandal")
        await connection.api(f"STREAM.DELETE.{LOG}", {}, dict[str, object])
        await connection.close()
        for service in services:
            service.signal(signal.SIGCONT)
        await pause(chance)
        made = await asyncio.to_thread(here.heliograph, "init")
        assert made.returncode == 0, made.stderr

    return strike


@pytest.mark.parametrize("harm", [losing_the_tail, losing_the_stream])
async def test_a_log_that_is_lost_is_told_anew_and_nothing_is_harmed(
    alone: Installation, harm: type
) -> None:
    seed = chosen_seed()
    known: list[Record] = []
    strike = harm(alone, Random(f"{seed}/strikes"), known)
    async with fleet_in(alone) as (fleet, world):
        await churn(fleet, strike, seed, 1)
        took = await world.until(
            lambda now: is_settled(now, fleet.wanted), "all is as wished", CONVERGES_WITHIN
        )
        print(f"converged {took:.1f} s after the last strike")
        await end(fleet, world, pause_only)
    known.extend(await closed_books(alone, alone.namespace, CONVERGES_WITHIN))

    broken = broken_laws(world.history, known)
    assert not broken, "\n".join(broken)


async def pause_only() -> None:
    """Strike nobody."""
