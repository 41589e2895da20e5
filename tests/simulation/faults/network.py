"""The bus and the way to it: links break or lose answers, the server restarts or forgets."""

import asyncio
from datetime import timedelta
from random import Random

from shared.bus.memory_link import Loss
from tests.simulation.faults.fault import Fault, a_while, somebody
from tests.simulation.world import World


async def disconnect(world: World, chance: Random) -> None:
    """Cut one process off from the bus for a while."""
    process = somebody(world, chance)
    if process is None or not process.bus.link.up:
        return
    link, noticed = process.bus.link, chance.random() < 0.5
    world.say(f"{process.name} loses the bus, {'noticed' if noticed else 'unnoticed'}")
    link.break_down(noticed=noticed)
    await asyncio.sleep(a_while(chance))
    if not link.up:
        link.come_back()
        world.say(f"{process.name} has the bus again")


async def lose_appends(world: World, chance: Random) -> None:
    """Lose the next few writes of a process, or only their answers."""
    process = somebody(world, chance)
    if process is None:
        return
    losses = [chance.choice((Loss.ANSWER, Loss.ANSWER, Loss.REQUEST)) for _ in range(4)]
    world.say(f"{process.name} will lose {', '.join(loss.value for loss in losses)}")
    process.bus.link.lose(*losses)


async def slow_bus(world: World, chance: Random) -> None:
    """Make the way to the bus long."""
    process = somebody(world, chance)
    if process is None:
        return
    link = process.bus.link
    link.latency = chance.choice((0.05, 0.3, 1.0))
    world.say(f"{process.name} is {link.latency} s away from the bus")
    await asyncio.sleep(a_while(chance))
    link.latency = 0.0


async def silence(world: World, chance: Random) -> None:
    """Leave the open tails of a process without news."""
    process = somebody(world, chance)
    if process is not None:
        world.say(f"the tails of {process.name} fall silent")
        process.bus.link.silence()


async def restart_bus(world: World, chance: Random) -> None:
    """Restart the server of the bus."""
    world.say("the bus restarts")
    world.server.restart()


async def lose_tail(world: World, chance: Random) -> None:
    """Restart the server without the last records, as after a power cut."""
    last = world.server.log.last_sequence
    kept = max(0, last - chance.choice((1, 3, 10, 40)))
    world.say(f"the log loses everything after {kept}")
    world.lose_log_after(kept)


async def lose_log(world: World, chance: Random) -> None:
    """Lose the whole log."""
    world.say("the log is lost")
    world.lose_log()


async def damage_log(world: World, chance: Random) -> None:
    """Lose some records in the middle of the log."""
    last = world.server.log.last_sequence
    end = max(1, last - chance.choice((2, 10, 40)))
    first = max(1, end - chance.choice((0, 3, 15)))
    world.say(f"the log loses what stands from {first} to {end}")
    world.damage_log(first, end)


async def deliver_again(world: World, chance: Random) -> None:
    """Let consumers begin again far behind, so that old acts come anew."""
    service = chance.choice(("executor", "scheduler"))
    to = max(1, world.server.log.last_sequence - chance.choice((5, 30, 200)))
    world.say(f"acts from {to} on are delivered to every {service} again")
    world.server.consumers[service].rewind(to)


async def poison(world: World, chance: Random) -> None:
    """Put a record of newer code in the place of a resource's own, until somebody touches it."""
    known = sorted(world.archive.resources())
    if known:
        key = chance.choice(known)
        world.say(f"the last record of {key.kind} {key.name} cannot be read")
        world.poison(key)
        await asyncio.sleep(a_while(chance))
        world.touch(key)


async def wrong_clock(world: World, chance: Random) -> None:
    """Let the clock of a process jump by an hour."""
    process = somebody(world, chance)
    if process is not None:
        process.clock.wrong_by = timedelta(hours=chance.choice((-1, 1)))
        world.say(f"the clock of {process.name} is wrong by {process.clock.wrong_by}")
        await asyncio.sleep(a_while(chance, longest=30.0))
        process.clock.wrong_by = timedelta()


FAULTS: tuple[Fault, ...] = (
    disconnect,
    disconnect,
    lose_appends,
    lose_appends,
    slow_bus,
    silence,
    restart_bus,
    lose_tail,
    lose_tail,
    lose_log,
    lose_log,
    damage_log,
    deliver_again,
    deliver_again,
    poison,
    wrong_clock,
)
