"""How fast history is decided again, and one resource is found among a million records.

Clusters live: they come up, are scaled, lose pods. Every decision is the rules' own, so a replay
finds all of them identical, or raises. The bar is 20,000 records a second on one core, and a
second for one resource at any moment.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from time import perf_counter, process_time

from msgspec.structs import replace

from benchmarks.lives import Life, lives, settings_message
from heliograph.assembly.replaying import Read, verdicts
from heliograph.views.bounds import Bounds
from shared.aggregates.ledger import Ledger
from shared.bus.connection import Connection, Endpoint
from shared.bus.declarations import Installation
from shared.bus.jetstream import JetStreamBus
from shared.bus.matching import matcher
from shared.bus.server import NatsServer
from shared.bus.streams import init
from shared.events import subjects
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Entry, FromSequence, Message

BAR = 20_000
SECOND = 1.0
CLUSTERS = 200


ANSWER_WITHIN = 60.0
"""A server that is slow is measured, not given up."""
IN_FLIGHT = 1024
WAVE = 100
"""How many clusters live at the same time; what each leaves behind lies close together."""


async def measure(records: int) -> list[list[str]]:
    """Return rows: replay as records go by, and one resource among all."""
    return [await _replayed(), *await _found(records)]


def _of(messages: Sequence[Message]) -> Read:
    async def read(filters: Sequence[str]) -> AsyncIterator[Message]:
        wanted = matcher(filters)
        for message in messages:
            if wanted(message.subject):
                yield message

    return read


async def _compared(read: Read, filters: Sequence[str], bounds: Bounds) -> int:
    """Decide again; raise if anything is not as it was."""
    found = [verdict async for verdict in verdicts(read, filters, bounds)]
    apart = [one for one in found if one.missing or one.differences]
    if apart or not found:
        raise AssertionError(f"not decided as before: {apart[:1] or 'nothing was decided'}")
    return len(found)


async def _replayed() -> list[str]:
    messages = [settings_message(), *lives(CLUSTERS)]
    best, acts = float("inf"), 0
    for _ in range(3):
        begun = process_time()
        acts = await _compared(_of(messages), ("ray.>",), Bounds())
        best = min(best, process_time() - begun)
    rate = len(messages) / best
    return [
        f"replay {len(messages):,} records, {acts:,} of them decisions, on one core",
        f"{rate:,.0f}/s",
        f"{rate / BAR:.2f} x the bar of {BAR:,}/s",
    ]


async def _found(records: int) -> list[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        server = NatsServer(Path(folder))
        await asyncio.to_thread(server.start)
        connection = Connection(
            Endpoint(servers=(server.url,), name="benchmark", answer_within=ANSWER_WITHIN)
        )
        try:
            await connection.open()
            await init(connection, Installation())
            return await _looked_for(JetStreamBus(connection), records)
        finally:
            await connection.close()
            await asyncio.to_thread(server.stop)


async def _looked_for(bus: JetStreamBus, records: int) -> list[list[str]]:
    begun = perf_counter()
    wanted, resources = await _write(bus, records)
    written = perf_counter() - begun
    end = await bus.log.end()

    def read(filters: Sequence[str]) -> AsyncIterator[Message]:
        return bus.log.read(filters, FromSequence(1))

    filters = (subjects.everything_of(wanted),)
    took = []
    for part in (0.25, 0.5, 0.75, 1.0):
        begun = perf_counter()
        held = [message async for message in read(filters)]
        last = held[int(len(held) * part) - 1].sequence
        ledger = Ledger()
        for message in held:
            if message.sequence <= last:
                ledger.apply(message)
        if ledger.view(wanted).own is None:
            raise AssertionError("the resource was not found")
        took.append(perf_counter() - begun)
    return [
        [
            f"one resource at any moment among {end.last:,} records of {resources:,} resources",
            f"looks took {', '.join(f'{one * 1e3:,.0f}' for one in took)} ms",
            f"{max(took) / SECOND:.2f} x the bar of a second; writing them took {written:,.0f} s",
        ]
    ]


async def _write(bus: JetStreamBus, records: int) -> tuple[ResourceKey, int]:
    """Write lives in waves, as a fleet does; return one in the middle."""
    life = Life(0).lives()
    resources = max(records // len(life), 1)
    places = asyncio.Semaphore(IN_FLIGHT)

    async def one(entry: Entry) -> None:
        try:
            await bus.log.append(entry)
        finally:
            places.release()

    async with asyncio.TaskGroup() as group:
        for wave in range(0, resources, WAVE):
            for message in life:
                for number in range(wave, min(wave + WAVE, resources)):
                    await places.acquire()
                    group.create_task(one(_copied(message, number)))
    name = f"cluster-{resources // 2:05d}"
    return ResourceKey("raycluster", "default", name), resources


def _copied(message: Message, number: int) -> Entry:
    """Return the message as one of another cluster."""
    name = f"cluster-{number:05d}"
    place = subjects.place_of(message.subject)
    if place is None:
        raise AssertionError("only records of a resource are copied")
    key = replace(place.key, name=name)
    rest = message.subject.split(".")[5:]
    subject = ".".join(("ray", subjects.path_of(key), *rest)).replace("cluster-00000", name)
    data = message.data.replace(b"cluster-00000", name.encode())
    return Entry(subject=subject, id=f"{number}/{message.sequence}", data=data)
