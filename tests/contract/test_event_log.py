"""The promises of `shared.ports.event_log` about writing and reading back, for every adapter."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from shared.bus.errors import EntryTooLargeError
from shared.ports.event_log import (
    Appended,
    Batch,
    FromSequence,
    FromSnapshot,
    FromTime,
    Message,
    Refused,
)
from tests.support.buses import World, entry, place, write

ACT = "ray.1.raycluster.ns.one.act"
OBS = "ray.1.raycluster.ns.one.obs.pod.p1"
LIFE = "ray.1.raycluster.ns.one.life"


async def test_appends_in_one_order_over_all_subjects(world: World) -> None:
    log = world.bus.log

    answers = [await log.append(entry(subject, b"x")) for subject in (ACT, OBS, f"{OBS}2")]

    assert answers == [Appended(sequence=1), Appended(sequence=2), Appended(sequence=3)]


async def test_keeps_many_appends_in_flight_in_order(world: World) -> None:
    log = world.bus.log

    answers = await asyncio.gather(*(log.append(entry(f"{OBS}{i}")) for i in range(200)))

    assert answers == [Appended(sequence=number) for number in range(1, 201)]


async def test_refuses_a_commit_when_there_is_news(world: World) -> None:
    log = world.bus.log
    first = await log.append(entry(ACT, b"a", fence=0))

    assert await log.append(entry(ACT, b"b", fence=0)) == Refused(last=1)
    assert await log.append(entry(ACT, b"b", fence=1)) == Appended(sequence=2)
    assert first == Appended(sequence=1)


async def test_fences_only_on_the_own_subject(world: World) -> None:
    log = world.bus.log
    await write(log, OBS, b"news")

    assert await log.append(entry(ACT, b"a", fence=0)) == Appended(sequence=2)


async def test_fences_on_everything_that_a_filter_names(world: World) -> None:
    log = world.bus.log
    await write(log, f"{LIFE}.created", b"a", fence=0, fence_over=f"{LIFE}.>")

    late = await log.append(entry(f"{LIFE}.ready", b"b", fence=0, fence_over=f"{LIFE}.>"))
    await write(log, OBS, b"news of something else")
    second = await log.append(entry(f"{LIFE}.ready", b"c", fence=1, fence_over=f"{LIFE}.>"))
    last = await log.last(f"{LIFE}.>")

    assert (late, second) == (Refused(last=1), Appended(sequence=3))
    assert last is not None
    assert place(last) == (3, f"{LIFE}.ready", b"c")
    assert await log.last(f"{LIFE}x.>") is None


async def test_tells_everybody_of_lifecycle_events_once_and_in_order(world: World) -> None:
    log = world.bus.log
    for number, what in enumerate(("created", "ready", "created")):
        await write(log, f"{LIFE}.{what}", f"{number}".encode(), headers={"ce-id": what})
    await write(log, ACT, b"nobody else's business")

    heard = [message async for message in _news(world, 3)]

    assert [(one.subject, one.data, one.headers["ce-id"]) for one in heard] == [
        ("pub.ns.raycluster.one.created", b"0", "created"),
        ("pub.ns.raycluster.one.ready", b"1", "ready"),
        ("pub.ns.raycluster.one.created", b"2", "created"),
    ]


async def _news(world: World, count: int) -> AsyncIterator[Message]:
    """Follow what everybody may hear until so many events have come."""
    async with world.bus.news.follow(("pub.ns.>",), FromSequence(1)) as news:
        async for batch in news:
            for message in batch.messages if isinstance(batch, Batch) else ():
                yield message
                count -= 1
            if not count:
                return


async def test_lets_one_of_many_rivals_win(world: World) -> None:
    logs = [(await world.client(f"rival-{i}")).log for i in range(4)]

    answers = await asyncio.gather(
        *(log.append(entry(ACT, f"{i}".encode(), fence=0)) for i, log in enumerate(logs))
    )

    won = [answer for answer in answers if isinstance(answer, Appended)]
    assert won == [Appended(sequence=1)]
    assert answers.count(Refused(last=1)) == 3


async def test_stores_an_id_once(world: World) -> None:
    log = world.bus.log

    assert await log.append(entry(OBS, b"a", id="same")) == Appended(sequence=1)
    assert await log.append(entry(OBS, b"a", id="same")) == Appended(sequence=1, duplicate=True)
    assert (await log.end()).last == 1


async def test_a_refused_entry_does_not_burn_its_id(world: World) -> None:
    log = world.bus.log
    await write(log, ACT, b"a")

    assert await log.append(entry(ACT, b"b", fence=7, id="mine")) == Refused(last=1)
    assert await log.append(entry(ACT, b"b", fence=1, id="mine")) == Appended(sequence=2)


async def test_a_then_b_then_a_again_are_three_records(world: World) -> None:
    log = world.bus.log

    for fence, data in enumerate((b"a", b"b", b"a")):
        await write(log, ACT, data, fence=fence)

    stored = [place(message) async for message in log.read([ACT], FromSequence(1))]
    assert stored == [(1, ACT, b"a"), (2, ACT, b"b"), (3, ACT, b"a")]


async def test_refuses_what_does_not_fit_before_sending_it(world: World) -> None:
    log = world.bus.log

    with pytest.raises(EntryTooLargeError, match="at most"):
        await log.append(entry(OBS, b"x" * (1 << 20)))
    assert await log.append(entry(OBS, b"x")) == Appended(sequence=1)


async def test_reads_the_last_message_of_a_subject(world: World) -> None:
    log = world.bus.log
    await write(log, ACT, b"old")
    await write(log, ACT, b"new", headers={"Ray-RV": "7"}, id="the-id")

    last = await log.last(ACT)

    assert last is not None
    assert place(last) == (2, ACT, b"new")
    assert last.headers == {"Ray-RV": "7", "Nats-Msg-Id": "the-id"}
    assert await log.last(OBS) is None


async def test_an_empty_log_ends_before_it_begins(world: World) -> None:
    end = await world.bus.log.end()

    assert (end.first, end.last) == (1, 0)
    assert end.identity


async def test_reads_from_a_sequence_only_what_the_filters_name(world: World) -> None:
    log = world.bus.log
    for subject in (OBS, ACT, f"{OBS}2", "ray.2.rayjob.ns.two.act", OBS):
        await write(log, subject, b"x", id="")

    read = [m.sequence async for m in log.read(["ray.1.*.*.*.obs.>"], FromSequence(2))]

    assert read == [3, 5]


async def test_reads_from_a_moment(world: World) -> None:
    log = world.bus.log
    await write(log, OBS, b"before")
    await asyncio.sleep(0.01)
    await write(log, OBS, b"after")
    moment = await log.last(OBS)

    assert moment is not None
    read = [message.data async for message in log.read([OBS], FromTime(moment.at))]
    nothing = log.read([OBS], FromTime(moment.at + timedelta(minutes=1)))
    assert read == [b"after"]
    assert [message async for message in nothing] == []


async def test_reads_a_snapshot_as_the_last_of_each_subject(world: World) -> None:
    log = world.bus.log
    for subject, data in ((OBS, b"1"), (ACT, b"2"), (OBS, b"3"), ("ray.sync.pod", b"4")):
        await write(log, subject, data)

    read = [place(message) async for message in log.read(["ray.1.>"], FromSnapshot())]

    assert read == [(2, ACT, b"2"), (3, OBS, b"3")]


async def test_reads_headers_without_bodies(world: World) -> None:
    log = world.bus.log
    await write(log, OBS, b"body", headers={"Ray-RV": "7"}, id="i")

    read = [message async for message in log.read([OBS], FromSnapshot(), headers_only=True)]

    assert [(message.headers, message.data) for message in read] == [
        ({"Ray-RV": "7", "Nats-Msg-Id": "i"}, b"")
    ]


async def test_will_not_read_everything_for_want_of_a_filter(world: World) -> None:
    with pytest.raises(ValueError, match="at least one filter"):
        world.bus.log.follow([], FromSnapshot())


async def test_a_purged_subject_is_empty_and_its_fence_is_zero(world: World) -> None:
    log = world.bus.log
    await write(log, ACT, b"a")
    await write(log, OBS, b"b")

    await log.purge(ACT)

    assert await log.last(ACT) is None
    assert await log.append(entry(ACT, b"c", fence=0)) == Appended(sequence=3)
    assert await log.last(OBS) is not None


async def test_tells_who_is_connected(world: World) -> None:
    other = await world.client("other")
    await other.answer_probes("m.other")

    assert await world.bus.probe("m.other")
    assert not await world.bus.probe("m.nobody")
    await other.close()
    async with asyncio.timeout(5):
        while await world.bus.probe("m.other"):  # noqa: ASYNC110 - the server takes a moment
            await asyncio.sleep(0.01)
