"""Following a log: a snapshot and everything after it, without gap or repeat, for every adapter."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from itertools import count

from shared.ports.event_log import (
    Batch,
    EventLog,
    FromSequence,
    FromSnapshot,
    FromTime,
    Message,
    News,
    Reset,
)
from tests.support.buses import World, place, told, write

OBS = "ray.1.raycluster.ns.one.obs.pod"
EVERYTHING = ["ray.>"]
Place = tuple[int, str, bytes]


async def collect(news: AsyncIterator[News], last: int) -> list[Place]:
    """Read on until a sequence has come."""
    places: list[Place] = []
    async for one in news:
        places += told(one)
        if places and places[-1][0] >= last:
            return places
    raise AssertionError


async def test_gives_an_empty_batch_when_there_is_nothing_yet(world: World) -> None:
    async with world.bus.log.follow(EVERYTHING, FromSnapshot()) as news:
        assert await anext(news) == Batch(messages=(), synced=True)


async def test_gives_the_last_of_each_subject_and_then_what_comes(world: World) -> None:
    log = world.bus.log
    for name, data in (("a", b"1"), ("b", b"2"), ("a", b"3")):
        await write(log, f"{OBS}.{name}", data)

    async with log.follow(EVERYTHING, FromSnapshot()) as news:
        assert await collect(news, 3) == [(2, f"{OBS}.b", b"2"), (3, f"{OBS}.a", b"3")]
        await write(log, f"{OBS}.b", b"4")
        assert told(await anext(news)) == [(4, f"{OBS}.b", b"4")]


async def test_is_synced_once_all_that_was_there_has_been_given(world: World) -> None:
    log = world.bus.log
    await asyncio.gather(*(write(log, f"{OBS}.{i}", b"x" * 1000) for i in range(300)))

    seen = 0
    async with log.follow(EVERYTHING, FromSnapshot()) as news:
        async for one in news:
            assert isinstance(one, Batch)
            seen += len(one.messages)
            assert one.synced == (seen == 300)
            if one.synced:
                break


async def test_follows_many_filters_and_nothing_else(world: World) -> None:
    log = world.bus.log
    for partition in (1, 2, 3, 1, 2, 3):
        await write(log, f"ray.{partition}.k.ns.n.act", b"x", id="")

    async with log.follow(["ray.1.>", "ray.3.>"], FromSequence(1)) as news:
        assert [at for at, _, _ in await collect(news, 6)] == [1, 3, 4, 6]


async def test_resumes_behind_a_sequence(world: World) -> None:
    log = world.bus.log
    for data in (b"1", b"2", b"3"):
        await write(log, f"{OBS}.a", data)

    async with log.follow(EVERYTHING, FromSequence(2)) as news:
        assert await collect(news, 3) == [(2, f"{OBS}.a", b"2"), (3, f"{OBS}.a", b"3")]


async def test_replays_from_a_moment(world: World) -> None:
    log = world.bus.log
    await write(log, f"{OBS}.a", b"1")
    await asyncio.sleep(0.01)
    await write(log, f"{OBS}.a", b"2")
    second = await log.last(f"{OBS}.a")
    assert second is not None

    async with log.follow(EVERYTHING, FromTime(second.at)) as news:
        assert await collect(news, 2) == [(2, f"{OBS}.a", b"2")]


async def test_follows_headers_without_bodies(world: World) -> None:
    log = world.bus.log
    await write(log, f"{OBS}.a", b"body", headers={"Ray-RV": "1"})

    async with log.follow(EVERYTHING, FromSnapshot(), headers_only=True) as news:
        first = await anext(news)
        assert isinstance(first, Batch)
        assert [(m.headers["Ray-RV"], m.data) for m in first.messages] == [("1", b"")]


async def test_goes_on_after_a_wait_that_was_cut_short(world: World) -> None:
    log = world.bus.log
    async with log.follow(EVERYTHING, FromSnapshot()) as news:
        await anext(news)
        waiting = asyncio.ensure_future(anext(news))
        await asyncio.sleep(0.05)
        waiting.cancel()
        await asyncio.wait([waiting])
        await write(log, f"{OBS}.a", b"1")

        assert told(await anext(news)) == [(1, f"{OBS}.a", b"1")]


async def test_every_delivery_under_writing_is_explained_by_one_cut(world: World) -> None:
    log = world.bus.log
    writers = asyncio.gather(*(_scribble(log, writer, 120) for writer in range(4)))
    tails = [asyncio.ensure_future(_tail(world, number)) for number in range(5)]
    await writers
    end = await write(log, "ray.sync.end", b"")

    deliveries = await asyncio.gather(*tails)
    story = [message async for message in log.read(EVERYTHING, FromSequence(1))]

    assert end == 4 * 120 + 1
    assert all(_explained(story, given) for given in deliveries)


async def _scribble(log: EventLog, writer: int, times: int) -> None:
    for number in range(times):
        subject = f"{OBS}.{(number * 7 + writer) % 23}"
        await write(log, subject, f"{writer}.{number}".encode())


async def _tail(world: World, number: int) -> list[Place]:
    log = (await world.client(f"tail-{number}")).log
    await asyncio.sleep(number * 0.004)
    places: list[Place] = []
    async with log.follow(EVERYTHING, FromSnapshot()) as news:
        async for one in news:
            places += told(one)
            if places and places[-1][1] == "ray.sync.end":
                break
    return places


def _explained(story: Sequence[Message], given: list[Place]) -> bool:
    return any(_cut_at(story, cut) == given for cut in range(len(story) + 1))


def _cut_at(story: Sequence[Message], cut: int) -> list[Place]:
    last = {message.subject: message for message in story[:cut]}
    kept = sorted(place(message) for message in last.values())
    return kept + [place(message) for message in story[cut:]]


async def test_goes_on_without_gap_or_repeat_over_restarts(world: World) -> None:
    log = world.bus.log
    numbers = count(1)
    async with log.follow(EVERYTHING, FromSnapshot()) as news:
        await anext(news)
        given: list[Place] = []
        for _ in range(3):
            last = await write(log, f"{OBS}.a", str(next(numbers)).encode())
            await world.restart()
            last = await write(log, f"{OBS}.a", str(next(numbers)).encode())
            given += await collect(news, last)

    assert given == [(n, f"{OBS}.a", str(n).encode()) for n in range(1, 7)]


async def test_counts_connections(world: World) -> None:
    before = world.bus.generation

    await world.restart()
    async with asyncio.timeout(10):
        await world.bus.reconnected(before)

    assert world.bus.generation == before + 1


async def test_whoever_waits_for_a_new_connection_is_told(world: World) -> None:
    before = world.bus.generation
    waiting = asyncio.create_task(world.bus.reconnected(before))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    await world.restart()
    async with asyncio.timeout(10):
        await waiting
        await world.bus.reconnected(before)

    assert world.bus.generation != before


async def test_notices_a_consumer_that_fell_silent(world: World) -> None:
    log = world.bus.log
    async with log.follow(EVERYTHING, FromSnapshot()) as news:
        await anext(news)
        await world.silence()
        last = await write(log, f"{OBS}.a", b"unheard")

        assert await collect(news, last) == [(1, f"{OBS}.a", b"unheard")]


async def test_says_reset_when_the_log_went_backwards(world: World) -> None:
    log = world.bus.log
    await write(log, f"{OBS}.a", b"kept")
    async with log.follow(EVERYTHING, FromSnapshot()) as news:
        await collect(news, 1)
        await world.save()
        await collect(news, await write(log, f"{OBS}.b", b"to be lost"))
        await world.go_back()

        assert await anext(news) == Reset()
        assert told(await anext(news)) == [(1, f"{OBS}.a", b"kept")]


async def test_says_reset_even_if_new_records_stand_where_the_lost_ones_stood(
    world: World,
) -> None:
    log = world.bus.log
    async with log.follow(EVERYTHING, FromSnapshot()) as news:
        await anext(news)
        await world.save()
        await collect(news, await write(log, f"{OBS}.b", b"to be lost"))
        other = (await world.client("quick")).log
        await world.go_back()
        await write(other, f"{OBS}.b", b"another", id="another")

        assert await anext(news) == Reset()
        assert await collect(news, 1) == [(1, f"{OBS}.b", b"another")]


async def test_says_reset_when_the_log_is_another_one(world: World) -> None:
    log = world.bus.log
    await write(log, f"{OBS}.a", b"old")
    before = await log.end()
    async with log.follow(EVERYTHING, FromSnapshot()) as news:
        await collect(news, 1)
        await world.wipe(first_sequence=100)
        await write(log, f"{OBS}.a", b"new")

        assert await anext(news) == Reset()
        assert await collect(news, 100) == [(100, f"{OBS}.a", b"new")]
    assert (await log.end()).identity != before.identity


async def test_says_reset_to_who_resumes_beyond_the_end(world: World) -> None:
    log = world.bus.log
    await write(log, f"{OBS}.a", b"all there is")

    async with log.follow(EVERYTHING, FromSequence(50)) as news:
        assert await anext(news) == Reset()
        assert await collect(news, 1) == [(1, f"{OBS}.a", b"all there is")]


async def test_says_reset_to_who_resumes_before_the_beginning(world: World) -> None:
    log = world.bus.log
    for data in (b"1", b"2", b"3"):
        await write(log, f"{OBS}.{data.decode()}", data)
    for name in ("1", "2"):
        await log.purge(f"{OBS}.{name}")

    async with log.follow(EVERYTHING, FromSequence(2)) as news:
        assert await anext(news) == Reset()
        assert await collect(news, 3) == [(3, f"{OBS}.3", b"3")]
