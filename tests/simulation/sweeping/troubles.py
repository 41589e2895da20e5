"""What happens at a moment: to who has just done something, to everybody, to the bus, by users.

Nothing here is left to chance but what a user draws, always the same at the same moment.
"""

import asyncio
from collections.abc import Mapping
from functools import partial
from random import Random
from types import MappingProxyType

from tests.simulation.kubernetes import CALL_DEADLINE
from tests.simulation.process import Process
from tests.simulation.sweeping.moments import Trouble
from tests.simulation.users import Deed
from tests.simulation.world import World

SOON, LATE = 1.0, 20.0
"""How long somebody is away, in seconds: until a supervisor starts it, and past every lease."""
WRITERS = ("status", "executor")
BEHIND = 40
"""How far back deliveries begin anew, in records."""


async def dies(world: World, process: Process, away: float = SOON) -> None:
    """Let it die, and start it again."""
    world.say(f"{process.name} dies for {away:g} s")
    await process.crash()
    await asyncio.sleep(away)
    if not process.running:
        process.start()


async def sleeps(world: World, process: Process) -> None:
    """Let it sleep with everything in hand, until others have taken over."""
    world.say(f"{process.name} sleeps")
    process.freeze()
    await asyncio.sleep(LATE)
    process.thaw()


async def loses_the_bus(world: World, process: Process) -> None:
    """Cut it off from the bus; neither side takes notice at once."""
    world.say(f"{process.name} loses the bus")
    link = process.bus.link
    link.break_down(noticed=False)
    await asyncio.sleep(3 * SOON)
    if not link.up:
        link.come_back()


async def loses_its_way(world: World, process: Process) -> None:
    """Take away its way to the API server."""
    world.say(f"{process.name} has no way to the API server")
    kubernetes = process.kubernetes
    kubernetes.cut()
    await asyncio.sleep(LATE / 2)
    kubernetes.mend()


async def everybody_dies(world: World, _process: Process) -> None:
    """Let every process die at once."""
    world.say("every process dies")
    for each in world.processes:
        await each.crash()
    await asyncio.sleep(SOON)
    for each in world.processes:
        if not each.running:
            each.start()


async def a_call_outlives_its_author(world: World, process: Process) -> None:
    """Let the next call of a writer, if it has just done something, else of an executor, come late.

    It arrives in the life of its successor.
    """
    writes = process.service in WRITERS
    writer = process if writes else next(p for p in world.processes if p.service == "executor")
    kubernetes = writer.kubernetes
    kubernetes.delay_max = 2 * CALL_DEADLINE
    world.say(f"the next call of {writer.name} takes long")
    kubernetes.writing.clear()
    try:
        await asyncio.wait_for(kubernetes.writing.wait(), LATE)
    except TimeoutError:
        kubernetes.mend()
        world.say(f"{writer.name} calls nobody")
        return
    if writer.running:
        world.say(f"{writer.name} dies meanwhile, and starts again")
        await writer.crash()
        writer.start()


async def the_bus_restarts(world: World, _process: Process) -> None:
    """Restart the server of the bus."""
    world.say("the bus restarts")
    world.server.restart()


async def the_last_record_is_lost(world: World, _process: Process) -> None:
    """Restart the bus without its last record, as after a power cut."""
    last = world.server.log.last_sequence - 1
    world.say(f"the log loses everything after {last}")
    world.lose_log_after(last)


async def the_log_is_lost(world: World, _process: Process) -> None:
    """Lose the whole log."""
    world.say("the log is lost")
    world.lose_log()


async def acts_come_again(world: World, _process: Process) -> None:
    """Deliver acts anew that were carried out long ago."""
    to = max(1, world.server.log.last_sequence - BEHIND)
    world.say(f"acts from {to} on are delivered again")
    for consumer in world.server.consumers.values():
        consumer.rewind(to)


async def watches_end(world: World, _process: Process) -> None:
    """End all watches, and let none be resumed."""
    world.say("all watches end, and their past is forgotten")
    for each in world.processes:
        each.kubernetes.end_watches(expired=True)


def users_do(*deeds: Deed) -> Trouble:
    """Let users do something, one thing after the other."""

    async def trouble(world: World, _process: Process) -> None:
        chance = Random("whoever does this")
        for number, deed in enumerate(deeds):
            await asyncio.sleep(SOON if number else 0.0)
            world.say(deed(world, chance))

    return trouble


TROUBLES: Mapping[str, Trouble] = MappingProxyType(
    {
        "its author dies": dies,
        "its author is gone for long": partial(dies, away=LATE),
        "its author sleeps": sleeps,
        "its author loses the bus": loses_the_bus,
        "its author loses its way": loses_its_way,
        "everybody dies": everybody_dies,
        "a call outlives its author": a_call_outlives_its_author,
        "the bus restarts": the_bus_restarts,
        "the last record is lost": the_last_record_is_lost,
        "the log is lost": the_log_is_lost,
        "acts come again": acts_come_again,
        "watches end": watches_end,
    }
)
"""What breaks: in the end everything is as if it had not."""
