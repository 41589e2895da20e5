"""Durable work: in one hand at a time, and again if nobody acknowledges; for every adapter."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta

from shared.ports.event_log import Delivery
from tests.support.buses import ACK_WAIT, World, write

WAIT = ACK_WAIT.total_seconds()


def act(name: str) -> str:
    return f"ray.1.raycluster.ns.{name}.act"


async def take(work: AsyncIterator[Delivery], within: float) -> tuple[bytes, int] | None:
    """Return what comes next and its attempt, or None if nothing does in time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(within):
            delivery = await anext(work)
            return delivery.message.data, delivery.attempt
    return None


async def test_delivers_acts_and_nothing_else(world: World) -> None:
    log = world.bus.log
    await write(log, "ray.1.raycluster.ns.a.obs.pod.p", b"no act")
    await write(log, act("a"), b"1")

    async with log.deliveries("executor", most=10) as work:
        delivery = await anext(work)
        await delivery.acknowledge()

    assert (delivery.message.sequence, delivery.message.data, delivery.attempt) == (2, b"1", 1)


async def test_gives_each_service_its_own_copy(world: World) -> None:
    log = world.bus.log
    await write(log, act("a"), b"1")

    async with (
        log.deliveries("executor", most=1) as one,
        log.deliveries("scheduler", most=1) as two,
    ):
        assert await take(one, WAIT) == (b"1", 1)
        assert await take(two, WAIT) == (b"1", 1)


async def test_delivers_again_what_was_not_acknowledged(world: World) -> None:
    log = world.bus.log
    await write(log, act("a"), b"1")

    async with log.deliveries("executor", most=10) as work:
        assert await take(work, WAIT) == (b"1", 1)
        again = await anext(work)
        assert (again.message.data, again.attempt) == (b"1", 2)
        await again.acknowledge()
        assert await take(work, 1.5 * WAIT) is None


async def test_a_later_hand_gets_what_an_earlier_one_left(world: World) -> None:
    log = world.bus.log
    await write(log, act("a"), b"1")
    async with log.deliveries("executor", most=10) as work:
        assert await take(work, WAIT) == (b"1", 1)

    other = (await world.client("other")).log
    async with other.deliveries("executor", most=10) as work:
        assert await take(work, 3 * WAIT) == (b"1", 2)


async def test_progress_keeps_it_in_the_hand(world: World) -> None:
    log = world.bus.log
    await write(log, act("a"), b"1")

    async with log.deliveries("executor", most=10) as work:
        delivery = await anext(work)
        for _ in range(4):
            await delivery.progress()
            assert await take(work, 0.4 * WAIT) is None
        await delivery.acknowledge()


async def test_later_brings_it_back_after_a_while(world: World) -> None:
    log = world.bus.log
    await write(log, act("a"), b"1")

    async with log.deliveries("executor", most=1) as work:
        delivery = await anext(work)
        await delivery.later(timedelta(seconds=0.4))
        assert await take(work, 0.2) is None
        assert await take(work, WAIT) == (b"1", 2)


async def test_holds_no_more_than_it_can_carry(world: World) -> None:
    log = world.bus.log
    for number in range(4):
        await write(log, act(f"c{number}"), str(number).encode())

    async with log.deliveries("executor", most=2) as work:
        first, second = await anext(work), await anext(work)
        assert await take(work, 0.3 * WAIT) is None
        await first.acknowledge()
        third = await anext(work)

    carried = [one.message.data for one in (first, second, third)]
    assert carried == [b"0", b"1", b"2"]


async def test_two_hands_share_and_nobody_gets_the_same(world: World) -> None:
    other = await world.client("other")
    for number in range(20):
        await write(world.bus.log, act(f"c{number}"), str(number).encode())

    async with (
        world.bus.log.deliveries("executor", most=10) as left,
        other.log.deliveries("executor", most=10) as right,
    ):
        shares = await asyncio.gather(_work(left, 10), _work(right, 10))

    assert sorted(int(data) for share in shares for data in share) == list(range(20))


async def _work(work: AsyncIterator[Delivery], times: int) -> list[bytes]:
    done = []
    for _ in range(times):
        delivery = await anext(work)
        done.append(delivery.message.data)
    return done


async def test_goes_on_after_a_restart(world: World) -> None:
    log = world.bus.log
    async with log.deliveries("executor", most=5) as work:
        await write(log, act("a"), b"1")
        first = await anext(work)
        await first.acknowledge()
        await asyncio.sleep(0.6)
        await world.restart()
        await write(log, act("a"), b"2")

        second = await anext(work)
        await second.acknowledge()

    assert (second.message.data, second.attempt) == (b"2", 1)


async def test_goes_on_when_the_log_is_another_one(world: World) -> None:
    log = world.bus.log
    async with log.deliveries("executor", most=5) as work:
        await write(log, act("a"), b"1")
        first = await anext(work)
        await first.acknowledge()
        await world.wipe(first_sequence=100)
        await write(log, act("a"), b"2")

        second = await anext(work)

    assert (second.message.sequence, second.message.data, second.attempt) == (100, b"2", 1)


async def test_delivers_while_nobody_writes_and_after_long_silence(world: World) -> None:
    log = world.bus.log
    async with log.deliveries("executor", most=5) as work:
        assert await take(work, 1.2) is None
        await write(log, act("a"), b"1")
        assert await take(work, WAIT) == (b"1", 1)
