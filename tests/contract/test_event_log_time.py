"""Timers and expiry: never early, once, and with a marker left behind; for every adapter."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta

from msgspec.structs import replace

from shared.ports.event_log import (
    Appended,
    Batch,
    Entry,
    EventLog,
    FromSequence,
    FromSnapshot,
    Message,
    News,
    Refused,
    Schedule,
)
from tests.support.buses import World, entry, write

TIMER = "timer.5.rayjob.ns.one.deadline"
TARGET = "fire.5.rayjob.ns.one.deadline"
EITHER = "*.5.rayjob.ns.one.deadline"
FIRED = "ray.5.rayjob.ns.one.fire.deadline"
KEY = "$KV.raymembers.test.one"
ONE, TWO = "ray.5.rayjob.ns.one.act", "ray.5.rayjob.ns.two.act"
SECOND = timedelta(seconds=1)


async def now_of(log: EventLog) -> datetime:
    """Ask the server's clock by writing something."""
    await write(log, "ray.sync.clock", b"", id="")
    told = await log.last("ray.sync.clock")
    assert told is not None
    return told.at


def timer(due_at: datetime, data: bytes = b"due") -> Entry:
    schedule = Schedule(due_at=due_at, target=TARGET)
    return entry(TIMER, data, id=f"{due_at}", headers={"Own": "header"}, schedule=schedule)


async def gather(news: AsyncIterator[News], enough: Callable[[Message], bool]) -> list[Message]:
    """Read on until a message is the one that was waited for."""
    messages: list[Message] = []
    async for one in news:
        assert isinstance(one, Batch)
        messages += one.messages
        if messages and enough(messages[-1]):
            break
    return messages


async def fires(log: EventLog, wait: float) -> list[Message]:
    """Return every firing in the log after a while."""
    await asyncio.sleep(wait)
    return [message async for message in log.read([FIRED], FromSequence(1))]


async def test_a_timer_fires_into_the_log_once_and_not_early(world: World) -> None:
    due_at = await now_of(world.bus.log) + timedelta(seconds=0.3)
    await world.bus.time.append(timer(due_at))

    [message] = await fires(world.bus.log, 1.0)
    assert (message.subject, message.data, message.headers) == (FIRED, b"due", {"Own": "header"})
    assert due_at <= message.at < due_at + SECOND
    assert await world.bus.time.last(TIMER) is None


async def test_a_timer_of_the_past_fires_at_once(world: World) -> None:
    due_at = await now_of(world.bus.log) - SECOND
    await world.bus.time.append(timer(due_at))

    assert [message.data for message in await fires(world.bus.log, 0.3)] == [b"due"]


async def test_a_fence_over_a_timer_and_its_firing_lets_it_be_armed_once(world: World) -> None:
    due_at = await now_of(world.bus.log) - SECOND
    once = replace(timer(due_at), id="", fence=0, fence_over=EITHER)
    first = await world.bus.time.append(once)
    assert isinstance(first, Appended)
    assert len(await fires(world.bus.log, 0.3)) == 1

    assert isinstance(await world.bus.time.append(once), Refused)
    fired = await world.bus.time.last(EITHER)
    assert fired is not None
    assert (fired.subject, fired.sequence > first.sequence) == (TARGET, True)
    again = await world.bus.time.append(replace(once, fence=fired.sequence))
    assert isinstance(again, Appended)
    assert len(await fires(world.bus.log, 0.3)) == 2


async def test_a_replaced_timer_fires_only_at_its_new_time(world: World) -> None:
    now = await now_of(world.bus.log)
    await world.bus.time.append(timer(now + timedelta(seconds=0.2), b"old"))
    await world.bus.time.append(timer(now + timedelta(seconds=0.5), b"new"))

    [message] = await fires(world.bus.log, 1.0)
    assert message.data == b"new"
    assert message.at >= now + timedelta(seconds=0.5)


async def test_a_cancelled_timer_does_not_fire(world: World) -> None:
    now = await now_of(world.bus.log)
    await world.bus.time.append(timer(now + timedelta(seconds=0.2)))
    await world.bus.time.purge(TIMER)

    assert await fires(world.bus.log, 0.6) == []


