"""Holding an act: alive while worked on, and given up in time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from services.executor.holding import ACK_WAIT, BEAT, SAFE_FOR, Abandoned, Hold
from shared.bus import declarations
from shared.bus.memory import MemoryBus
from shared.ports.event_log import Delivery
from tests.support.builders import creation
from tests.unit.services.executor.acted import World


@asynccontextmanager
async def one_delivery(world: World, bus: MemoryBus) -> AsyncIterator[Delivery]:
    await world.ask(creation("w1"))
    async with bus.log.deliveries("executor", most=1) as deliveries:
        yield await anext(deliveries)


async def seconds(span: float) -> None:
    await asyncio.sleep(span)


def test_a_call_begins_before_the_server_gives_the_act_away() -> None:
    assert BEAT < SAFE_FOR < ACK_WAIT == declarations.ACK_WAIT


async def test_signs_of_life_keep_a_delivery_for_as_long_as_it_takes() -> None:
    world = World()
    other = world.server.connect("other")
    async with (
        one_delivery(world, world.server.connect("one")) as delivery,
        other.log.deliveries("executor", most=1) as others,
        Hold(world.bus, delivery) as hold,
    ):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(10 * ACK_WAIT.total_seconds()):
                await anext(others)
        hold.check()


async def test_without_signs_of_life_another_hand_gets_it() -> None:
    world = World()
    one = world.server.connect("one")
    async with one_delivery(world, one) as delivery, Hold(one, delivery):
        await seconds(BEAT.total_seconds() + 1)
    other = world.server.connect("other")
    async with (
        other.log.deliveries("executor", most=1) as others,
        asyncio.timeout(ACK_WAIT.total_seconds() + 1),
    ):
        again = await anext(others)

    assert (again.message, again.attempt) == (delivery.message, 2)


async def test_a_silent_bus_ends_the_permission_to_begin() -> None:
    world = World()
    bus = world.server.connect("one")
    async with one_delivery(world, bus) as delivery, Hold(bus, delivery) as hold:
        await seconds(BEAT.total_seconds() + 1)
        bus.link.break_down(noticed=False)
        await seconds(SAFE_FOR.total_seconds() - 2)
        hold.check()
        await seconds(2)

        with pytest.raises(Abandoned, match="no sign of life"):
            hold.check()
        assert hold.connected


async def test_a_bus_that_comes_back_in_time_on_the_same_connection_is_forgiven() -> None:
    world = World()
    bus = world.server.connect("one")
    async with one_delivery(world, bus) as delivery, Hold(bus, delivery) as hold:
        bus.link.up = False
        await seconds(2 * BEAT.total_seconds() - 1)
        bus.link.up = True
        await seconds(SAFE_FOR.total_seconds())

        hold.check()


async def test_a_hand_that_was_silent_for_the_whole_wait_has_lost_it_for_good() -> None:
    """The server hears of it again, and has given it to another hand long ago."""
    world = World()
    bus = world.server.connect("one")
    async with one_delivery(world, bus) as delivery, Hold(bus, delivery) as hold:
        bus.link.up = False
        await seconds(ACK_WAIT.total_seconds() + 1)
        bus.link.up = True
        await seconds(2 * BEAT.total_seconds())

        with pytest.raises(Abandoned, match="another hand"):
            hold.check()
        assert hold.connected


async def test_a_new_connection_ends_it_at_once() -> None:
    world = World()
    bus = world.server.connect("one")
    async with one_delivery(world, bus) as delivery, Hold(bus, delivery) as hold:
        hold.check()
        world.server.restart()

        with pytest.raises(Abandoned, match="connection"):
            hold.check()
        assert not hold.connected
