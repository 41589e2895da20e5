"""The bus over NATS JetStream: the port's promises, kept by a real server.

Compare-and-set and deduplication are headers on a plain request, so that many appends are in
flight at once over one connection. Reading is in `tail.py`, working in `consumers.py`, what the
server must have in `streams.py`, and everything the wire needs in `wire.py`.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from nats.aio.msg import Msg

from shared.bus.connection import Connection, Endpoint
from shared.bus.consumers import Hand
from shared.bus.declarations import LOG, NEWS, PRESENCE, TIME
from shared.bus.errors import NO_MESSAGE, ApiError, NoResponders, Problem, failure, refusal
from shared.bus.inflow import Pace, Wish
from shared.bus.standing import backlog, ensure, rewind
from shared.bus.states import read_end
from shared.bus.tail import Tail, read_all
from shared.bus.waiting import until_changed
from shared.bus.wire import Stored, check_size, headers_of, read_stored
from shared.ports.event_log import (
    Appended,
    Backlog,
    BusUnavailable,
    Delivery,
    Entry,
    EventLog,
    LogEnd,
    Message,
    News,
    Refused,
    Start,
    Work,
)

HEARTBEAT = timedelta(seconds=1)
PROBE_WITHIN = 0.5


class _Receipt(Struct, frozen=True):
    seq: int = 0
    duplicate: bool = False
    error: Problem | None = None


class _Found(Struct, frozen=True):
    message: Stored


_receipts = msgspec.json.Decoder(_Receipt)


def judge(answer: bytes) -> Appended | Refused:
    """Read the server's answer to a publish."""
    receipt = _receipts.decode(answer)
    if receipt.error is None:
        return Appended(sequence=receipt.seq, duplicate=receipt.duplicate)
    refused = refusal(receipt.error)
    if refused is None:
        raise failure(receipt.error)
    return refused


class JetStreamLog:
    """One stream."""

    def __init__(self, connection: Connection, stream: str, pace: Pace) -> None:
        self._connection = connection
        self._stream = stream
        self._pace = pace

    async def append(self, entry: Entry) -> Appended | Refused:
        """Store one entry."""
        headers = headers_of(entry)
        check_size(entry, headers, self._connection.payload_limit)
        answer = await self._connection.request(entry.subject, entry.data, headers=headers)
        return judge(answer.data)

    async def last(self, subject: str) -> Message | None:
        """Ask the stream's leader, never a replica."""
        body = {"last_by_subj": subject}
        try:
            found = await self._connection.api(f"STREAM.MSG.GET.{self._stream}", body, _Found)
        except ApiError as error:
            if error.problem.err_code == NO_MESSAGE:
                return None
            raise
        return read_stored(found.message)

    async def end(self) -> LogEnd:
        """Ask for the stream's state."""
        return await read_end(self._connection, self._stream)

    def follow(
        self, filters: Sequence[str], start: Start, *, headers_only: bool = False
    ) -> AbstractAsyncContextManager[AsyncIterator[News]]:
        """Follow with one consumer at a time."""
        wish = Wish(stream=self._stream, filters=tuple(filters), start=start)
        return Tail(self._connection, self._pace, replace(wish, headers_only=headers_only))

    def read(
        self, filters: Sequence[str], start: Start, *, headers_only: bool = False
    ) -> AsyncIterator[Message]:
        """Read with one consumer, and give it back."""
        wish = Wish(stream=self._stream, filters=tuple(filters), start=start)
        return read_all(self._connection, self._pace, replace(wish, headers_only=headers_only))

    def deliveries(
        self, consumer: str, *, most: int
    ) -> AbstractAsyncContextManager[AsyncIterator[Delivery]]:
        """Pull from a durable consumer."""
        return Hand(self._connection, self._stream, consumer, most=most)

    async def ensure_consumer(self, work: Work, start: int) -> None:
        """Make or change a durable consumer."""
        await ensure(self._connection, self._stream, work, start)

    async def rewind(self, consumer: str, to: int | None = None) -> None:
        """Let a durable consumer begin again."""
        await rewind(self._connection, self._stream, consumer, to)

    async def backlog(self, consumer: str) -> Backlog:
        """Ask a durable consumer what it has before it."""
        return await backlog(self._connection, self._stream, consumer)

    async def purge(self, subject: str, *, up_to: int | None = None) -> None:
        """Remove a subject."""
        wish: dict[str, object] = {"filter": subject}
        if up_to is not None:
            wish["seq"] = up_to + 1
        await self._connection.api(f"STREAM.PURGE.{self._stream}", wish, Any)


class JetStreamBus:
    """The streams over one connection."""

    def __init__(self, connection: Connection, *, heartbeat: timedelta = HEARTBEAT) -> None:
        pace = Pace(heartbeat=heartbeat)
        self._connection = connection
        self.log: EventLog = JetStreamLog(connection, LOG, pace)
        self.time: EventLog = JetStreamLog(connection, TIME, pace)
        self.news: EventLog = JetStreamLog(connection, NEWS, pace)
        self.presence: EventLog = JetStreamLog(connection, PRESENCE, pace)

    @property
    def generation(self) -> int:
        """Count of connections made so far."""
        return self._connection.generation

    async def reconnected(self, generation: int) -> None:
        """Return once the connection is not the given one any more."""
        await until_changed(lambda: self.generation != generation, self._connection.on_reconnect)

    def trouble(self) -> str | None:
        """Say why nothing can be read or written now, if so."""
        if self._connection.ended:
            return "NATS has ended the connection for good"
        return None if self._connection.connected else "NATS is not connected"

    @property
    def ended(self) -> bool:
        """Whether the server has ended the connection for good: only a new process helps."""
        return self._connection.ended

    async def answer_probes(self, member: str) -> None:
        """Listen on the member's own subject; who returns from here is heard by everybody."""
        await self._connection.subscribe(_probe_subject(member), self._answer)
        await self._connection.flush()

    async def probe(self, member: str) -> bool:
        """Ask the member's own subject; nobody listening is certain, silence is not."""
        try:
            await self._connection.request(_probe_subject(member), within=PROBE_WITHIN)
        except NoResponders:
            return False
        except BusUnavailable:
            if not self._connection.connected:
                raise
        return True

    async def close(self) -> None:
        """Close the connection."""
        await self._connection.close()

    async def _answer(self, question: Msg) -> None:
        await self._connection.publish(question.reply)


def _probe_subject(member: str) -> str:
    return f"member.{member}.ping"


async def connect(endpoint: Endpoint, *, heartbeat: timedelta = HEARTBEAT) -> JetStreamBus:
    """Connect to a server and return its bus."""
    connection = Connection(endpoint)
    await connection.open()
    return JetStreamBus(connection, heartbeat=heartbeat)
