"""What may go wrong between us and a bus, and what must not follow from it; for every adapter."""

import asyncio

import pytest

from shared.bus.commit import Committed, Lost, commit
from shared.ports.event_log import Appended, BusUnavailable, FromSequence, Refused
from tests.support.buses import Deaf, World, entry, place, write

ACT = "ray.1.raycluster.ns.one.act"
OBS = "ray.1.raycluster.ns.one.obs.pod.p1"
NO_ANSWER = BusUnavailable("no answer")


async def test_a_commit_tells_its_sequence(world: World) -> None:
    assert await commit(world.bus.log, entry(ACT, b"a", fence=0)) == Committed(1)


async def test_a_commit_whose_answer_was_lost_is_ours(world: World) -> None:
    log = Deaf(world.bus.log, NO_ANSWER)

    assert await commit(log, entry(ACT, b"a", fence=0)) == Committed(1)
    assert (await world.bus.log.end()).last == 1


async def test_a_retry_that_is_refused_because_of_ourselves_is_ours(world: World) -> None:
    ours = entry(ACT, b"a", fence=0)
    await world.bus.log.append(ours)

    assert await commit(world.bus.log, ours) == Committed(1)


async def test_a_commit_that_came_second_gets_the_news(world: World) -> None:
    await write(world.bus.log, ACT, b"theirs")

    answer = await commit(world.bus.log, entry(ACT, b"ours", fence=0))

    assert isinstance(answer, Lost)
    assert answer.message is not None
    assert place(answer.message) == (1, ACT, b"theirs")


async def test_an_unfenced_commit_is_stored_once_however_often_it_is_sent(world: World) -> None:
    log = Deaf(world.bus.log, NO_ANSWER)
    sending = asyncio.ensure_future(commit(log, entry(OBS, b"a")))
    await write(world.bus.log, OBS, b"between")
    await sending

    stored = [m.data async for m in world.bus.log.read([OBS], FromSequence(1))]
    assert sorted(stored) == [b"a", b"between"]


async def test_a_commit_is_not_sent_again_over_a_new_connection(world: World) -> None:
    with pytest.raises(BusUnavailable, match="earlier connection"):
        await commit(world.bus.log, entry(ACT, b"a", fence=0), still=lambda: False)
    assert (await world.bus.log.end()).last == 0


async def test_an_append_without_a_bus_fails_and_never_arrives_late(world: World) -> None:
    log = world.bus.log
    await write(log, OBS, b"before")
    await world.stop()

    outcomes = await asyncio.gather(
        *(log.append(entry(OBS, f"{i}".encode())) for i in range(20)), return_exceptions=True
    )
    await world.start()
    await asyncio.sleep(0.2)
    await write(log, OBS, b"after")

    assert {type(outcome) for outcome in outcomes} == {BusUnavailable}
    stored = [m.data async for m in log.read([OBS], FromSequence(1))]
    assert stored == [b"before", b"after"]


async def test_everything_is_unavailable_without_a_bus(world: World) -> None:
    await world.stop()

    with pytest.raises(BusUnavailable):
        await world.bus.log.last(ACT)
    with pytest.raises(BusUnavailable):
        await world.bus.log.end()
    with pytest.raises(BusUnavailable):
        await world.bus.probe("anyone")
    await world.start()
    assert (await world.bus.log.end()).last == 0


async def test_what_was_acknowledged_outlives_a_crash(world: World) -> None:
    for number in range(50):
        await write(world.bus.log, OBS, f"{number}".encode())

    await world.restart()

    assert (await world.bus.log.end()).last == 50
    assert await world.bus.log.append(entry(OBS, b"7")) == Appended(sequence=8, duplicate=True)


async def test_a_fence_of_a_lost_future_is_refused(world: World) -> None:
    log = world.bus.log
    await write(log, ACT, b"kept")
    await world.save()
    lost = await write(log, ACT, b"lost")
    await world.go_back()

    assert await log.append(entry(ACT, b"stale", fence=lost)) == Refused(last=1)


async def test_a_new_log_starts_where_it_is_told(world: World) -> None:
    await write(world.bus.log, OBS, b"old")

    await world.wipe(first_sequence=500)

    assert await world.bus.log.append(entry(OBS, b"new")) == Appended(sequence=500)
