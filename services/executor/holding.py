"""Holding an act: signs of life while it is worked on, and whether it is still ours.

The server gives a delivery to another hand when it has heard nothing for the acknowledgement wait.
So a call may begin only a safe while after the last sign of life that the server has taken, and
only on the connection on which the act was taken. A hand that was silent for the whole wait has
lost the act for good: a later sign of life may be one for a delivery that another hand has by then.
"""

import asyncio
from contextlib import suppress
from datetime import timedelta
from types import TracebackType
from typing import Self

from shared.ports.event_log import Bus, BusUnavailable, Delivery

ACK_WAIT = timedelta(seconds=10)
BEAT = timedelta(seconds=2)
SAFE_FOR = ACK_WAIT / 2
"""A call that begins as late as this after a sign of life still ends within the wait."""


class Abandoned(Exception):  # noqa: N818 - the work goes to another hand
    """The act may be in another hand by now: nothing more may be done here."""


class Hold:
    """Keeps one delivery alive for as long as the block runs."""

    def __init__(self, bus: Bus, delivery: Delivery) -> None:
        self._bus = bus
        self._delivery = delivery
        self._generation = bus.generation
        self._taken_at = self._alive_at = asyncio.get_running_loop().time()
        self._lost = False
        self._beating: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._beating = asyncio.create_task(self._beat(), name="signs of life")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._beating is not None:
            self._beating.cancel()
            with suppress(asyncio.CancelledError):
                await self._beating

    @property
    def held_for(self) -> timedelta:
        """How long the act is in this hand, by no clock that anybody could set wrong."""
        return timedelta(seconds=asyncio.get_running_loop().time() - self._taken_at)

    @property
    def connected(self) -> bool:
        """Whether the connection is still the one on which the act was taken."""
        return self._generation == self._bus.generation

    def check(self) -> None:
        """Raise `Abandoned` unless a call may begin now."""
        if not self.connected:
            raise Abandoned("the connection to the bus was lost meanwhile")
        if self._lost:
            raise Abandoned("the server may have given it to another hand meanwhile")
        silent_for = asyncio.get_running_loop().time() - self._alive_at
        if silent_for > SAFE_FOR.total_seconds():
            raise Abandoned("no sign of life was taken for too long")

    async def _beat(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(BEAT.total_seconds())
            sent_at = loop.time()
            with suppress(BusUnavailable):
                await self._delivery.progress()
                self._lost = self._lost or loop.time() - self._alive_at >= ACK_WAIT.total_seconds()
                self._alive_at = sent_at
