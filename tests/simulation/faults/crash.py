"""Processes that die, stop in good order, or sleep and wake with what they remembered."""

import asyncio
from random import Random

from tests.simulation.faults.fault import Fault, a_while, somebody
from tests.simulation.kubernetes import CALL_DEADLINE
from tests.simulation.users import delete, kill_worker, scale, suspend_or_resume
from tests.simulation.world import SERVICES, World


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
    if not await process.stop():
        world.accuse(f"{process.name} was stopped in good order, and did not end")
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


async def crash_at_work(world: World, chance: Random) -> None:
    """Kill a process in the moment in which something was recorded."""
    record = await world.next_record()
    process = somebody(world, chance)
    if process is None:
        return
    await asyncio.sleep(chance.choice((0.0, 0.001, 0.01)))
    world.say(f"{process.name} crashes right after record {record.sequence}")
    await process.crash()
    await asyncio.sleep(a_while(chance))
    if not process.running:
        process.start()


async def sleep_at_work(world: World, chance: Random) -> None:
    """Let a process sleep while it works on something that was just recorded.

    Its way to the bus may be long: then it sleeps between reading and writing.
    """
    process = somebody(world, chance)
    if process is None or process.frozen:
        return
    link, pause = process.bus.link, chance.choice((0.0, 0.01, 0.3, 0.3))
    link.latency = max(pause, link.latency)
    record = await world.next_record()
    await asyncio.sleep(pause * chance.uniform(1.0, 2.5))
    span = a_while(chance, longest=25.0)
    world.say(f"{process.name} sleeps for {span:.1f} s over record {record.sequence}")
    process.freeze()
    await asyncio.sleep(span)
    process.thaw()
    link.latency = 0.0


async def outage(world: World, chance: Random) -> None:
    """Let every process of one service sleep, or die, for a while."""
    service, dies = chance.choice((*SERVICES, "executor")), chance.random() < 0.5
    there = [process for process in world.processes if process.service == service]
    span = chance.uniform(4.0, 18.0)
    world.say(f"every {service} {'is dead' if dies else 'sleeps'} for {span:.1f} s")
    for process in there:
        if dies and process.running:
            await process.crash()
        elif not dies:
            process.freeze()
    await asyncio.sleep(span)
    for process in there:
        process.thaw()
        if not process.running:
            process.start()


async def crash_with_calls_under_way(world: World, chance: Random) -> None:
    """Kill a writer whose calls are slow; what it sent arrives in the life of its successor."""
    process = somebody(world, chance, "status", "status", "executor")
    if process is None:
        return
    kubernetes = process.kubernetes
    kubernetes.delay_max = 2 * CALL_DEADLINE
    world.say(f"calls of {process.name} take long")
    kubernetes.writing.clear()
    await kubernetes.writing.wait()
    await asyncio.sleep(chance.choice((0.01, 0.2, 1.0)))
    if process.kubernetes is not kubernetes:
        return
    world.say(f"{process.name} crashes with calls under way, and starts again at once")
    await process.crash()
    if not process.running:
        process.start()


async def late_hands(world: World, chance: Random) -> None:
    """Let every executor sleep over what is to be done, until users want something else."""
    hands = [process for process in world.processes if process.service == "executor"]
    world.say("every executor sleeps")
    for process in hands:
        process.freeze()
    world.say(kill_worker(world, chance))
    await asyncio.sleep(chance.uniform(0.5, 2.0))
    world.say(chance.choice((scale, suspend_or_resume, delete))(world, chance))
    await asyncio.sleep(chance.uniform(4.0, 12.0))
    for process in hands:
        process.thaw()


async def late_mind(world: World, chance: Random) -> None:
    """Let a reconciler sleep over what it has decided, until others have decided otherwise."""
    process = somebody(world, chance, "reconciler")
    if process is None or process.frozen:
        return
    link = process.bus.link
    link.latency = 0.3
    world.say(f"{process.name} is slow; {kill_worker(world, chance)}")
    await world.next_record()
    await asyncio.sleep(chance.uniform(0.3, 0.6))
    world.say(f"{process.name} sleeps")
    process.freeze()
    await asyncio.sleep(chance.uniform(0.0, 4.0))
    world.say(chance.choice((scale, suspend_or_resume))(world, chance))
    await asyncio.sleep(chance.uniform(5.0, 9.0))
    process.thaw()
    link.latency = 0.0


FAULTS: tuple[Fault, ...] = (
    crash,
    crash_at_work,
    crash_at_work,
    stop,
    sleep,
    sleep_at_work,
    sleep_at_work,
    crash_with_calls_under_way,
    crash_with_calls_under_way,
    outage,
    late_hands,
    late_mind,
)
