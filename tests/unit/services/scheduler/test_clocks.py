"""Whose clock counts: the server's alone. What went off late is told as late."""

import asyncio
from datetime import datetime, timedelta

import pytest

from heliograph.views.timeline import timeline
from shared.events import subjects
from shared.events.codec import decode
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import FromSequence
from tests.support.builders import KEY
from tests.unit.services.scheduler.armed import MINUTE, World, at, timer
from tests.unit.services.scheduler.test_repairs import left_behind

HOURS = 3600


class WrongClock:
    """A process's clock that is off, and by how much may change at any moment."""

    def __init__(self, world: World, off_by: float) -> None:
        self._world = world
        self.off_by = off_by

    def now(self) -> datetime:
        return self._world.server.clock.now() + timedelta(seconds=self.off_by)


async def told(world: World) -> list[str]:
    """Return what the timeline says of timers."""
    read = world.bus.log.read((subjects.everything_of(KEY),), FromSequence(1))
    records = [decode(message) async for message in read]
    return [moment.text for moment in timeline(records) if moment.what == "timer"]


@pytest.mark.parametrize("off_by", [-5 * HOURS, 5 * HOURS])
async def test_a_schedulers_own_clock_moves_no_timer(off_by: float) -> None:
    world = World()
    async with world.scheduling(clock=WrongClock(world, off_by)):
        act = await world.decide(timer("wake", 20))
        await asyncio.sleep(MINUTE)

    assert await world.fired() == [("wake", act, at(20))]


async def test_a_clock_that_jumps_to_and_fro_loses_and_doubles_nothing() -> None:
    world = World()
    clock = WrongClock(world, 0)
    wanted = []
    async with world.scheduling(clock=clock):
        for number in range(20):
            clock.off_by = (-1) ** number * number * HOURS
            key = ResourceKey(kind="rayjob", namespace="prod", name=f"j{number}")
            act = await world.decide(timer("wake", 30 + number), key=key)
            wanted.append(("wake", act, at(30 + number)))
        await asyncio.sleep(1)
    async with world.scheduling(clock=WrongClock(world, -9 * HOURS)):
        await asyncio.sleep(2 * MINUTE)

    assert await world.fired() == wanted
    assert await world.armed() == {}


async def test_a_timer_that_nobody_could_arm_in_time_goes_off_late_and_says_so() -> None:
    world = World()
    act = await world.decide(timer("wake", 20))
    await left_behind(world)
    await asyncio.sleep(MINUTE)
    async with world.scheduling():
        await asyncio.sleep(1)

    [(name, by, moment)] = await world.fired()
    assert (name, by) == ("wake", act)
    assert moment >= at(MINUTE)
    [line] = await told(world)
    assert line.startswith("wake went off, 4")
    assert line.endswith(" s late")


async def test_a_timer_that_goes_off_in_time_is_not_called_late() -> None:
    world = World()
    async with world.scheduling():
        await world.decide(timer("wake", 20))
        await asyncio.sleep(MINUTE)

    assert await told(world) == ["wake went off"]


async def test_a_long_absence_is_made_up_for_many_timers_at_a_time() -> None:
    world = World()
    keys = [ResourceKey(kind="rayjob", namespace="prod", name=f"j{n}") for n in range(300)]
    for key in keys:
        await world.decide(timer("wake", 10 * HOURS), timer("retry", 9 * HOURS), key=key)
    await left_behind(world)
    slow = world.server.connect("slow")
    slow.link.latency = 0.05
    async with world.scheduling(slow) as scheduler:
        begun = asyncio.get_running_loop().time()
        while scheduler.trouble():  # noqa: ASYNC110 - on virtual time
            await asyncio.sleep(0.1)
        took = asyncio.get_running_loop().time() - begun

    read = world.bus.time.read(("timer.>",), FromSequence(1))
    assert len([message async for message in read]) == 600
    assert took < 600 * 3 * 0.05 / 10


async def test_a_bus_that_breaks_in_the_middle_of_a_comparison_is_compared_again() -> None:
    world = World()
    keys = [ResourceKey(kind="rayjob", namespace="prod", name=f"j{n}") for n in range(100)]
    for key in keys:
        await world.decide(timer("wake", 10 * HOURS), key=key)
    await left_behind(world)
    bus = world.server.connect("breaking")
    bus.link.latency = 0.2
    async with world.scheduling(bus) as scheduler:
        assert scheduler.trouble() is not None
        bus.link.break_down()
        await asyncio.sleep(1)
        bus.link.come_back()
        await asyncio.sleep(MINUTE)

        assert scheduler.trouble() is None
    read = world.bus.time.read(("timer.>",), FromSequence(1))
    assert len([message async for message in read]) == 100
