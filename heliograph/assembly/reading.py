"""Read records of the log for people: one resource, or everything."""

import logging
from collections.abc import AsyncIterator, Sequence

from shared.events.codec import UnreadableRecordError, decode
from shared.events.envelope import Record
from shared.ports.event_log import EventLog, FromSequence

log = logging.getLogger(__name__)

EVERYTHING = ("ray.>",)


async def read_records(events: EventLog, filters: Sequence[str] = EVERYTHING) -> tuple[Record, ...]:
    """Read all records that are in the log now, oldest first; unreadable ones are told and left."""
    return tuple([record async for record in _readable(events, filters)])


async def _readable(events: EventLog, filters: Sequence[str]) -> AsyncIterator[Record]:
    async for message in events.read(filters, FromSequence(1)):
        try:
            yield decode(message)
        except UnreadableRecordError as problem:
            log.warning("record left out", extra={"error": str(problem)})
