"""What only the bus in memory can do: virtual time, and mishaps on demand."""

import asyncio
from datetime import timedelta

import pytest

from shared.bus.commit import Committed, commit
from shared.bus.memory import MemoryServer
from shared.bus.memory_clock import EPOCH
from shared.bus.memory_link import Loss
from shared.ports.event_log import (
    Appended,
    Batch,
    BusUnavailable,
    FromSequence,
    FromSnapshot,
    Refused,
    Reset,
)
from tests.support.buses import entry, told, write

ACT = "ray.1.raycluster.ns.one.act"
OBS = "ray.1.raycluster.ns.one.obs.pod.p"


async def test_a_lost_request_stores_nothing() -> None:
    bus = MemoryServer().connect("a")
    bus.link.lose(Loss.REQUEST)

    with pytest.raises(BusUnavailable):
        await bus.log.append(entry(ACT, b"a", fence=0))
    assert (await bus.log.end()).last == 0


async def test_a_lost_answer_stores_and_a_commit_finds_out() -> None:
    bus = MemoryServer().connect("a")
    bus.link.lose(Loss.ANSWER, Loss.REQUEST, Loss.ANSWER)

    assert await commit(bus.log, entry(ACT, b"a", fence=0)) == Committed(1)
    assert await commit(bus.log, entry(ACT, b"b", fence=1)) == Committed(2)
    assert (await bus.log.end()).last == 2


async def test_an_answer_on_its_way_is_lost_with_the_link() -> None:
    bus = MemoryServer().connect("a")
    bus.link.latency = 1.0
    writing = asyncio.ensure_future(bus.log.append(entry(ACT, b"a")))
    await asyncio.sleep(1.5)
    bus.link.break_down()

    with pytest.raises(BusUnavailable):
        await writing
    bus.link.come_back()
    assert (await bus.log.end()).last == 1


async def test_a_partition_cuts_off_one_client_only() -> None:
    server = MemoryServer()
    here, there = server.connect("here"), server.connect("there")
    await there.answer_probes("there")
    there.link.break_down(noticed=False)

    await write(here.log, ACT, b"a")
    with pytest.raises(BusUnavailable):
        await there.log.last(ACT)
    assert await here.probe("there")
    there.link.break_down()
    assert not await here.probe("there")


async def test_latency_delays_everything_by_its_round_trip() -> None:
    bus = MemoryServer().connect("slow")
    bus.link.latency = 0.25
    loop = asyncio.get_running_loop()

    await write(bus.log, ACT, b"a")

    assert loop.time() == 0.5


async def test_a_silent_tail_opens_again_by_itself() -> None:
    server = MemoryServer()
    bus = server.connect("a")
    async with bus.log.follow(["ray.>"], FromSnapshot()) as news:
        await anext(news)
        bus.link.silence()
        await write(bus.log, ACT, b"a")
        assert told(await anext(news)) == [(1, ACT, b"a")]

    assert server.clock.now() == EPOCH + timedelta(seconds=2.5)


async def test_clustered_servers_look_at_the_id_before_the_fence() -> None:
    first = entry(ACT, b"a", fence=0)
    single, clustered = MemoryServer(), MemoryServer(dedupe_first=True)
    for server in (single, clustered):
        await server.connect("a").log.append(first)

    assert await single.connect("b").log.append(first) == Refused(last=1)
    again = await clustered.connect("b").log.append(first)
    assert again == Appended(sequence=1, duplicate=True)


async def test_an_id_is_forgotten_after_the_window() -> None:
    bus = MemoryServer().connect("a")
    await bus.log.append(entry(OBS, b"a", id="same"))
    await asyncio.sleep(601)

    assert await bus.log.append(entry(OBS, b"a", id="same")) == Appended(sequence=2)


async def test_age_takes_the_oldest_and_resets_the_fence() -> None:
    bus = MemoryServer(max_age=timedelta(days=7)).connect("a")
    await write(bus.log, ACT, b"old")
    await asyncio.sleep(timedelta(days=6).total_seconds())
    await write(bus.log, OBS, b"young")
    await asyncio.sleep(timedelta(days=2).total_seconds())

    assert [m.data async for m in bus.log.read(["ray.>"], FromSequence(1))] == [b"young"]
    assert await bus.log.append(entry(ACT, b"new", fence=0)) == Appended(sequence=3)
    assert (await bus.log.end()).first == 2


async def test_expiry_on_demand_resets_who_was_behind() -> None:
    server = MemoryServer()
    bus = server.connect("a")
    await write(bus.log, ACT, b"1")
    async with bus.log.follow(["ray.>"], FromSnapshot()) as news:
        await anext(news)
        bus.link.break_down()
        server.connect("b")
        await write(server.clients["b"].log, OBS, b"2")
        await asyncio.sleep(10)
        await write(server.clients["b"].log, OBS, b"3")
        server.expire(timedelta(seconds=5))
        bus.link.come_back()

        assert await anext(news) == Reset()
        assert told(await anext(news)) == [(3, OBS, b"3")]


async def test_a_closed_client_never_comes_back() -> None:
    bus = MemoryServer().connect("a")
    await bus.close()
    bus.link.come_back()

    with pytest.raises(BusUnavailable):
        await bus.log.end()


async def test_two_runs_are_the_same_run() -> None:
    async def run() -> list[object]:
        server = MemoryServer()
        clients = [server.connect(f"c{number}") for number in range(3)]
        for number, client in enumerate(clients):
            client.link.latency = 0.1 * number
        await asyncio.gather(*(write(c.log, OBS, b"%d" % n) for n, c in enumerate(clients)))
        async with clients[0].log.follow(["ray.>"], FromSequence(1)) as news:
            batch = await anext(news)
        assert isinstance(batch, Batch)
        return [(m.sequence, m.at, m.data) for m in batch.messages]

    assert await run() == await run()


async def test_a_damaged_log_forgets_what_stood_in_the_hole_and_its_ids() -> None:
    server = MemoryServer()
    bus = server.connect("a")
    first, second, third = (entry(ACT, text, id=text.decode()) for text in (b"a", b"b", b"c"))
    for one in (first, second, third):
        await bus.log.append(one)
    generation = bus.generation

    server.damage(2, 3)

    last = await bus.log.last(ACT)
    assert last is not None
    assert last.data == b"a"
    assert bus.generation != generation
    assert await bus.log.append(third) == Appended(sequence=4)
