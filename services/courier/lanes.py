"""What is in hand: events of one resource one after another, those of many side by side.

A lane is a resource. Its next event begins when the one before is over, whatever became of that.
Everything in hand is kept from being given to another hand. A message that comes once more while
it is in hand is the same message, and only the newest hand's word counts.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from datetime import timedelta

from shared.ports.event_log import BusUnavailable, Delivery, Message

Deliver = Callable[[Message], Awaitable[None]]


class Lanes:
    """Deliveries in hand, by lane; `deliver` carries one and acknowledges it."""

    def __init__(self, group: asyncio.TaskGroup, deliver: Deliver) -> None:
        self._group = group
        self._deliver = deliver
        self._lanes: dict[str, deque[Message]] = {}
        self._held: dict[int, Delivery] = {}

    def put(self, delivery: Delivery) -> None:
        """Take one more."""
        message = delivery.message
        known = message.sequence in self._held
        self._held[message.sequence] = delivery
        if known:
            return
        lane = message.subject.rpartition(".")[0]
        waiting = self._lanes.get(lane)
        if waiting is not None:
            waiting.append(message)
            return
        self._lanes[lane] = deque([message])
        self._group.create_task(self._walk(lane), name=f"lane {lane}")

    async def acknowledge(self, message: Message) -> None:
        """Say that a message is done."""
        await self._held[message.sequence].acknowledge()
        del self._held[message.sequence]

    async def keep(self, every: timedelta) -> None:
        """Keep what is in hand, for ever."""
        while True:
            await asyncio.sleep(every.total_seconds())
            await asyncio.gather(*map(self._keep_one, tuple(self._held.values())))

    async def _keep_one(self, delivery: Delivery) -> None:
        try:
            await delivery.progress()
        except BusUnavailable:
            if delivery.message.sequence in self._held:  # else it is done, and nobody answers
                raise

    async def _walk(self, lane: str) -> None:
        waiting = self._lanes[lane]
        while waiting:
            await self._deliver(waiting[0])
            waiting.popleft()
        del self._lanes[lane]
