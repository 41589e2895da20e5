"""`kill -9` of each service and of nats-server while twenty RayClusters come, change and go.

Two of each service work side by side. The seed of a failing run is in its output;
`HELIOGRAPH_TEST_SEED` sets it. Read next: `tests/e2e/churning.py`.
"""

import asyncio
from collections.abc import Iterator
from random import Random

import pytest

from tests.e2e.churning import CONVERGES_WITHIN, Strike, all_ready, chosen_seed, pause, survive
from tests.e2e.story import listed_after
from tests.support.kubes import Kube, installed
from tests.support.processes import EACH_TWICE, Installation

pytestmark = [pytest.mark.xdist_group("kill"), pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, kube: Kube) -> Iterator[Installation]:
    with installed(tmp_path_factory.mktemp("kill"), kube, EACH_TWICE) as installation:
        yield installation


def striking_service(here: Installation, service: str, chance: Random) -> Strike:
    """Kill one process of a service, or all; start them again after a while."""

    async def strike() -> None:
        members = here.members(service)
        await pause(chance)
        victims = chance.sample(members, chance.randint(1, len(members)))
        print("killed", *(victim.name for victim in victims))
        for victim in victims:
            victim.kill()
        await pause(chance)
        for victim in victims:
            victim.start()
        await asyncio.to_thread(all_ready, victims)

    return strike


def striking_nats(here: Installation, chance: Random) -> Strike:
    """Kill the NATS server and start it again after a while; let the watchers find back."""

    async def strike() -> None:
        await pause(chance)
        marked = await listed_after(here, 0, CONVERGES_WITHIN)
        print("killed nats-server")
        here.nats.kill()
        await pause(chance)
        await asyncio.to_thread(here.nats.start)
        await listed_after(here, marked, CONVERGES_WITHIN)

    return strike


@pytest.mark.parametrize("victim", [*EACH_TWICE, "nats"])
async def test_everything_converges_whatever_dies(here: Installation, victim: str) -> None:
    seed = chosen_seed()
    chance = Random(f"{seed}/strikes")
    is_nats = victim == "nats"
    strike = striking_nats(here, chance) if is_nats else striking_service(here, victim, chance)

    await survive(here, strike, seed)
