"""Facts into the log: once each, newest last, never backwards, a bounded number at once."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from msgspec import Struct

from services.watcher.entries import LARGEST, known_of
from services.watcher.gaps import Known, Wanted
from services.watcher.publishing import Publisher, SessionOverError, Style
from services.watcher.translate.facts import Fact
from shared.bus.memory import MemoryBus, MemoryServer
from shared.bus.memory_link import Loss
from shared.events.codec import decode
from shared.events.objects import Meta, PodSeen, ResourceSeen
from shared.events.subjects import observed, own
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import BusUnavailable, FromSequence, Message

DEMO = ResourceKey(kind="raycluster", namespace="prod", name="demo")


class Desk(Struct, frozen=True):
    """A publisher and the bus it writes to."""

    publisher: Publisher
    bus: MemoryBus


def seen(version: int, name: str = "head", message: str = "") -> Wanted:
    meta = Meta(name=name, namespace="prod", uid="u-1", resource_version=version)
    body = PodSeen(meta=meta, message=message)
    return Wanted(fact=Fact(subject=observed(DEMO, "pod", name), key=DEMO, body=body))


HEAD = seen(1).fact.subject


@asynccontextmanager
async def publishing(server: MemoryServer, *, in_flight_max: int = 256) -> AsyncIterator[Desk]:
    """Open a desk that stays open until everything offered is written."""
    bus = server.connect("watcher")
    begun = bus.generation
    style = Style(kind="pod", code="test", in_flight_max=in_flight_max)
    async with asyncio.TaskGroup() as group:
        publisher = Publisher(
            bus.log, server.clock, group, style=style, still=lambda: bus.generation == begun
        )
        yield Desk(publisher, bus)
        await publisher.settled()


async def story(server: MemoryServer) -> list[Message]:
    log = server.connect("reader").log
    return [message async for message in log.read(["ray.>"], FromSequence(1))]


async def versions(server: MemoryServer) -> list[int]:
    return [known_of(message).version for message in await story(server)]


async def test_writes_a_fact_once() -> None:
    server = MemoryServer()

    async with publishing(server) as desk:
        await desk.publisher.offer(seen(5))
        await desk.publisher.settled()
        await desk.publisher.offer(seen(5))

    assert await versions(server) == [5]


async def test_an_older_version_is_not_written_after_a_newer_one() -> None:
    server = MemoryServer()

    async with publishing(server) as desk:
        for version in (5, 4, 6):
            await desk.publisher.offer(seen(version))
            await desk.publisher.settled()

    assert await versions(server) == [5, 6]


async def test_of_the_facts_that_wait_only_the_newest_is_written() -> None:
    server = MemoryServer()

    async with publishing(server) as desk:
        for version in (1, 2, 4, 3):
            await desk.publisher.offer(seen(version))

    assert await versions(server) == [1, 4]


async def test_a_sleeper_never_covers_what_was_written_meanwhile() -> None:
    server = MemoryServer()
    async with publishing(server) as sleeper:
        await sleeper.publisher.offer(seen(1))
        await sleeper.publisher.settled()
        async with publishing(server) as successor:
            successor.publisher.learn({HEAD: known_of((await story(server))[-1])})
            await successor.publisher.offer(seen(9))

        await sleeper.publisher.offer(seen(5))

    assert await versions(server) == [1, 9]


async def test_a_refused_fact_that_is_newer_still_is_written_behind() -> None:
    server = MemoryServer()
    async with publishing(server) as one, publishing(server) as other:
        await one.publisher.offer(seen(1))
        await one.publisher.settled()

        await other.publisher.offer(seen(2))

    assert await versions(server) == [1, 2]


async def test_a_lost_answer_leads_to_no_second_record() -> None:
    server = MemoryServer()

    async with publishing(server) as desk:
        desk.bus.link.lose(Loss.ANSWER)
        await desk.publisher.offer(seen(5))

    assert await versions(server) == [5]


async def offered_after(server: MemoryServer, mishap: Callable[[Desk], None]) -> None:
    async with publishing(server) as desk:
        mishap(desk)
        await desk.publisher.offer(seen(5))


async def test_writes_nothing_once_the_bus_has_been_away() -> None:
    server = MemoryServer()

    with pytest.raises(ExceptionGroup) as raised:
        await offered_after(server, lambda _: server.restart())

    assert raised.group_contains(SessionOverError)
    assert await versions(server) == []


async def test_gives_up_when_nobody_can_tell_what_was_written() -> None:
    with pytest.raises(ExceptionGroup) as raised:
        await offered_after(MemoryServer(), lambda desk: desk.bus.link.break_down())

    assert raised.group_contains(BusUnavailable)


async def test_a_refresh_is_stored_although_nothing_has_changed() -> None:
    server = MemoryServer()

    async with publishing(server) as desk:
        await desk.publisher.offer(seen(5))
        await desk.publisher.settled()
        await desk.publisher.offer(Wanted(fact=seen(5).fact, refresh=True))

    assert await versions(server) == [5, 5]


async def test_an_object_that_is_too_large_is_left_out_and_others_go_on() -> None:
    server = MemoryServer()

    async with publishing(server) as desk:
        await desk.publisher.offer(seen(5, message="x" * LARGEST))
        await desk.publisher.offer(seen(6, name="worker"))

    assert [message.subject for message in await story(server)] == [observed(DEMO, "pod", "worker")]


async def test_a_resource_that_is_too_large_is_told_without_its_spec() -> None:
    server = MemoryServer()
    meta = Meta(name="demo", namespace="prod", uid="u-1", resource_version=5, generation=2)
    spec: dict[str, object] = {"managedBy": "ray.io/kuberay-operator", "text": "x" * LARGEST}
    body = ResourceSeen(meta=meta, api_version="ray.io/v1", spec=spec, status={"state": "ready"})

    async with publishing(server) as desk:
        await desk.publisher.offer(Wanted(fact=Fact(subject=own(DEMO), key=DEMO, body=body)))

    (message,) = await story(server)
    told = decode(message).envelope.body
    assert isinstance(told, ResourceSeen)
    assert told.bytes_left_out > LARGEST > len(message.data)
    assert told.spec == {"managedBy": "ray.io/kuberay-operator"}
    assert (told.meta, told.status) == (meta, {"state": "ready"})
    assert await versions(server) == [5]


async def test_a_resource_whose_rest_is_too_large_is_left_out() -> None:
    server = MemoryServer()
    meta = Meta(name="demo", namespace="prod", uid="u-1", resource_version=5)
    status: dict[str, object] = {"text": "x" * LARGEST}
    body = ResourceSeen(meta=meta, api_version="ray.io/v1", spec={}, status=status)

    async with publishing(server) as desk:
        await desk.publisher.offer(Wanted(fact=Fact(subject=own(DEMO), key=DEMO, body=body)))

    assert await story(server) == []


async def test_whoever_offers_waits_while_too_many_are_in_flight() -> None:
    server = MemoryServer()

    async with publishing(server, in_flight_max=2) as desk:
        desk.bus.link.latency = 0.01
        for number in range(2):
            await desk.publisher.offer(seen(1, name=f"pod-{number}"))
        third = asyncio.ensure_future(desk.publisher.offer(seen(1, name="pod-2")))
        await asyncio.sleep(0)
        assert not third.done()
        await third

    assert await versions(server) == [1, 1, 1]


async def test_what_the_log_holds_is_taken_over() -> None:
    server = MemoryServer()
    known = Known(sequence=0, version=7, uid="u-1", gone=False, at=server.clock.now())

    async with publishing(server) as desk:
        desk.publisher.learn({HEAD: known})
        await desk.publisher.offer(seen(7))

    assert await versions(server) == []
