"""A hundred thousand armed timers on a real server: armed, found again, moved, gone off.

Two schedulers arm them side by side; then both and the server itself die, and another scheduler
compares what is armed with what the acts want. Beside the many that are not due, some go off: each
once, none early. Raises if a single one is lost, early or there twice.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from time import perf_counter

from msgspec.structs import replace

from services.scheduler.metrics import ARMED, REPAIRED
from services.scheduler.service import Scheduler
from shared.bus.connection import Connection, Endpoint
from shared.bus.declarations import Installation
from shared.bus.jetstream import JetStreamBus
from shared.bus.server import NatsServer
from shared.bus.streams import init
from shared.events import subjects
from shared.events.codec import decode, encode
from shared.events.decisions import Decided, Timer
from shared.events.envelope import SCHEMA, Envelope
from shared.events.records import TimerFired
from shared.kernel.invariants import invariant
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Entry, FromSequence, FromSnapshot
from shared.runtime.clock import SystemClock
from tests.support.builders import NOON, act

EACH = ("deadline", "refresh")
"""Timers of one act."""
FAR = timedelta(hours=6)
SOON = timedelta(seconds=8)
SOME = 1000
"""So many acts are replaced, and so many timers go off beside the others."""
IN_FLIGHT = 256
LOOK_EVERY = 0.1
PATIENCE = 900.0
ANSWERS_WITHIN = 60.0
"""On a busy machine the server may be slow: that is not what is measured."""
CLOCK = SystemClock()


async def measure(timers: int) -> list[list[str]]:
    """Return rows: arming, finding again, moving, going off."""
    with tempfile.TemporaryDirectory() as folder:
        server = NatsServer(Path(folder))
        await asyncio.to_thread(server.start)
        try:
            async with asyncio.timeout(PATIENCE):
                return await _measure(server, timers)
        finally:
            await asyncio.to_thread(server.stop)


async def _measure(server: NatsServer, timers: int) -> list[list[str]]:
    async with _bus(server, "init") as bus:
        await init(bus.connection, Installation())
    keys = [ResourceKey("rayjob", "default", f"job-{number}") for number in range(timers // 2)]
    due_at = CLOCK.now() + FAR
    arming = await _arm(server, keys, due_at)
    await asyncio.to_thread(server.kill)
    restarting = perf_counter()
    await asyncio.to_thread(server.start)
    restarted = perf_counter() - restarting
    comparing, repaired = await _compare(server)
    invariant(repaired == 0, f"{repaired} timers had to be repaired")
    moving = await _move(server, keys[:SOME], due_at)
    late = await _go_off(server, keys[SOME : 2 * SOME])
    left = await _armed(server)
    invariant(left == timers - SOME, f"{left} are armed of {timers - SOME}")
    rate = timers / arming
    return [
        [f"{timers:,} timers armed by two schedulers", f"{arming:.0f} s", f"{rate:,.0f}/s"],
        [f"server killed with {timers:,} armed: up again", f"{restarted:.1f} s", "none lost"],
        [
            "another scheduler compares all with the acts",
            f"{comparing:.1f} s",
            f"{timers / comparing / rate:.1f} x the rate of arming; 0 to repair",
        ],
        [f"{SOME} acts replaced: one timer moved, one cancelled", f"{moving:.1f} s", "exactly so"],
        [
            f"{SOME} go off beside the others: worst",
            f"{late:.2f} s late",
            "each once, none early",
        ],
    ]


async def _arm(server: NatsServer, keys: list[ResourceKey], due_at: datetime) -> float:
    """Let two schedulers arm what acts want; return how long that took."""
    async with _bus(server, "acts") as bus:
        await _decide(bus, ((key, _wanting(due_at, *EACH), "first") for key in keys))
    wanted = len(keys) * len(EACH)
    before, begun = _count(ARMED), perf_counter()
    async with _scheduling(server, "one", "two"):
        while _count(ARMED) - before < wanted:  # noqa: ASYNC110 - counted elsewhere
            await asyncio.sleep(LOOK_EVERY)
        took = perf_counter() - begun
    armed = await _armed(server)
    invariant(armed == wanted, f"{armed} are armed of {wanted}")
    return took


async def _compare(server: NatsServer) -> tuple[float, int]:
    """Start another scheduler; return how long its comparison took, and what it had to repair."""
    before, begun = _count(REPAIRED), perf_counter()
    async with _scheduling(server, "three"):
        return perf_counter() - begun, int(_count(REPAIRED) - before)


async def _move(server: NatsServer, keys: list[ResourceKey], due_at: datetime) -> float:
    """Replace acts: one timer is wanted later, the other no longer."""
    kept, dropped = EACH
    newer = replace(_wanting(due_at + FAR, kept), cancelled=(dropped,))
    gone = {subjects.timer(key, dropped) for key in keys}
    begun = perf_counter()
    async with _scheduling(server, "four"), _bus(server, "moving") as bus:
        begun = perf_counter()
        await _decide(bus, ((key, newer, "second") for key in keys))
        while gone:
            gone = {one for one in gone if await bus.time.last(one) is not None}
        for key in keys:
            last = await bus.time.last(subjects.timer(key, kept))
            fired = decode(last).envelope.body if last else None
            moved = isinstance(fired, TimerFired) and fired.due_at == due_at + FAR
            invariant(moved, f"the timer of {key} was not moved")
    return perf_counter() - begun


async def _go_off(server: NatsServer, keys: list[ResourceKey]) -> float:
    """Let one more timer of some resources go off; return how late the last of them was."""
    async with _scheduling(server, "five"), _bus(server, "firing") as bus:
        due_at = CLOCK.now() + SOON
        wanting = replace(act(), timers=(*_far(due_at), _timer("soon", due_at)))
        await _decide(bus, ((key, wanting, "third") for key in keys))
        found: list[tuple[str, float]] = []
        while len(found) < len(keys):
            await asyncio.sleep(LOOK_EVERY)
            found = await _fired(bus)
        await asyncio.sleep(1)
        found = await _fired(bus)
    invariant(len(found) == len({subject for subject, _ in found}), "a timer went off twice")
    invariant(len(found) == len(keys), f"{len(found)} went off of {len(keys)}")
    invariant(all(late >= 0 for _, late in found), "a timer went off early")
    return max(late for _, late in found)


async def _fired(bus: JetStreamBus) -> list[tuple[str, float]]:
    found = []
    async for message in bus.log.read(("ray.*.*.*.*.fire.*",), FromSequence(1)):
        body = decode(message).envelope.body
        if isinstance(body, TimerFired):
            found.append((message.subject, (message.at - body.due_at).total_seconds()))
    return found


async def _armed(server: NatsServer) -> int:
    async with _bus(server, "counting") as bus:
        read = bus.time.read(("timer.>",), FromSnapshot(), headers_only=True)
        return len([message.subject async for message in read if not message.gone])


async def _decide(bus: JetStreamBus, acts: Iterable[tuple[ResourceKey, Decided, str]]) -> None:
    """Write acts, many in flight."""
    places = asyncio.Semaphore(IN_FLIGHT)

    async def one(key: ResourceKey, body: Decided, identity: str) -> None:
        async with places:
            envelope = Envelope(
                schema=SCHEMA,
                id=f"{key.name}/{identity}",
                body=body,
                code="benchmark",
                written_at=NOON,
                key=key,
                uid=key.name,
            )
            entry = Entry(subject=subjects.act(key), id=envelope.id, data=encode(envelope))
            await bus.log.append(entry)

    await asyncio.gather(*(one(*each) for each in acts))


def _wanting(due_at: datetime, *names: str) -> Decided:
    return replace(act(), timers=tuple(_timer(name, due_at) for name in names))


def _far(soon: datetime) -> tuple[Timer, ...]:
    return tuple(_timer(name, soon + FAR) for name in EACH)


def _timer(name: str, due_at: datetime) -> Timer:
    return Timer(name=name, due_at=due_at, because="for a benchmark")


def _count(counter: object) -> float:
    [metric] = counter.collect()  # type: ignore[attr-defined]  # of prometheus_client
    return float(metric.samples[0].value)


class _Named(JetStreamBus):
    """A bus whose connection can be asked for."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.connection = connection


@asynccontextmanager
async def _bus(server: NatsServer, name: str) -> AsyncIterator[_Named]:
    connection = Connection(
        Endpoint(servers=(server.url,), name=name, answer_within=ANSWERS_WITHIN)
    )
    await connection.open()
    try:
        yield _Named(connection)
    finally:
        await connection.close()


@asynccontextmanager
async def _scheduling(server: NatsServer, *names: str) -> AsyncIterator[None]:
    """Run schedulers while the block runs; it begins when they have compared."""
    async with AsyncExitStack() as stack:
        buses = [await stack.enter_async_context(_bus(server, name)) for name in names]
        schedulers = [Scheduler(bus, CLOCK, "benchmark") for bus in buses]
        tasks = [asyncio.create_task(scheduler.run()) for scheduler in schedulers]
        try:
            while any(one.trouble() for one in schedulers):  # noqa: ASYNC110 - they say so
                await asyncio.sleep(LOOK_EVERY)
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
