"""A snapshot and everything after it, as one stream that outlives consumers and connections.

Invariant: between two `Reset`s every message is given once, in order, without a gap. After each
break the next consumer starts right behind the last message given. If the log is another one, ends
before that message, was trimmed past it, or holds another message in its place, then what was read
is no prefix of it any more: `Reset`, and a new snapshot.

Of three servers, one that came back a moment ago has yet to copy what it missed, and a consumer
there takes what it has for everything. Servers choose where a consumer stands; here it is made
again until it stands beside the stream's leader.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from shared.bus.connection import Connection
from shared.bus.errors import NO_MESSAGE, ApiError
from shared.bus.inflow import Inflow, Pace, Wish
from shared.bus.states import read_standing
from shared.bus.wire import Stored, read_stored
from shared.ports.event_log import (
    Batch,
    BusUnavailable,
    FromSequence,
    FromSnapshot,
    LogEnd,
    Message,
    News,
    Reset,
)

log = logging.getLogger(__name__)

PLACES_TRIED = 24
"""One of three is the right one, by chance."""


class _Found(Struct, frozen=True):
    message: Stored


class Tail:
    """News of some subjects, for ever."""

    def __init__(self, connection: Connection, pace: Pace, wish: Wish) -> None:
        check(wish)
        self._connection = connection
        self._pace = pace
        self._wish = wish
        self._inflow: Inflow | None = None
        self._identity: str | None = None
        self._position: int | None = None
        self._last: Message | None = None
        self._synced = False
        self._ready: deque[News] = deque()
        if isinstance(wish.start, FromSequence) and wish.start.sequence > 1:
            self._position = wish.start.sequence - 1

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._drop()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> News:
        while not self._ready:
            if self._inflow is None:
                await self._open()
            else:
                await self._inflow.wait()
                self._collect(self._inflow)
                await self._inflow.settle()
                if self._inflow.broken and not self._ready:
                    self._collect(self._inflow)  # what came meanwhile: dropping skips over it
                if self._inflow.broken and not self._ready:
                    await self._drop()
        return self._ready.popleft()

    def _collect(self, inflow: Inflow) -> None:
        messages = inflow.take()
        if messages:
            self._last = messages[-1]
            self._position = self._last.sequence
        if messages or (inflow.complete and not self._synced):
            self._synced = self._synced or inflow.complete
            self._ready.append(Batch(messages=tuple(messages), synced=self._synced))

    async def _drop(self) -> None:
        inflow, self._inflow = self._inflow, None
        if inflow is not None:
            if inflow.quiet_at is not None:
                self._position = max(self._position or 0, inflow.quiet_at)
            await inflow.close()

    async def _open(self) -> None:
        try:
            standing = await read_standing(self._connection, self._wish.stream)
            end = standing.end
            if await self._lost(end):
                self._reset()
            inflow = await _open(self._connection, self._pace, self._resumed(), standing.leader)
        except BusUnavailable as error:
            log.debug("tail waits for the bus", extra={"stream": self._wish.stream, "why": error})
            await asyncio.sleep(self._pace.retry.total_seconds())
            return
        self._identity = end.identity
        self._inflow = inflow
        if inflow.expected == 0:
            self._position = max(self._position or 0, end.last)
            self._collect(inflow)

    def _resumed(self) -> Wish:
        if self._position is None:
            return self._wish
        return replace(self._wish, start=FromSequence(self._position + 1))

    async def _lost(self, end: LogEnd) -> bool:
        if self._identity not in (None, end.identity):
            return True
        if self._position is None:
            return False
        if not end.first - 1 <= self._position <= end.last:
            return True
        return self._last is not None and await self._differs(self._last)

    async def _differs(self, given: Message) -> bool:
        verb = f"STREAM.MSG.GET.{self._wish.stream}"
        try:
            found = await self._connection.api(verb, {"seq": given.sequence}, _Found)
        except ApiError as error:
            if error.problem.err_code == NO_MESSAGE:
                return False
            raise
        there = read_stored(found.message)
        return (there.at, there.subject) != (given.at, given.subject)

    def _reset(self) -> None:
        self._ready.append(Reset())
        self._wish = replace(self._wish, start=FromSnapshot())
        self._position = self._last = None
        self._synced = False


def check(wish: Wish) -> None:
    """Raise unless the wish names subjects: no filter would mean all of them."""
    if not wish.filters:
        raise ValueError("reading needs at least one filter")


async def _open(connection: Connection, pace: Pace, wish: Wish, leader: str | None) -> Inflow:
    """Make a consumer beside the leader, which alone is sure to have everything."""
    for _ in range(PLACES_TRIED):
        inflow = Inflow(connection, pace)
        await inflow.open(wish)
        if leader is None or (leader and inflow.server == leader):
            return inflow
        await inflow.close()
    raise BusUnavailable(f"no consumer can be had beside {leader}, which leads {wish.stream}")


async def read_all(connection: Connection, pace: Pace, wish: Wish) -> AsyncIterator[Message]:
    """Yield what is there now; raise `BusUnavailable` if the reading breaks off."""
    check(wish)
    standing = await read_standing(connection, wish.stream)
    inflow = await _open(connection, pace, wish, standing.leader)
    try:
        left = inflow.expected
        while left > 0:
            await inflow.wait()
            messages = inflow.take()
            await inflow.settle()
            for message in messages[:left]:
                yield message
            left -= len(messages)
            if inflow.complete:
                return
            if inflow.broken and left > 0 and not messages:
                raise BusUnavailable("the reading broke off")
    finally:
        await inflow.close()
