"""Comparing acts with timers: at the start, after a reconnection, beside others."""

import asyncio
from contextlib import suppress

import pytest

from shared.events import subjects
from shared.kernel.keys import ResourceKey
from tests.support.builders import KEY
from tests.unit.services.scheduler.armed import MINUTE, World, at, timer

OTHER = ResourceKey(kind="raycluster", namespace="prod", name="other")


async def left_behind(world: World) -> None:
    """Take every act away, as a scheduler that dies right after its acknowledgement."""
    dead = world.server.connect("dead")
    async with dead.log.deliveries("scheduler", most=1000) as deliveries:
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                async for delivery in deliveries:
                    await delivery.acknowledge()


async def test_a_starting_scheduler_arms_what_is_missing() -> None:
    world = World()
    act = await world.decide(timer("wake", 30))
    await left_behind(world)
    async with world.scheduling():
        assert await world.armed() == {"wake": act}


async def test_a_starting_scheduler_cancels_what_the_last_act_does_not_want() -> None:
    world = World()
    async with world.scheduling():
        await world.decide(timer("wake", 300), timer("retry", 300))
        await asyncio.sleep(1)
    act = await world.decide(timer("retry", 400))
    await left_behind(world)
    async with world.scheduling():
        assert await world.armed() == {"retry": act}


async def test_a_starting_scheduler_cancels_timers_of_resources_that_the_log_forgot() -> None:
    world = World()
    async with world.scheduling():
        await world.decide(timer("wake", 300))
        await asyncio.sleep(1)
    world.server.wipe(first_sequence=100)
    async with world.scheduling():
        assert await world.armed() == {}


async def test_what_has_fired_is_not_armed_again() -> None:
    world = World()
    async with world.scheduling():
        act = await world.decide(timer("wake", 20))
        await asyncio.sleep(MINUTE)
    async with world.scheduling():
        await asyncio.sleep(MINUTE)

    assert await world.fired() == [("wake", act, at(20))]


async def test_what_is_armed_fires_although_no_scheduler_is_alive() -> None:
    world = World()
    async with world.scheduling():
        act = await world.decide(timer("wake", 20))
        await asyncio.sleep(1)
    await asyncio.sleep(MINUTE)

    assert await world.fired() == [("wake", act, at(20))]


async def test_timers_of_acts_that_cannot_be_read_are_kept() -> None:
    world = World()
    async with world.scheduling():
        act = await world.decide(timer("wake", 300))
        await asyncio.sleep(1)
    await world.append(subjects.act(KEY), b'{"schema": 99}', "new")
    async with world.scheduling():
        assert await world.armed() == {"wake": act}


async def test_a_timer_of_an_act_that_the_log_lost_is_replaced() -> None:
    world = World()
    kept = await world.decide(timer("wake", 300))
    async with world.scheduling() as scheduler:
        await world.decide(timer("wake", 200))
        await asyncio.sleep(1)
        world.server.truncate(kept)
        assert scheduler.trouble() == "timers are not compared with the log yet"
        await asyncio.sleep(1)

        assert scheduler.trouble() is None
        assert await world.armed() == {"wake": kept}
        await asyncio.sleep(600)

    assert await world.fired() == [("wake", kept, at(300))]


async def test_two_schedulers_side_by_side_fire_each_timer_once() -> None:
    world = World()
    one, two = world.server.connect("one"), world.server.connect("two")
    wanted = []
    async with world.scheduling(one), world.scheduling(two):
        for number in range(20):
            key = ResourceKey(kind="raycluster", namespace="prod", name=f"c{number}")
            act = await world.decide(timer("wake", 10 + number), key=key)
            wanted.append(("wake", act, at(10 + number)))
        await asyncio.sleep(2 * MINUTE)

    assert await world.fired() == wanted


@pytest.mark.parametrize("later", [0.002, 0.005, 0.01, 0.05])
async def test_two_schedulers_that_come_up_at_once_let_an_overdue_timer_go_off_once(
    later: float,
) -> None:
    """What is due goes off as soon as it is armed, and is armed no longer: the place is free."""
    world = World()
    act = await world.decide(timer("wake", 20))
    await left_behind(world)
    await asyncio.sleep(MINUTE)
    one, two = world.server.connect("one"), world.server.connect("two")
    one.link.latency, two.link.latency = 0.1, 0.1 + later
    for bus in (one, two):
        bus.link.break_down()
    async with world.scheduling(one), world.scheduling(two):
        for bus in (one, two):
            bus.link.come_back()
        await asyncio.sleep(MINUTE)

    assert [(name, of) for name, of, _ in await world.fired()] == [("wake", act)]


async def test_a_timer_whose_firing_the_log_has_lost_goes_off_again() -> None:
    world = World()
    async with world.scheduling():
        act = await world.decide(timer("wake", 20))
        await asyncio.sleep(MINUTE)
        world.server.truncate(act)
        await asyncio.sleep(MINUTE)

    assert [(name, of) for name, of, _ in await world.fired()] == [("wake", act)]


async def test_a_comparison_never_cancels_what_is_asked_for_meanwhile() -> None:
    world = World()
    slow = world.server.connect("slow")
    slow.link.latency = 1.0
    async with world.scheduling(world.server.connect("fast")), world.scheduling(slow):
        await asyncio.sleep(1)
        one = await world.decide(timer("one", 300))
        await world.append(subjects.own(OTHER), b"", "so that each scheduler gets one act")
        two = await world.decide(timer("two", 300), key=OTHER)
        await asyncio.sleep(MINUTE)

        assert await world.armed() == {"one": one, "two": two}


async def test_a_reconnection_compares_again() -> None:
    world = World()
    bus = world.server.connect("scheduler")
    async with world.scheduling(bus) as scheduler:
        act = await world.decide(timer("wake", 300))
        await asyncio.sleep(1)
        await world.bus.time.purge(subjects.timer(KEY, "wake"))
        assert await world.armed() == {}
        bus.link.break_down()
        bus.link.come_back()
        assert scheduler.trouble() == "timers are not compared with the log yet"
        await asyncio.sleep(1)

        assert await world.armed() == {"wake": act}


async def test_a_bus_that_is_away_is_waited_for() -> None:
    world = World()
    bus = world.server.connect("scheduler")
    bus.link.break_down()
    async with world.scheduling(bus) as scheduler:
        act = await world.decide(timer("wake", 300), key=OTHER)
        await asyncio.sleep(MINUTE)
        assert scheduler.trouble() is not None
        bus.link.come_back()
        await asyncio.sleep(1)

        assert scheduler.trouble() is None
        assert await world.armed() == {"wake": act}
