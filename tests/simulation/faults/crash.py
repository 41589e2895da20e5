"""Processes that die, stop in good order, or sleep and wake with what they remembered."""

import asyncio
from random import Random

from tests.simulation.faults.fault import Fault, a_while, somebody
from tests.simulation.world import World


async def crash(world: World, chance: Random) -> None:
    """Kill a process, and start it again a while later."""
    process = somebody(world, chance)
    if process is None:
        return
    world.say(f"{process.name} crashes")
    await process.crash()
    await asyncio.sleep(a_while(chance))
    if not process.running:
        world.say(f"{process.name} starts again")
        process.start()


async def stop(world: World, chance: Random) -> None:
    """Stop a process in good order, and start it again."""
    process = somebody(world, chance)
    if process is None:
        return
    world.say(f"{process.name} is stopped")
    await process.stop()
    if not process.running:
        process.start()


async def sleep(world: World, chance: Random) -> None:
    """Let a process sleep with everything in hand."""
    process = somebody(world, chance)
    if process is None or process.frozen:
        return
    span = a_while(chance, longest=25.0)
    world.say(f"{process.name} sleeps for {span:.1f} s")
    process.freeze()
    await asyncio.sleep(span)
    process.thaw()
    world.say(f"{process.name} wakes")


FAULTS: tuple[Fault, ...] = (crash, crash, stop, sleep, sleep)
