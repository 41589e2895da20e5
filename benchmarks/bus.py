"""What the bus carries on a real server: one by one, many in flight, and into a new tail."""

import asyncio
import tempfile
from pathlib import Path
from time import perf_counter

from shared.bus.connection import Connection, Endpoint
from shared.bus.declarations import Installation
from shared.bus.jetstream import JetStreamBus
from shared.bus.server import NatsServer
from shared.bus.streams import init
from shared.events.subjects import observed
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Batch, Entry, FromSnapshot

SIZE = 2000
"""Bytes of a slim pod, roughly."""
IN_FLIGHT = 256
KEY = ResourceKey("raycluster", "default", "measured")


async def measure(messages: int) -> list[list[str]]:
    """Return rows: append rates and the time a snapshot takes."""
    with tempfile.TemporaryDirectory() as folder:
        server = NatsServer(Path(folder))
        await asyncio.to_thread(server.start)
        try:
            return await _measure(server.url, messages)
        finally:
            await asyncio.to_thread(server.stop)


async def _measure(url: str, messages: int) -> list[list[str]]:
    connection = Connection(Endpoint(servers=(url,), name="benchmark"))
    await connection.open()
    await init(connection, Installation())
    bus = JetStreamBus(connection)
    few = max(messages // 10, 1)
    alone = few / await _append(bus, 0, few, 1)
    together = messages / await _append(bus, few, messages, IN_FLIGHT)
    loaded = await _load(bus, messages + few)
    await bus.close()
    return [
        ["append, one by one", f"{alone:,.0f}/s", "1 x"],
        [f"append, {IN_FLIGHT} in flight", f"{together:,.0f}/s", f"{together / alone:.1f} x"],
        [
            f"snapshot of {messages + few} subjects",
            f"{loaded * 1e3:.0f} ms",
            f"{(messages + few) / loaded / together:.1f} x the append rate",
        ],
    ]


async def _append(bus: JetStreamBus, first: int, count: int, in_flight: int) -> float:
    places = asyncio.Semaphore(in_flight)

    async def one(number: int) -> None:
        async with places:
            subject = observed(KEY, "pod", f"p{number}")
            entry = Entry(subject=subject, id=subject, data=b"x" * SIZE, fence=0)
            await bus.log.append(entry)

    begun = perf_counter()
    await asyncio.gather(*(one(first + number) for number in range(count)))
    return perf_counter() - begun


async def _load(bus: JetStreamBus, subjects: int) -> float:
    begun, loaded = perf_counter(), 0
    async with bus.log.follow(("ray.>",), FromSnapshot()) as news:
        async for batch in news:
            if isinstance(batch, Batch):
                loaded += len(batch.messages)
                if batch.synced and loaded >= subjects:
                    break
    return perf_counter() - begun
