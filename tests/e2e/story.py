"""The log of an installation, read from outside: its acts, and whether they replay."""

import asyncio

from heliograph.assembly.reading import read_records
from heliograph.cli.replay import deciding
from heliograph.views.replay import replay
from shared.bus.jetstream import JetStreamBus
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.subjects import ALL_SYNCS, place_of
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import FromSnapshot
from shared.resources.observed import OBSERVED
from tests.support.nats import open_connection
from tests.support.processes import Installation

LOOK_EVERY = 0.25


async def records_of(here: Installation) -> tuple[Record, ...]:
    """Read the whole log."""
    connection = await open_connection(here.nats, "reader")
    try:
        return await read_records(JetStreamBus(connection).log)
    finally:
        await connection.close()


def still_open(records: tuple[Record, ...], namespace: str) -> set[ResourceKey]:
    """Return the resources of a namespace whose last act does not close their books."""
    last: dict[ResourceKey, Decided] = {}
    for record in records:
        place = place_of(record.subject)
        body = record.envelope.body
        if place and place.key.namespace == namespace and isinstance(body, Decided):
            last[place.key] = body
    return {key for key, act in last.items() if not act.closing}


async def closed_books(here: Installation, namespace: str, within: float) -> tuple[Record, ...]:
    """Wait until every resource of a namespace has had its last act; return the log."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within
    while left := still_open(records := await records_of(here), namespace):
        assert loop.time() < deadline, f"waited {within:.0f} s in vain for the last acts of {left}"
        await asyncio.sleep(LOOK_EVERY)
    return records


def replay_problems(records: tuple[Record, ...]) -> list[str]:
    """Return what is decided otherwise now than then."""
    return [
        f"{verdict.key} act {verdict.sequence}: {verdict.differences or 'its base is missing'}"
        for verdict in replay(records, deciding(records))
        if verdict.differences or verdict.missing
    ]


async def ends_of(here: Installation) -> dict[str, int]:
    """Return the last sequence of the log and of the timers."""
    connection = await open_connection(here.nats, "reader")
    try:
        bus = JetStreamBus(connection)
        return {"log": (await bus.log.end()).last, "time": (await bus.time.end()).last}
    finally:
        await connection.close()


async def armed_timers(here: Installation) -> set[str]:
    """Return the names of timers that have not gone off yet."""
    connection = await open_connection(here.nats, "reader")
    try:
        messages = JetStreamBus(connection).time.read(("timer.>",), FromSnapshot())
        return {one.subject.rpartition(".")[2] async for one in messages if not one.gone}
    finally:
        await connection.close()


async def listed_after(here: Installation, sequence: int, within: float) -> int:
    """Wait until every kind was listed after a place in the log; return the last of the marks."""
    connection = await open_connection(here.nats, "reader")
    try:
        log, loop = JetStreamBus(connection).log, asyncio.get_running_loop()
        deadline = loop.time() + within
        while True:
            marks = {
                one.subject: one.sequence async for one in log.read((ALL_SYNCS,), FromSnapshot())
            }
            if len(marks) == len(OBSERVED) and min(marks.values()) > sequence:
                return max(marks.values())
            assert loop.time() < deadline, (
                f"waited {within:.0f} s for lists after {sequence}: {marks}"
            )
            await asyncio.sleep(LOOK_EVERY)
    finally:
        await connection.close()
