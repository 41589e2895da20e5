"""A network that falls apart between three NATS servers, silently: packets are gone.

Each server has a network of its own (`tests/support/apart.py`). Whoever led and is alone goes on
believing for a while that it leads, and clients that reach it believe so, too. Whatever was cut,
nothing is lost and no law is broken (`tests/e2e/churning.py`).
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from random import Random
from socket import create_connection
from typing import TypeAlias

import pytest

from sandbox.ray.permission import refusal
from shared.bus.connection import connected
from shared.bus.server import NatsServer
from tests.e2e.churning import Strike, chosen_seed, pause, survive
from tests.e2e.test_faults_nats import ELECTION
from tests.support.apart import Apart, apart
from tests.support.kubes import Kube, installed
from tests.support.natscluster import patiently
from tests.support.processes import EACH_TWICE, Installation
from tests.support.realkube import LATER

pytestmark = [pytest.mark.xdist_group("faults of networks"), pytest.mark.timeout(300)]
CUT = (6.0, 12.0)
"""Longer than it takes the others to choose a new leader, in seconds."""
GREETED = 2.0
Cut: TypeAlias = Callable[[Apart, NatsServer], None]


@pytest.fixture(scope="module")
def three(
    tmp_path_factory: pytest.TempPathFactory, kube: Kube
) -> Iterator[tuple[Installation, Apart]]:
    if os.environ.get(LATER):
        pytest.skip("cut networks have their turn later, on the real control plane")
    if refusal():
        pytest.skip(f"no networks to cut: {refusal()}")
    folder = tmp_path_factory.mktemp("apart")
    with (
        apart(folder) as cluster,
        installed(folder, kube, EACH_TWICE, prepare=cluster.begin) as here,
    ):
        yield here, cluster


@pytest.fixture(autouse=True)
def mended(three: tuple[Installation, Apart]) -> Iterator[None]:
    """Leave no network cut, however a test ends."""
    yield
    three[1].mend()


def everybody(cluster: Apart, leader: NatsServer) -> None:
    """Leave nobody a majority."""
    del leader
    cluster.cut_everybody()


CUTS: dict[str, Cut] = {
    "the leader from everybody": Apart.cut_off,
    "the leader from its peers": Apart.cut_from_peers,
    "every server from every other": everybody,
}


def cutting(cluster: Apart, cut: Cut, chance: Random) -> Strike:
    """Cut the network around whoever leads the log; mend it after a while."""

    async def strike() -> None:
        await pause(chance)
        async with connected(cluster.endpoint) as connection:
            leader = await patiently(lambda: cluster.leader(connection))
        print("the leader was", leader.folder.name)
        try:
            await asyncio.to_thread(cut, cluster, leader)
            await asyncio.sleep(chance.uniform(*CUT))
        finally:
            cluster.mend()
        await asyncio.sleep(ELECTION)

    return strike


@pytest.mark.parametrize("name", CUTS)
async def test_a_network_that_falls_apart_loses_nothing(
    three: tuple[Installation, Apart], name: str
) -> None:
    here, cluster = three
    seed = chosen_seed()

    await survive(here, cutting(cluster, CUTS[name], Random(f"{seed}/strikes")), seed, 1)


def test_whoever_is_cut_off_is_heard_by_nobody(three: tuple[Installation, Apart]) -> None:
    _, cluster = three
    first, second, _ = cluster.servers
    assert hears(first)

    cluster.cut_off(first)
    assert not hears(first)
    assert hears(second)
    cluster.mend()

    assert hears(first)


def test_whoever_is_cut_from_its_peers_is_heard_by_clients_only(
    three: tuple[Installation, Apart],
) -> None:
    _, cluster = three
    first, second, third = cluster.servers
    assert cluster.reaches(first, second)

    cluster.cut_from_peers(first)
    assert hears(first)
    assert not cluster.reaches(first, second)
    assert not cluster.reaches(third, first)
    assert cluster.reaches(second, third)
    cluster.mend()

    assert cluster.reaches(first, second)


def hears(server: NatsServer) -> bool:
    """Tell whether a client that connects now is greeted."""
    port = int(server.url.rpartition(":")[2])
    with suppress(OSError), create_connection(("127.0.0.1", port), timeout=GREETED) as client:
        return client.recv(4) == b"INFO"
    return False
