"""Twenty RayClusters that come, change and go while strikes fall; what must hold afterwards.

A strike is whatever does harm for a while and is over when it returns. Whatever it was, everything
converges, an observer from outside never sees a law broken, no deletion is lost, and the log
replays.
"""

import asyncio
import os
import secrets
from collections.abc import Awaitable, Callable
from random import Random

from tests.e2e.laws import broken_laws
from tests.e2e.story import closed_books, replay_problems
from tests.support.fleet import Fleet, World, fleet_in, is_empty, is_settled
from tests.support.processes import Installation, Process, wait_until

NAMES = [f"ray-{number:02}" for number in range(20)]
STRIKES = 3
CONVERGES_WITHIN = 90.0
SOON = (0.1, 1.5)
"""Between two deeds of a user, before a strike, and while the victim is down; in seconds."""
Strike = Callable[[], Awaitable[None]]


def chosen_seed() -> int:
    """Return the seed of this run, told so that it can be run again."""
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


def all_ready(processes: list[Process]) -> None:
    """Wait until all of them can be counted on."""
    names = ", ".join(process.name for process in processes)
    wait_until(lambda: all(process.ready for process in processes), f"{names} are ready again")


async def churn(fleet: Fleet, strike: Strike, seed: int, strikes: int = STRIKES) -> None:
    """Let all clusters live while the strikes come."""
    over = asyncio.Event()

    async def fall() -> None:
        for _ in range(strikes):
            await strike()
        over.set()

    chances = {name: Random(f"{seed}/{name}") for name in NAMES}
    await asyncio.gather(
        *(live(fleet, name, chance, over) for name, chance in chances.items()), fall()
    )


async def end(fleet: Fleet, world: World, strike: Strike) -> None:
    """Delete everything while one more strike comes; wait until nothing is left."""
    names = tuple(fleet.wanted)
    await asyncio.gather(*(fleet.delete(name) for name in names), strike())
    took = await world.until(is_empty, "nothing is left", CONVERGES_WITHIN)
    print(f"empty {took:.1f} s after the last strike")


async def survive(here: Installation, strike: Strike, seed: int, strikes: int = STRIKES) -> None:
    """Live through the strikes, and check everything."""
    async with fleet_in(here) as (fleet, world):
        await churn(fleet, strike, seed, strikes)
        took = await world.until(
            lambda now: is_settled(now, fleet.wanted), "all is as wished", CONVERGES_WITHIN
        )
        print(f"converged {took:.1f} s after the last strike")
        await end(fleet, world, strike)
    records = await closed_books(here, here.namespace, CONVERGES_WITHIN)

    broken = broken_laws(world.history, records)
    assert not broken, "\n".join(broken)
    differing = replay_problems(records)
    assert not differing, "\n".join(differing)
