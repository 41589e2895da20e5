"""A bus and schedulers on it, for tests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from itertools import count

from msgspec.structs import replace

from services.scheduler.service import ACT_HEADER, Scheduler
from shared.bus.memory import MemoryBus, MemoryServer
from shared.bus.memory_clock import EPOCH
from shared.events import subjects
from shared.events.codec import decode, encode
from shared.events.decisions import Decided, Timer
from shared.events.envelope import SCHEMA, Envelope
from shared.events.records import TimerFired
from shared.kernel.keys import ResourceKey
from shared.ports.clock import Clock
from shared.ports.event_log import Appended, Entry, FromSequence, FromSnapshot
from tests.support.builders import KEY, UID, act

MINUTE = 60


def at(seconds: float) -> datetime:
    """Return a moment, counted from the beginning of the server's time."""
    return EPOCH + timedelta(seconds=seconds)


def timer(name: str, seconds: float) -> Timer:
    return Timer(name=name, due_at=at(seconds), because="for a test")


def wanting(*timers: Timer, cancelled: tuple[str, ...] = ()) -> Decided:
    return replace(act(), timers=timers, cancelled=cancelled)


class World:
    """One server."""

    def __init__(self) -> None:
        self.server = MemoryServer()
        self.bus = self.server.connect("test")
        self.server.clock.now()
        self._numbers = count(1)

    async def decide(
        self, *timers: Timer, cancelled: tuple[str, ...] = (), key: ResourceKey = KEY
    ) -> int:
        """Put an act into the log; return its sequence."""
        identity = f"act-{next(self._numbers)}"
        envelope = Envelope(
            schema=SCHEMA,
            id=identity,
            body=wanting(*timers, cancelled=cancelled),
            code="test",
            written_at=EPOCH,
            key=key,
            uid=UID,
        )
        return await self.append(subjects.act(key), encode(envelope), identity)

    async def append(self, subject: str, data: bytes, identity: str) -> int:
        answer = await self.bus.log.append(Entry(subject=subject, id=identity, data=data))
        assert isinstance(answer, Appended)
        return answer.sequence

    async def armed(self) -> dict[str, int]:
        """Return the act of each armed timer, by name."""
        read = self.bus.time.read(("timer.>",), FromSnapshot())
        return {
            message.subject.rpartition(".")[2]: int(message.headers[ACT_HEADER])
            async for message in read
        }

    async def fired(self) -> list[tuple[str, int, datetime]]:
        """Return timer, act and moment of everything that went off, in order."""
        found = []
        async for message in self.bus.log.read(("ray.*.*.*.*.fire.*",), FromSequence(1)):
            body = decode(message).envelope.body
            assert isinstance(body, TimerFired)
            found.append((body.timer, body.act, message.at))
        return found

    @asynccontextmanager
    async def scheduling(
        self, bus: MemoryBus | None = None, *, clock: Clock | None = None
    ) -> AsyncIterator[Scheduler]:
        """Run a scheduler for as long as the block lasts; it has compared when the block begins."""
        ours = bus or self.server.connect("scheduler")
        scheduler = Scheduler(ours, clock or self.server.clock, "test")
        task = asyncio.create_task(scheduler.run())
        try:
            await asyncio.sleep(1)
            yield scheduler
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
