"""`kill -9` of each service and of nats-server while twenty RayClusters come, change and go.

Two of each service work side by side. Whatever dies when, everything converges, an observer from
outside never sees a law broken, no deletion is lost, and the log replays. The seed of a failing
run is in its output; `HELIOGRAPH_TEST_SEED` sets it.
"""

import asyncio
import os
import secrets
from collections.abc import Awaitable, Callable, Iterator
from random import Random

import pytest

from tests.e2e.laws import broken_laws
from tests.e2e.story import closed_books, listed_after, replay_problems
from tests.support.fleet import Fleet, World, fleet_in, is_empty, is_settled
from tests.support.kubes import Kube, installed
from tests.support.processes import EACH_TWICE, Installation, Process, wait_until

pytestmark = [pytest.mark.xdist_group("kill"), pytest.mark.timeout(300)]

NAMES = [f"ray-{number:02}" for number in range(20)]
STRIKES = 3
CONVERGES_WITHIN = 90.0
SOON = (0.1, 1.5)
"""Between two deeds of a user, before a strike, and while the victim is down; in seconds."""
Strike = Callable[[], Awaitable[None]]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, kube: Kube) -> Iterator[Installation]:
    with installed(tmp_path_factory.mktemp("kill"), kube, EACH_TWICE) as installation:
        yield installation


@pytest.fixture
def seed() -> int:
    chosen = int(os.environ.get("HELIOGRAPH_TEST_SEED") or secrets.randbelow(1_000_000))
    print(f"HELIOGRAPH_TEST_SEED={chosen}")
    return chosen


async def pause(chance: Random) -> None:
    """Let a random while pass."""
    await asyncio.sleep(chance.uniform(*SOON))


async def live(fleet: Fleet, name: str, chance: Random, over: asyncio.Event) -> None:
    """Create and scale a cluster, at times delete and make it again, until the strikes are over."""
    await pause(chance)
    await fleet.create(name, chance.randint(0, 4))
    while not over.is_set():
        await pause(chance)
        await fleet.scale(name, chance.randint(0, 5))
        if chance.random() < 0.2:
            await fleet.delete(name)
            await asyncio.sleep(chance.uniform(0, 0.5))
            await fleet.create(name, chance.randint(0, 4))
    if chance.random() < 0.3:
        await fleet.delete(name)


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


def all_ready(processes: list[Process]) -> None:
    """Wait until all of them can be counted on."""
    names = ", ".join(process.name for process in processes)
    wait_until(lambda: all(process.ready for process in processes), f"{names} are ready again")


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


async def churn(fleet: Fleet, strike: Strike, seed: int) -> None:
    """Let all clusters live while the strikes come."""
    over = asyncio.Event()

    async def strikes() -> None:
        for _ in range(STRIKES):
            await strike()
        over.set()

    chances = {name: Random(f"{seed}/{name}") for name in NAMES}
    await asyncio.gather(
        *(live(fleet, name, chance, over) for name, chance in chances.items()), strikes()
    )


async def end(fleet: Fleet, world: World, strike: Strike) -> None:
    """Delete everything while one more strike comes; wait until nothing is left."""
    names = tuple(fleet.wanted)
    await asyncio.gather(*(fleet.delete(name) for name in names), strike())
    took = await world.until(is_empty, "nothing is left", CONVERGES_WITHIN)
    print(f"empty {took:.1f} s after the last strike")


@pytest.mark.parametrize("victim", [*EACH_TWICE, "nats"])
async def test_everything_converges_whatever_dies(
    here: Installation, victim: str, seed: int
) -> None:
    chance = Random(f"{seed}/strikes")
    is_nats = victim == "nats"
    strike = striking_nats(here, chance) if is_nats else striking_service(here, victim, chance)
    async with fleet_in(here) as (fleet, world):
        await churn(fleet, strike, seed)
        took = await world.until(
            lambda now: is_settled(now, fleet.wanted), "all is as wished", CONVERGES_WITHIN
        )
        print(f"converged {took:.1f} s after the last strike")
        await end(fleet, world, strike)
    records = await closed_books(here, here.namespace, CONVERGES_WITHIN)

    assert broken_laws(world.history, records) == []
    assert replay_problems(records) == []
