"""Durable consumers that come and go with what is configured: made, changed, rewound, counted.

A consumer is made asleep, set to where it is to begin, and woken: who dies in between leaves one
that delivers nothing, and the next one finishes the work. Begun with "everything", it can be
rewound to any moment that the stream still holds.
"""

from typing import Any

from msgspec import Struct

from shared.bus.connection import Connection
from shared.bus.declarations import Config, nanoseconds
from shared.bus.errors import NotThere
from shared.ports.event_log import Backlog, Work

START = "heliograph-start"
_ASLEEP_UNTIL = "2200-01-01T00:00:00Z"


class _Info(Struct, frozen=True):
    config: dict[str, Any]
    num_pending: int = 0
    num_ack_pending: int = 0
    paused: bool = False


async def ensure(connection: Connection, stream: str, work: Work, start: int) -> None:
    """Make a consumer that begins at a sequence, or bring an existing one to what is asked."""
    path = f"{stream}.{work.consumer}"
    asked = _config(work)
    try:
        there = await connection.api(f"CONSUMER.INFO.{path}", None, _Info)
    except NotThere:
        metadata = {START: str(start)}
        config = {**asked, "metadata": metadata, "pause_until": _ASLEEP_UNTIL}
        body = {"stream_name": stream, "config": config, "action": "create"}
        there = await connection.api(f"CONSUMER.CREATE.{path}", body, _Info)
    if there.paused:
        await rewind(connection, stream, work.consumer, int(there.config["metadata"][START]))
        await connection.api(f"CONSUMER.PAUSE.{path}", {}, dict[str, Any])
    if any(there.config.get(name) != value for name, value in asked.items()):
        config = {name: held for name, held in there.config.items() if name != "pause_until"}
        body = {"stream_name": stream, "config": {**config, **asked}, "action": "update"}
        await connection.api(f"CONSUMER.CREATE.{path}", body, _Info)


async def rewind(connection: Connection, stream: str, consumer: str, to: int | None) -> None:
    """Begin again at a sequence, or at the first that was not acknowledged."""
    body = None if to is None else {"seq": to}
    await connection.api(f"CONSUMER.RESET.{stream}.{consumer}", body, _Info)


async def backlog(connection: Connection, stream: str, consumer: str) -> Backlog:
    """Count what was never delivered, and what is in hands."""
    info = await connection.api(f"CONSUMER.INFO.{stream}.{consumer}", None, _Info)
    return Backlog(waiting=info.num_pending, held=info.num_ack_pending)


def _config(work: Work) -> Config:
    return {
        "name": work.consumer,
        "durable_name": work.consumer,
        "filter_subjects": list(work.filters),
        "ack_policy": "explicit",
        "ack_wait": nanoseconds(work.ack_wait),
        "deliver_policy": "all",
        "inactive_threshold": nanoseconds(work.forgotten_after),
        "max_ack_pending": work.most,
        "max_deliver": -1,
    }
