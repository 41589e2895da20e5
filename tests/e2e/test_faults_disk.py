"""A disk that is slow beneath a real nats-server: every write and every sync takes its time.

What comes is accepted late, answers are late, and some who wait for them give up. Everything
converges all the same, and no law is broken (`tests/e2e/churning.py`).
"""

import asyncio
import os
from collections.abc import Iterator
from random import Random

import pytest

from shared.bus.server import NatsServer
from tests.e2e.churning import Strike, chosen_seed, pause, survive
from tests.support.kubes import Kube, installed
from tests.support.processes import EACH_TWICE, Installation, free_port
from tests.support.realkube import LATER
from tests.support.slowdisk import refusal, slow_disk

pytestmark = [pytest.mark.xdist_group("faults of disks"), pytest.mark.timeout(300)]
SLOW_FOR = (4.0, 8.0)
EACH = {"tired": 0.05, "dying": 1.0}
"""How long a call takes, in seconds: some records a second, or one record in several seconds."""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, kube: Kube) -> Iterator[Installation]:
    if os.environ.get(LATER):
        pytest.skip("slow disks have their turn later, on the real control plane")
    if refusal():
        pytest.skip(refusal())
    with installed(tmp_path_factory.mktemp("disk"), kube, EACH_TWICE, prepare=synced) as made:
        yield made


def synced(here: Installation) -> tuple[str, ...]:
    """Start a server that syncs every record before it answers."""
    here.nats = NatsServer(here.folder / "nats", port=free_port(), sync_interval="always")
    here.nats.start()
    return ()


def slowing(here: Installation, each: float, chance: Random) -> Strike:
    """Let the disk be slow for a while."""

    async def strike() -> None:
        await pause(chance)
        notes = here.folder / f"held-up-{chance.random()}"
        async with slow_disk(here.nats.pid, each, notes) as slowness:
            await asyncio.sleep(chance.uniform(*SLOW_FOR))
        print("calls held up:", slowness.calls)
        assert slowness.calls, "the disk was slow for nobody"

    return strike


@pytest.mark.parametrize("how", EACH)
async def test_a_slow_disk_holds_things_up_and_loses_nothing(here: Installation, how: str) -> None:
    seed = chosen_seed()

    await survive(here, slowing(here, EACH[how], Random(f"{seed}/strikes")), seed, 1)
