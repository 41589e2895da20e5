"""The scheduler on a real bus: timers fire once, never early, whatever happens to schedulers."""

import asyncio

from shared.bus.memory_link import Loss
from shared.events import subjects
from shared.events.codec import decode
from shared.events.records import TimerFired
from tests.support.builders import KEY, UID
from tests.unit.services.scheduler.armed import MINUTE, World, at, timer

WAKE = timer("wake", 20)


async def test_a_timer_fires_once_and_when_it_is_due() -> None:
    world = World()
    async with world.scheduling():
        act = await world.decide(WAKE)
        await asyncio.sleep(10 * MINUTE)

    assert await world.fired() == [("wake", act, at(20))]
    assert await world.armed() == {}


async def test_a_firing_is_a_record_of_the_resource() -> None:
    world = World()
    async with world.scheduling():
        act = await world.decide(WAKE)
        await asyncio.sleep(MINUTE)
    message = await world.bus.log.last(subjects.fired(KEY, "wake"))

    assert message is not None
    envelope = decode(message).envelope
    assert (envelope.key, envelope.uid, envelope.cause) == (KEY, UID, act)
    assert envelope.body == TimerFired(timer="wake", due_at=at(20), act=act)


async def test_a_timer_that_is_due_already_fires_at_once() -> None:
    world = World()
    async with world.scheduling():
        await asyncio.sleep(MINUTE)
        act = await world.decide(WAKE)
        await asyncio.sleep(1)

    assert await world.fired() == [("wake", act, at(MINUTE + 1))]


async def test_a_newer_act_moves_a_timer() -> None:
    world = World()
    async with world.scheduling():
        await world.decide(WAKE)
        await asyncio.sleep(1)
        act = await world.decide(timer("wake", 40))
        await asyncio.sleep(MINUTE)

    assert await world.fired() == [("wake", act, at(40))]


async def test_a_cancelled_timer_never_fires() -> None:
    world = World()
    async with world.scheduling():
        await world.decide(WAKE)
        await asyncio.sleep(1)
        await world.decide(cancelled=("wake",))
        await asyncio.sleep(MINUTE)

    assert (await world.armed(), await world.fired()) == ({}, [])


async def test_an_older_act_never_replaces_a_newer_ones_timer() -> None:
    world = World()
    bus = world.server.connect("scheduler")
    bus.link.lose(Loss.REQUEST)
    async with world.scheduling(bus):
        await world.decide(WAKE)
        await asyncio.sleep(1)
        newer = await world.decide(timer("wake", 50))
        await asyncio.sleep(30)
        assert await world.armed() == {"wake": newer}
        await asyncio.sleep(MINUTE)

    assert await world.fired() == [("wake", newer, at(50))]


async def test_a_cancellation_on_its_way_does_not_take_a_newer_acts_timer_with_it() -> None:
    world = World()
    bus = world.server.connect("scheduler")
    async with world.scheduling(bus):
        await world.decide(WAKE)
        await asyncio.sleep(5)
        bus.link.latency = 0.1
        await world.decide(cancelled=("wake",))
        await asyncio.sleep(0.35)
        bus.link.latency = 0.0
        newest = await world.decide(timer("wake", 40))
        await asyncio.sleep(5)

        assert await world.armed() == {"wake": newest}


async def test_an_act_that_comes_again_after_its_timer_fired_fires_nothing() -> None:
    world = World()
    bus = world.server.connect("scheduler")
    async with world.scheduling(bus):
        act = await world.decide(timer("retry", 3))
        await asyncio.sleep(0.5)
        world.server.consumers["scheduler"].hold(act, 5)
        await asyncio.sleep(MINUTE)

    assert await world.fired() == [("retry", act, at(3))]


async def test_an_unreadable_act_is_given_back_for_newer_code() -> None:
    world = World()
    async with world.scheduling():
        await world.append(subjects.act(KEY), b'{"schema": 99}', "new")
        await asyncio.sleep(1)
    newer = world.server.connect("newer")
    async with newer.log.deliveries("scheduler", most=1) as deliveries, asyncio.timeout(MINUTE):
        again = await anext(deliveries)

    assert (again.attempt, again.message.data) == (2, b'{"schema": 99}')
