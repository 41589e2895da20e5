"""Outcomes reach the log although other answers come between, and never over a newer act's."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from services.executor.service import Executor
from shared.actions.objects import ConfirmObject
from shared.actions.outcomes import Gone
from shared.bus.memory import MemoryBus, MemoryServer
from shared.events import subjects
from shared.events.codec import decode, encode
from shared.events.decisions import Answered, Decided
from shared.events.envelope import SCHEMA, Envelope
from shared.ports.cluster import ClusterWriter, Found, Kind, Object
from shared.ports.event_log import Entry, FromSequence
from shared.runtime.clock import SystemClock
from tests.support.builders import KEY, NOON, UID, act

LOOK = ConfirmObject(kind="pod", name="p", rule="confirm", because="not seen yet")
Meanwhile = Callable[[], Awaitable[None]]


class Slow(ClusterWriter):
    """A cluster without objects, in which something happens while it is asked."""

    def __init__(self, meanwhile: Meanwhile) -> None:
        self._meanwhile = meanwhile

    async def find(self, kind: Kind, namespace: str, name: str) -> Found:
        await self._meanwhile()
        return Found(object=None, resource_version=7)

    def find_all(
        self, kind: Kind, namespace: str, labels: Mapping[str, str]
    ) -> AsyncIterator[Object]:
        raise NotImplementedError

    async def create(self, kind: Kind, namespace: str, manifest: Object) -> Object:
        raise NotImplementedError

    async def delete(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        *,
        uid: str,
        resource_version: int | None = None,
    ) -> Object | None:
        raise NotImplementedError

    async def patch(self, kind: Kind, namespace: str, name: str, patch: Object) -> Object:
        raise NotImplementedError


async def write(bus: MemoryBus, subject: str, body: Decided | Answered) -> None:
    identity = f"{subject}/{body.id if isinstance(body, Decided) else body.act}"
    envelope = Envelope(
        schema=SCHEMA, id=identity, body=body, code="test", written_at=NOON, key=KEY, uid=UID
    )
    await bus.log.append(Entry(subject=subject, id=identity, data=encode(envelope)))


async def answers(bus: MemoryBus, meanwhile: Meanwhile, count: int) -> list[object]:
    """Run an executor until so many answers are there."""
    executor = Executor(bus, Slow(meanwhile), SystemClock(), "test")
    serving = asyncio.create_task(executor.run())
    found: list[object] = []
    async with (
        asyncio.timeout(5),
        bus.log.follow((subjects.res(KEY),), FromSequence(1)) as news,
    ):
        while len(found) < count:
            batch = await anext(news)
            found += [decode(one).envelope.body for one in getattr(batch, "messages", ())]
    executor.drain()
    await serving
    return found


async def test_a_late_answer_to_an_earlier_act_does_not_swallow_ours() -> None:
    bus = MemoryServer().connect("test")
    late = Answered(act="act-1", outcomes=())
    await write(bus, subjects.act(KEY), act(LOOK, id_="act-2"))

    found = await answers(bus, lambda: write(bus, subjects.res(KEY), late), 2)

    assert found == [late, Answered(act="act-2", outcomes=(Gone(resource_version=7),))]


async def test_our_late_answer_does_not_cover_the_answer_to_a_newer_act() -> None:
    bus = MemoryServer().connect("test")
    newer = Answered(act="act-3", outcomes=(Gone(resource_version=9),))
    await write(bus, subjects.act(KEY), act(LOOK, id_="act-2"))

    async def meanwhile() -> None:
        await write(bus, subjects.act(KEY), act(id_="act-3"))
        await write(bus, subjects.res(KEY), newer)

    assert await answers(bus, meanwhile, 1) == [newer]
    last = await bus.log.last(subjects.res(KEY))
    assert last is not None
    assert decode(last).envelope.body == newer
