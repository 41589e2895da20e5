"""A log with resources in it, and those who follow it, for tests."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import timedelta
from itertools import count

from shared.aggregates.view import View
from shared.bus.memory import MemoryBus, MemoryServer
from shared.events import subjects
from shared.events.codec import encode
from shared.events.envelope import SCHEMA, Body, Envelope
from shared.following.follower import Follower, Ownership
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Appended, Entry, EventLog, News, Refused, Start
from shared.resources.observed import OBSERVED
from tests.support.builders import KEY, NOON, UID, resource
from tests.support.leases import claim, listed, stay

OTHER = ResourceKey(kind="raycluster", namespace="prod", name="other")
HERE, THERE = subjects.partition_of(KEY), subjects.partition_of(OTHER)
KINDS = OBSERVED


class Owning:
    """Says which partitions are owned."""

    def __init__(self, *owned: int) -> None:
        self.owned = frozenset(owned)
        self._told: list[asyncio.Queue[frozenset[int]]] = []

    def own(self, *owned: int) -> None:
        """Tell everybody of a change."""
        self.owned = frozenset(owned)
        for queue in self._told:
            queue.put_nowait(self.owned)

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[AsyncIterator[frozenset[int]]]:
        queue: asyncio.Queue[frozenset[int]] = asyncio.Queue()
        queue.put_nowait(self.owned)
        self._told.append(queue)
        yield _each(queue)
        self._told.remove(queue)


class Breaking(Owning):
    """Breaks the first time it is told to."""

    def __init__(self, *owned: int) -> None:
        super().__init__(*owned)
        self.breaks = asyncio.Event()
        self.broken = False

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[AsyncIterator[frozenset[int]]]:
        yield self._owned()

    async def _owned(self) -> AsyncIterator[frozenset[int]]:
        yield self.owned
        await self.breaks.wait()
        if not self.broken:
            self.broken = True
            raise RuntimeError("the server has too many consumers")
        await asyncio.Event().wait()


async def _each(queue: asyncio.Queue[frozenset[int]]) -> AsyncIterator[frozenset[int]]:
    while True:
        yield await queue.get()


@asynccontextmanager
async def untold() -> AsyncIterator[AsyncIterator[frozenset[int]]]:
    """Say nothing about what is owned."""
    yield _each(asyncio.Queue())


class Gate:
    """Where news wait while it is closed; it closes by itself after so many."""

    def __init__(self, passes: int | None = None) -> None:
        self.left = passes
        self._open = asyncio.Event()
        self._open.set()

    def open(self) -> None:
        self.left = None
        self._open.set()

    def close(self) -> None:
        self._open.clear()

    async def passed(self) -> None:
        await self._open.wait()
        if self.left is not None:
            self.left -= 1
            if not self.left:
                self.close()


class HeldLog:
    """A stream whose tails over our partition go through a gate: the one there at their opening.

    `sent` holds the subjects of what was appended.
    """

    def __init__(self, log: EventLog) -> None:
        self.gate = Gate()
        self.sent: list[str] = []
        self._append = log.append
        self.last, self.end = log.last, log.end
        self.read, self.deliveries, self.purge = log.read, log.deliveries, log.purge
        self.ensure_consumer, self.rewind = log.ensure_consumer, log.rewind
        self.backlog = log.backlog
        self._follow = log.follow

    async def append(self, entry: Entry) -> Appended | Refused:
        self.sent.append(entry.subject)
        return await self._append(entry)

    def follow(
        self, filters: Sequence[str], start: Start, *, headers_only: bool = False
    ) -> AbstractAsyncContextManager[AsyncIterator[News]]:
        tail = self._follow(filters, start, headers_only=headers_only)
        return _held(tail, self.gate) if subjects.everything_in(HERE) in filters else tail


@asynccontextmanager
async def _held(
    tail: AbstractAsyncContextManager[AsyncIterator[News]], gate: Gate
) -> AsyncIterator[AsyncIterator[News]]:
    async def passed(news: AsyncIterator[News]) -> AsyncIterator[News]:
        async for one in news:
            await gate.passed()
            yield one

    async with tail as news:
        yield passed(news)


class World:
    """One server, and a client that can be followed with."""

    def __init__(self) -> None:
        self.server = MemoryServer()
        self.writer = self.server.connect("writer")
        self._numbers = count(1)

    def connect(self, name: str) -> tuple[MemoryBus, HeldLog]:
        """Return a client and the strings to its tails over partitions."""
        bus = self.server.connect(name)
        held = HeldLog(bus.log)
        bus.log = held
        return bus, held

    async def write(self, subject: str, body: Body, key: ResourceKey | None = KEY) -> int:
        identity = f"record-{next(self._numbers)}"
        envelope = Envelope(
            schema=SCHEMA, id=identity, body=body, code="test", written_at=NOON, key=key, uid=UID
        )
        return await self.append(subject, encode(envelope), identity)

    async def append(self, subject: str, data: bytes, identity: str) -> int:
        answer = await self.writer.log.append(Entry(subject=subject, id=identity, data=data))
        assert isinstance(answer, Appended)
        return answer.sequence

    async def see(self, key: ResourceKey = KEY, *, generation: int = 1) -> int:
        """Tell of a resource."""
        seen = resource(generation=generation, version=generation)
        return await self.write(subjects.own(key), seen, key)

    async def garble(self, key: ResourceKey = KEY) -> int:
        """Write something that only newer code can read."""
        return await self.append(subjects.status(key), b'{"schema": 99}', "newer")

    async def hold(self, kind: str, session: str) -> None:
        """Give a kind's lease to a session, whose process stays."""
        await claim(self.writer, kind, session)

    async def stay(self, session: str, ttl: timedelta | None = None) -> None:
        """Say that the process of a session is there."""
        await stay(self.writer, session, ttl)

    async def mark(self, kind: str, session: str) -> int:
        """Say that a session has listed a kind."""
        return await self.write(subjects.sync(kind), listed(kind, session), None)

    async def list_all(self, session: str = "s1") -> None:
        """Have one session hold and list every kind."""
        for kind in KINDS:
            await self.hold(kind, session)
            await self.mark(kind, session)


class Seen:
    """What a follower had attended to."""

    def __init__(self) -> None:
        self.views: list[View] = []

    async def attend(self, view: View) -> None:
        self.views.append(view)

    def take(self) -> list[tuple[str, int]]:
        """Return name and generation of what was attended to since the last time."""
        views, self.views = self.views, []
        return [(view.key.name, view.own.meta.generation if view.own else 0) for view in views]


@asynccontextmanager
async def following(bus: MemoryBus, ownership: Ownership, seen: Seen) -> AsyncIterator[Follower]:
    """Run a follower for as long as the block lasts; give it a second first."""
    follower = Follower(bus, ownership, seen.attend)
    task = asyncio.create_task(follower.run())
    try:
        await asyncio.sleep(1)
        yield follower
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