async def test_cancelling_up_to_a_sequence_leaves_the_timer_that_replaced_it(world: World) -> None:
    now, times = await now_of(world.bus.log), world.bus.time
    old = await times.append(timer(now + timedelta(seconds=0.2), b"old"))
    assert isinstance(old, Appended)
    await times.append(timer(now + timedelta(seconds=0.4), b"new"))
    await times.purge(TIMER, up_to=old.sequence)

    assert [message.data for message in await fires(world.bus.log, 0.8)] == [b"new"]


async def test_cancelling_up_to_its_own_sequence_ends_a_timer(world: World) -> None:
    armed = await world.bus.time.append(timer(await now_of(world.bus.log) + timedelta(seconds=0.2)))
    assert isinstance(armed, Appended)
    await world.bus.time.purge(TIMER, up_to=armed.sequence)

    assert await world.bus.time.last(TIMER) is None
    assert await fires(world.bus.log, 0.6) == []


async def test_purging_up_to_a_sequence_takes_that_one_and_no_later_or_other(world: World) -> None:
    log = world.bus.log
    first, other, second, third = [
        await write(log, subject, data)
        for subject, data in ((ONE, b"1"), (TWO, b"other"), (ONE, b"2"), (ONE, b"3"))
    ]
    await log.purge(ONE, up_to=second)

    left = [message async for message in log.read([ONE, TWO], FromSequence(first))]
    assert [message.sequence for message in left] == [other, third]

    await log.purge(ONE, up_to=second)

    assert await log.append(entry(ONE, b"4", fence=third)) == Appended(sequence=third + 1)


async def test_a_timer_that_came_due_during_an_outage_fires_afterwards(world: World) -> None:
    now = await now_of(world.bus.log)
    await world.bus.time.append(timer(now + timedelta(seconds=0.2)))
    await world.stop()
    await asyncio.sleep(0.3)
    await world.start()

    async with world.bus.log.follow([FIRED], FromSnapshot()) as news:
        fired = await gather(news, lambda message: message.data == b"due")
    assert [message.subject for message in fired] == [FIRED]


async def test_an_armed_timer_is_fenced_like_everything_else(world: World) -> None:
    due_at = await now_of(world.bus.log) + timedelta(hours=1)
    schedule = Schedule(due_at=due_at, target=TARGET)

    first = await world.bus.time.append(entry(TIMER, b"1", fence=0, schedule=schedule))
    late = await world.bus.time.append(entry(TIMER, b"2", fence=0, schedule=schedule))

    assert (first, late) == (Appended(sequence=1), Refused(last=1))


async def test_what_expires_leaves_a_marker_that_is_its_new_fence(world: World) -> None:
    presence = world.bus.presence
    async with presence.follow([KEY], FromSnapshot()) as news:
        await anext(news)
        await write(presence, KEY, b"here", ttl=SECOND)
        beat, marker = await gather(news, lambda message: message.gone)

    assert (beat.data, beat.gone, marker.data, marker.gone) == (b"here", False, b"", True)
    assert marker.at >= beat.at + SECOND
    assert await presence.append(entry(KEY, b"next", fence=0)) == Refused(last=marker.sequence)
    assert await presence.append(entry(KEY, b"next", fence=marker.sequence)) == Appended(
        sequence=marker.sequence + 1
    )


async def test_who_keeps_writing_does_not_expire(world: World) -> None:
    presence = world.bus.presence
    for _ in range(4):
        await write(presence, KEY, b"here", ttl=SECOND, id="")
        await asyncio.sleep(0.4)

    last = await presence.last(KEY)
    assert last is not None
    assert (last.sequence, last.gone) == (4, False)


async def test_the_marker_goes_as_well_and_the_fence_is_zero_again(world: World) -> None:
    presence = world.bus.presence
    await write(presence, KEY, b"here", ttl=SECOND)
    async with asyncio.timeout(8):
        while await presence.last(KEY) is not None:  # noqa: ASYNC110 - the server tells nobody
            await asyncio.sleep(0.2)

    assert await presence.append(entry(KEY, b"next", fence=0)) == Appended(sequence=3)
