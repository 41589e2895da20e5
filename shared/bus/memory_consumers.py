"""Durable consumers in memory: each message in one hand at a time, and again if not acknowledged.

The consumer outlives its hands. Hands are served in turn; what a closed hand held comes back after
the acknowledgement wait, as on a real server.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from datetime import timedelta
from types import TracebackType
from typing import Self

from shared.bus.matching import matcher
from shared.bus.memory_link import Link
from shared.bus.memory_stream import MemoryStream
from shared.ports.event_log import Backlog, Delivery, Message


class MemoryConsumer:
    """The server's side: who holds what, and until when."""

    def __init__(
        self,
        stream: MemoryStream,
        patterns: Sequence[str],
        wait: timedelta,
        most: int,
        *,
        start: int = 1,
    ) -> None:
        self._stream = stream
        self._wait = wait.total_seconds()
        self._next = start
        self._given = 0
        self.change(patterns, most)
        self._again: deque[int] = deque()
        self._out: dict[int, asyncio.TimerHandle] = {}
        self._attempts: dict[int, int] = {}
        self._hands: deque[MemoryHand] = deque()
        self._listeners: list[Callable[[int], None]] = []
        stream.listen(lambda _: self.pump())

    def listen(self, listener: Callable[[int], None]) -> None:
        """Call the listener for each message that is acknowledged."""
        self._listeners.append(listener)

    def change(self, patterns: Sequence[str], most: int) -> None:
        """Give out other subjects from now on, or more of them at once."""
        self._matches = matcher(patterns)
        self._most = most

    def rewind(self, to: int | None) -> None:
        """Begin again at a sequence, or at the first that was not acknowledged."""
        open_ones = (*self._out, *self._again, self._next)
        for sequence in tuple(self._out):
            self.drop(sequence)
            for hand in self._hands:
                hand.release(sequence)
        self._again.clear()
        self._attempts.clear()
        self._given = 0
        self._next = min(open_ones) if to is None else to
        self.pump()

    def backlog(self) -> Backlog:
        """Count what was never delivered, and what is in hands."""
        ahead = self._stream.after(self._next - 1, self._matches)
        return Backlog(waiting=len(ahead), held=len(self._out) + len(self._again))

    def join(self, hand: "MemoryHand") -> None:
        """Serve one more hand."""
        self._hands.append(hand)
        self.pump()

    def leave(self, hand: "MemoryHand") -> None:
        """Serve a hand no more."""
        self._hands.remove(hand)

    def forget(self) -> None:
        """Start anew, after the stream went backwards or became another one."""
        for timer in self._out.values():
            timer.cancel()
        self._out.clear()
        self._again.clear()
        last = self._stream.last_sequence
        self._attempts = {key: count for key, count in self._attempts.items() if key <= last}
        self._next = min(self._next, last + 1)
        self.pump()

    def pump(self) -> None:
        """Give out what can be given."""
        while len(self._out) < self._most and (hand := self._free_hand()):
            message = self._take()
            if message is None:
                return
            attempt = self._attempts.get(message.sequence, 0) + 1
            self._attempts[message.sequence] = attempt
            self.hold(message.sequence, self._wait)
            self._given += 1
            hand.receive(message, attempt, self._given)

    def hold(self, sequence: int, seconds: float) -> None:
        """Deliver it again unless answered within this time."""
        self.drop(sequence)
        loop = asyncio.get_running_loop()
        self._out[sequence] = loop.call_later(seconds, self._return, sequence)

    def progress(self, sequence: int) -> None:
        """Grant another whole wait."""
        if sequence in self._out:
            self.hold(sequence, self._wait)

    def acknowledge(self, sequence: int) -> None:
        """Never deliver it again."""
        self.drop(sequence)
        self._attempts.pop(sequence, None)
        if sequence in self._again:
            self._again.remove(sequence)
        for listener in self._listeners:
            listener(sequence)
        self.pump()

    def drop(self, sequence: int) -> None:
        """Forget the running wait."""
        timer = self._out.pop(sequence, None)
        if timer is not None:
            timer.cancel()

    def _return(self, sequence: int) -> None:
        del self._out[sequence]
        for hand in self._hands:
            hand.release(sequence)
        self._again.append(sequence)
        self.pump()

    def _free_hand(self) -> "MemoryHand | None":
        for _ in range(len(self._hands)):
            self._hands.rotate(-1)
            if self._hands[-1].free:
                return self._hands[-1]
        return None

    def _take(self) -> Message | None:
        while self._again:
            message = self._stream.get(self._again.popleft())
            if message is not None:
                return message
        while self._next <= self._stream.last_sequence:
            message = self._stream.get(self._next)
            self._next += 1
            if message is not None and self._matches(message.subject):
                return message
        return None


class MemoryHand:
    """One worker's share."""

    def __init__(self, link: Link, consumer: MemoryConsumer, most: int) -> None:
        self._link = link
        self._consumer = consumer
        self._most = most
        self._held: set[int] = set()
        self._queue: asyncio.Queue[MemoryDelivery] = asyncio.Queue()
        self._end = link.listen(consumer.pump)

    @property
    def free(self) -> bool:
        """Tell whether it can take one more."""
        return self._link.up and len(self._held) < self._most

    async def __aenter__(self) -> Self:
        self._consumer.join(self)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()
        self._consumer.leave(self)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Delivery:
        delivery = await self._queue.get()
        if self._link.latency:
            await asyncio.sleep(self._link.latency)
        return delivery

    def receive(self, message: Message, attempt: int, order: int) -> None:
        """Take a message."""
        self._held.add(message.sequence)
        delivery = MemoryDelivery(self._link, self._consumer, self, message, attempt)
        delivery.order = order
        self._queue.put_nowait(delivery)

    def release(self, sequence: int) -> None:
        """Free a place."""
        self._held.discard(sequence)


class MemoryDelivery:
    """One message in one hand."""

    def __init__(
        self,
        link: Link,
        consumer: MemoryConsumer,
        hand: MemoryHand,
        message: Message,
        attempt: int,
    ) -> None:
        self._link = link
        self._consumer = consumer
        self._hand = hand
        self.message: Message = message
        self.attempt: int = attempt
        self.order: int = 0

    async def acknowledge(self) -> None:
        """Say that it is done."""
        self._hand.release(self.message.sequence)
        await self._link.ask(lambda: self._consumer.acknowledge(self.message.sequence))

    async def progress(self) -> None:
        """Ask for another whole wait."""
        await self._link.ask(lambda: self._consumer.progress(self.message.sequence))

    async def later(self, after: timedelta) -> None:
        """Give it back for a while."""
        seconds = after.total_seconds()
        self._hand.release(self.message.sequence)
        await self._link.ask(lambda: self._consumer.hold(self.message.sequence, seconds))
