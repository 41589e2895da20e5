"""A follower that broke and is run again hears everything again."""

import asyncio

from shared.following.follower import Follower
from tests.unit.shared.following.followed import HERE, Breaking, Seen, World


async def run_twice(follower: Follower) -> None:
    try:
        await follower.run()
    except BaseExceptionGroup:
        await follower.run()


async def test_it_is_not_deaf_after_it_broke() -> None:
    world, owning, seen = World(), Breaking(HERE), Seen()
    await world.see()
    follower = Follower(world.server.connect("one"), owning, seen.attend)
    running = asyncio.create_task(run_twice(follower))
    await asyncio.sleep(1)
    seen.take()
    owning.breaks.set()
    await asyncio.sleep(1)
    await world.see(generation=2)
    await asyncio.sleep(1)
    running.cancel()
    await asyncio.wait([running])

    assert owning.broken
    assert seen.take()[-1] == ("demo", 2)
