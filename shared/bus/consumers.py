"""Work from a durable consumer, pulled into one hand and never more than it can hold.

One pull request is outstanding at a time and asks for the places that are free, so `most` is a hard
bound. A place is freed when its delivery is answered, or when the server would give it to
another hand anyway. Answers are requests themselves: who returns from `acknowledge` was heard.
"""

import asyncio
from collections import deque
from datetime import timedelta
from types import TracebackType
from typing import Self

import msgspec
from msgspec import Struct
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from shared.bus.connection import Connection
from shared.bus.declarations import nanoseconds
from shared.bus.wire import Standing, delivered, standing_of
from shared.ports.event_log import BusUnavailable, Delivery, Message

EXPIRES = timedelta(seconds=10)
BEAT = timedelta(seconds=1)
RETRY = 0.1
SILENCE = 2.5 * BEAT.total_seconds()
_DATA = "$JS.ACK."
_ALIVE = "100"
_OVER = ("404", "408")
"""Nothing came in time: ask again at once. Any other answer is trouble: look first."""


class _Config(Struct, frozen=True):
    ack_wait: int


class _Info(Struct, frozen=True):
    config: _Config


class Hand:
    """One worker's share of a durable consumer."""

    def __init__(self, connection: Connection, stream: str, consumer: str, *, most: int) -> None:
        self._connection = connection
        self._path = f"{stream}.{consumer}"
        self._most = most
        self._queue: deque[PulledDelivery] = deque()
        self._held: dict[int, float] = {}
        self._asked = 0
        self._round = 0
        self._heard_at = 0.0
        self._ack_wait = 0.0
        self._known = False
        self._inbox = connection.new_inbox()
        self._subscription: Subscription | None = None
        self._news = asyncio.Event()
        self._forget = connection.on_reconnect(self._start_over)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._forget()
        if self._subscription is not None:
            await self._connection.unsubscribe(self._subscription)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Delivery:
        while not self._queue:
            try:
                await self._ask()
            except BusUnavailable:
                await asyncio.sleep(RETRY)
                continue
            await self._listen()
        return self._queue.popleft()

    def release(self, sequence: int) -> None:
        """Free the place of an answered delivery."""
        if self._held.pop(sequence, None) is not None:
            self._news.set()

    def extend(self, sequence: int) -> None:
        """Keep the place for another whole wait."""
        if sequence in self._held:
            self._held[sequence] = asyncio.get_running_loop().time() + self._ack_wait

    async def _ask(self) -> None:
        if not self._known:
            info = await self._connection.api(f"CONSUMER.INFO.{self._path}", None, _Info)
            self._ack_wait = info.config.ack_wait / 1e9
            self._known = True
        if self._subscription is None:
            self._subscription = await self._connection.subscribe(f"{self._inbox}.*", self._receive)
        free = self._most - len(self._living())
        if self._asked or free <= 0:
            return
        self._round += 1
        request = {
            "batch": free,
            "expires": nanoseconds(EXPIRES),
            "idle_heartbeat": nanoseconds(BEAT),
        }
        await self._connection.publish(
            f"$JS.API.CONSUMER.MSG.NEXT.{self._path}",
            msgspec.json.encode(request),
            reply=f"{self._inbox}.{self._round}",
        )
        self._asked = free
        self._heard_at = asyncio.get_running_loop().time()

    def _living(self) -> dict[int, float]:
        now = asyncio.get_running_loop().time()
        self._held = {sequence: until for sequence, until in self._held.items() if until > now}
        return self._held

    async def _listen(self) -> None:
        self._news.clear()
        try:
            async with asyncio.timeout(BEAT.total_seconds()):
                await self._news.wait()
        except TimeoutError:
            if self._asked and asyncio.get_running_loop().time() - self._heard_at > SILENCE:
                await self._abandon()

    async def _receive(self, raw: Msg) -> None:
        if raw.reply.startswith(_DATA):
            self._accept(raw)
        elif raw.subject == f"{self._inbox}.{self._round}":
            self._heard_at = asyncio.get_running_loop().time()
            self._hear((raw.headers or {}).get("Status", ""))

    def _hear(self, status: str) -> None:
        if status in _OVER:
            self._start_over()
        elif status != _ALIVE:
            self._known = False
            asyncio.get_running_loop().call_later(RETRY, self._start_over)

    def _accept(self, raw: Msg) -> None:
        now = asyncio.get_running_loop().time()
        standing = standing_of(raw.reply)
        self._asked = max(0, self._asked - 1)
        self._heard_at = now
        self._held[standing.sequence] = now + self._ack_wait
        self._queue.append(PulledDelivery(self._connection, self, raw, standing))
        self._news.set()

    def _start_over(self) -> None:
        self._asked = 0
        self._round += 1
        self._news.set()

    async def _abandon(self) -> None:
        """Ask again under another name, so that a late answer cannot overfill the hand."""
        if self._subscription is not None:
            subscription, self._subscription = self._subscription, None
            await self._connection.unsubscribe(subscription)
        self._inbox = self._connection.new_inbox()
        self._start_over()


class PulledDelivery:
    """One message in this hand."""

    def __init__(self, connection: Connection, hand: Hand, raw: Msg, standing: Standing) -> None:
        self._connection = connection
        self._hand = hand
        self._reply = raw.reply
        self.message: Message = delivered(raw.subject, standing, raw.headers, raw.data)
        self.attempt: int = standing.attempt
        self.order: int = standing.order

    async def acknowledge(self) -> None:
        """Tell the server that it is done."""
        await self._answer(b"+ACK")

    async def progress(self) -> None:
        """Tell the server that it is being worked on."""
        self._hand.extend(self.message.sequence)
        await self._connection.request(self._reply, b"+WPI")

    async def later(self, after: timedelta) -> None:
        """Tell the server to deliver it again after a while."""
        delay = msgspec.json.encode({"delay": nanoseconds(after)})
        await self._answer(b"-NAK " + delay)

    async def _answer(self, word: bytes) -> None:
        try:
            await self._connection.request(self._reply, word)
        finally:
            self._hand.release(self.message.sequence)
