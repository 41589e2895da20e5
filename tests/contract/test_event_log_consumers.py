"""Consumers that are made while the bus runs: where they begin, go on and begin again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta

from shared.ports.event_log import Backlog, BusUnavailable, Delivery, Work
from tests.support.buses import ACK_WAIT, World, write

WAIT = ACK_WAIT.total_seconds()
ONE = "undelivered.one"


def work(*filters: str, most: int = 10) -> Work:
    return Work(
        consumer="courier-one", filters=filters or ("undelivered.>",), most=most, ack_wait=ACK_WAIT
    )


async def numbers(world: World, last: int, *, first: int = 1, subject: str = ONE) -> None:
    for number in range(first, last + 1):
        await write(world.bus.news, subject, str(number).encode())


async def taken(deliveries: AsyncIterator[Delivery], count: int) -> list[Delivery]:
    async with asyncio.timeout(5 * WAIT):
        return [await anext(deliveries) for _ in range(count)]


def data(deliveries: list[Delivery]) -> list[int]:
    return [int(one.message.data) for one in deliveries]


async def test_begins_where_it_is_told(world: World) -> None:
    await numbers(world, 4)
    await world.bus.news.ensure_consumer(work(), 3)

    async with world.bus.news.deliveries("courier-one", most=10) as hand:
        assert data(await taken(hand, 2)) == [3, 4]


async def test_delivers_what_its_filters_name(world: World) -> None:
    await world.bus.news.ensure_consumer(work("undelivered.a", "undelivered.c"), 1)
    for number, subject in enumerate("abcabc"):
        await write(world.bus.news, f"undelivered.{subject}", str(number).encode())

    async with world.bus.news.deliveries("courier-one", most=10) as hand:
        assert data(await taken(hand, 4)) == [0, 2, 3, 5]


async def test_one_that_is_there_goes_on_where_it_stands(world: World) -> None:
    await numbers(world, 3)
    await world.bus.news.ensure_consumer(work(), 1)
    async with world.bus.news.deliveries("courier-one", most=1) as hand:
        await (await taken(hand, 1))[0].acknowledge()

    await world.bus.news.ensure_consumer(work(), 1)
    await world.bus.news.rewind("courier-one")
    other = await world.client("other")
    async with other.news.deliveries("courier-one", most=10) as hand:
        assert data(await taken(hand, 2)) == [2, 3]


async def test_other_filters_count_from_then_on(world: World) -> None:
    await world.bus.news.ensure_consumer(work("undelivered.one"), 1)
    await world.bus.news.ensure_consumer(work("undelivered.two"), 1)
    await write(world.bus.news, "undelivered.one", b"1")
    await write(world.bus.news, "undelivered.two", b"2")

    async with world.bus.news.deliveries("courier-one", most=10) as hand:
        assert data(await taken(hand, 1)) == [2]


async def test_gives_out_no_more_than_it_may_over_all_hands(world: World) -> None:
    await numbers(world, 3)
    await world.bus.news.ensure_consumer(work(most=2), 1)
    other = await world.client("other")

    async with (
        world.bus.news.deliveries("courier-one", most=2) as left,
        other.news.deliveries("courier-one", most=2) as right,
    ):
        held = await taken(left, 2)
        waiting = [asyncio.ensure_future(taken(hand, 1)) for hand in (left, right)]
        done, _ = await asyncio.wait(waiting, timeout=0.4 * WAIT)
        assert not done
        await held[0].acknowledge()
        done, open_ones = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        assert [data(one.result()) for one in done] == [[3]]
        for one in open_ones:
            one.cancel()


async def test_begins_again_at_the_first_that_was_not_acknowledged(world: World) -> None:
    await numbers(world, 4)
    await world.bus.news.ensure_consumer(work(), 1)
    async with world.bus.news.deliveries("courier-one", most=3) as hand:
        first, _, third = await taken(hand, 3)
        await first.acknowledge()
        await third.acknowledge()
    await world.bus.news.rewind("courier-one")

    async with world.bus.news.deliveries("courier-one", most=10) as hand:
        again = await taken(hand, 3)

    assert data(again) == [2, 3, 4], "at once and in order, without waiting for what was in hand"


async def test_begins_again_before_where_it_first_began(world: World) -> None:
    await numbers(world, 3)
    await world.bus.news.ensure_consumer(work(), 3)
    await world.bus.news.rewind("courier-one", 1)

    async with world.bus.news.deliveries("courier-one", most=10) as hand:
        assert data(await taken(hand, 3)) == [1, 2, 3]


async def test_a_late_acknowledgement_does_no_harm(world: World) -> None:
    await numbers(world, 2)
    await world.bus.news.ensure_consumer(work(), 1)
    async with world.bus.news.deliveries("courier-one", most=1) as hand:
        late = (await taken(hand, 1))[0]
        await world.bus.news.rewind("courier-one")
        with suppress(BusUnavailable):
            await late.acknowledge()
        seen = []
        while 2 not in seen:
            (one,) = await taken(hand, 1)
            seen += data([one])
            await one.acknowledge()

    assert seen in ([2], [1, 2])


async def test_tells_what_it_has_before_it(world: World) -> None:
    await numbers(world, 5)
    await world.bus.news.ensure_consumer(work(), 1)
    async with world.bus.news.deliveries("courier-one", most=2) as hand:
        first, _ = await taken(hand, 2)
        before = await world.bus.news.backlog("courier-one")
        await first.acknowledge()
        await taken(hand, 1)

    assert before == Backlog(waiting=3, held=2)
    assert await world.bus.news.backlog("courier-one") == Backlog(waiting=2, held=2)


async def test_keeps_its_place_over_a_restart(world: World) -> None:
    await numbers(world, 2)
    await world.bus.news.ensure_consumer(work(), 1)
    async with world.bus.news.deliveries("courier-one", most=1) as hand:
        await (await taken(hand, 1))[0].acknowledge()
        await asyncio.sleep(timedelta(seconds=0.6).total_seconds())
        await world.restart()
        await world.bus.news.rewind("courier-one")
        assert data(await taken(hand, 1)) == [2]


async def test_numbers_what_it_gives_out_over_all_hands(world: World) -> None:
    """So a hand can tell that another one was given something."""
    await numbers(world, 4)
    await world.bus.news.ensure_consumer(work(), 1)
    other = await world.client("other")
    async with world.bus.news.deliveries("courier-one", most=2) as hand:
        assert [one.order for one in await taken(hand, 2)] == [1, 2]
        async with other.news.deliveries("courier-one", most=2) as second:
            assert [one.order for one in await taken(second, 2)] == [3, 4]
    await world.bus.news.rewind("courier-one")

    async with world.bus.news.deliveries("courier-one", most=10) as hand:
        assert [one.order for one in await taken(hand, 4)] == [1, 2, 3, 4]
