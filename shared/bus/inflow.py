"""One ephemeral push consumer, from its creation to its first sign of trouble.

Invariant: what `take` returns is gap-free. The consumer numbers what it sends, a missing number or
a heartbeat that knows of more than came means trouble, as do silence and a new connection; then
`broken` is set and nothing more is accepted. Flow control is answered when messages are taken, so a
slow reader slows the server down instead of filling memory. `tail.py` strings inflows together.
"""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

from msgspec import Struct
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from shared.bus.connection import Connection
from shared.bus.declarations import nanoseconds
from shared.bus.errors import ApiError
from shared.bus.states import Led
from shared.bus.wire import delivered, standing_of
from shared.kernel.instants import print_precisely
from shared.ports.event_log import (
    BusUnavailable,
    FromSequence,
    FromSnapshot,
    FromTime,
    Message,
    Start,
)

BEATS_MISSED_MOST = 2.5
_DATA = "$JS.ACK."


class Pace(Struct, frozen=True, kw_only=True):
    """How often a consumer says that it lives, and how long we wait to ask again."""

    heartbeat: timedelta = timedelta(seconds=1)
    retry: timedelta = timedelta(milliseconds=100)


class Wish(Struct, frozen=True, kw_only=True):
    """What somebody wants to read."""

    stream: str
    filters: tuple[str, ...]
    start: Start
    headers_only: bool = False


class _Made(Struct, frozen=True):
    name: str
    num_pending: int
    cluster: Led | None = None


class Inflow:
    """Messages of one consumer, in order."""

    def __init__(self, connection: Connection, pace: Pace) -> None:
        self._connection = connection
        self._beat = pace.heartbeat.total_seconds()
        self._loop = asyncio.get_running_loop()
        self._subscription: Subscription | None = None
        self._consumer: tuple[str, str] | None = None
        self._queue: list[Message] = []
        self._owed: list[str] = []
        self._news = asyncio.Event()
        self._heard_at = self._loop.time()
        self._watchdog: asyncio.TimerHandle | None = None
        self._forget = connection.on_reconnect(self._break)
        self._counted = 0
        self._expected = 0
        self.server = ""
        """Where the consumer stands, of several servers; empty if there is one only.

        What it knows of is what that server has.
        """
        self.broken = False
        self.complete = False
        """Everything that was there when the consumer was made has come."""
        self.quiet_at: int | None = None
        """The sequence up to which an idle consumer has looked."""

    @property
    def expected(self) -> int:
        """Count of messages that were there when the consumer was made."""
        return self._expected

    async def open(self, wish: Wish) -> None:
        """Make the consumer; on failure nothing is left behind."""
        inbox = self._connection.new_inbox()
        name = inbox.rpartition(".")[2]
        opened = False
        try:
            self._subscription = await self._connection.subscribe(inbox, self._receive)
            self._consumer = (wish.stream, name)
            body = {"stream_name": wish.stream, "config": self._config(wish, name, inbox)}
            verb = f"CONSUMER.CREATE.{wish.stream}.{name}"
            made = await self._connection.api(verb, body, _Made)
            opened = True
        finally:
            if not opened:
                await self.close()
        self._expected = made.num_pending
        self.server = made.cluster.leader if made.cluster else ""
        self.complete = self.complete or self._counted >= self._expected
        self._heard_at = self._loop.time()
        self._watch()

    async def wait(self) -> None:
        """Return when there is something to take, or trouble."""
        await self._news.wait()

    def take(self) -> list[Message]:
        """Return everything that has come; `settle` afterwards, or the server sends no more."""
        self._news.clear()
        if self.broken:
            self._news.set()
        messages, self._queue = self._queue, []
        return messages

    async def settle(self) -> None:
        """Let the server send more."""
        while self._owed:
            with suppress(BusUnavailable):
                await self._connection.publish(self._owed.pop())

    async def close(self) -> None:
        """Give the consumer back."""
        self._break()
        self._forget()
        if self._watchdog is not None:
            self._watchdog.cancel()
        if self._subscription is not None:
            await self._connection.unsubscribe(self._subscription)
            self._subscription = None
        if self._consumer is not None and self._connection.connected:
            stream, name = self._consumer
            self._consumer = None
            with suppress(BusUnavailable, ApiError):
                await self._connection.publish(f"$JS.API.CONSUMER.DELETE.{stream}.{name}")

    def _config(self, wish: Wish, name: str, inbox: str) -> Mapping[str, object]:
        return {
            "name": name,
            "deliver_subject": inbox,
            "filter_subjects": list(wish.filters),
            "ack_policy": "none",
            "max_deliver": 1,
            "mem_storage": True,
            "num_replicas": 1,
            "flow_control": True,
            "idle_heartbeat": round(self._beat * 1e9),
            "inactive_threshold": nanoseconds(timedelta(seconds=max(5.0, 5 * self._beat))),
            "headers_only": wish.headers_only,
            **_policy(wish.start),
        }

    async def _receive(self, raw: Msg) -> None:
        if self.broken:
            return
        self._heard_at = self._loop.time()
        if raw.reply.startswith(_DATA):
            self._accept(raw)
        else:
            self._control(raw.reply, raw.headers or {})

    def _accept(self, raw: Msg) -> None:
        standing = standing_of(raw.reply)
        if standing.order != self._counted + 1:
            self._break()
            return
        self._counted += 1
        self._queue.append(delivered(raw.subject, standing, raw.headers, raw.data))
        if standing.pending == 0 or self._counted >= self._expected > 0:
            self.complete = True
        self._news.set()

    def _control(self, reply: str, headers: Mapping[str, str]) -> None:
        if headers.get("Status") != "100":
            self._break()
        elif "Nats-Last-Consumer" in headers:
            self._heartbeat(headers)
        elif reply:
            self._owe(reply)

    def _heartbeat(self, headers: Mapping[str, str]) -> None:
        stalled = headers.get("Nats-Consumer-Stalled")
        if int(headers["Nats-Last-Consumer"]) != self._counted:
            self._break()
        elif stalled:
            self._owe(stalled)
        else:
            self.quiet_at = int(headers["Nats-Last-Stream"])
            if not self.complete:
                self.complete = True
                self._news.set()

    def _owe(self, reply: str) -> None:
        if reply not in self._owed:
            self._owed.append(reply)
        self._news.set()

    def _watch(self) -> None:
        if self._loop.time() - self._heard_at > self._beat * BEATS_MISSED_MOST:
            self._break()
        elif not self.broken:
            self._watchdog = self._loop.call_later(self._beat / 2, self._watch)

    def _break(self) -> None:
        self.broken = True
        self._news.set()


def _policy(start: Start) -> Mapping[str, object]:
    match start:
        case FromSnapshot():
            return {"deliver_policy": "last_per_subject"}
        case FromSequence(sequence=sequence):
            return {"deliver_policy": "by_start_sequence", "opt_start_seq": max(1, sequence)}
        case FromTime(at=at):
            return {"deliver_policy": "by_start_time", "opt_start_time": print_precisely(at)}
