"""Following and reading a stream in memory, with the same breaks and resets as on a real server."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from shared.bus.matching import Test, matcher
from shared.bus.memory_link import Link
from shared.bus.memory_stream import MemoryStream
from shared.ports.event_log import (
    Batch,
    FromSequence,
    FromSnapshot,
    FromTime,
    Message,
    News,
    Reset,
    Start,
)

SILENCE_NOTICED_AFTER = 2.5


def check_filters(filters: Sequence[str]) -> tuple[str, ...]:
    """Return the filters; raise if there is none, since that would mean all subjects."""
    if not filters:
        raise ValueError("reading needs at least one filter")
    return tuple(filters)


def first_messages(stream: MemoryStream, matches: Test, start: Start) -> tuple[Message, ...]:
    """Return what is there for a reader who starts now."""
    match start:
        case FromSnapshot():
            return stream.newest(matches)
        case FromSequence(sequence=sequence):
            return stream.after(max(1, sequence) - 1, matches)
        case FromTime(at=at):
            return stream.after(stream.position_before(at), matches)


def without_data(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages as a reader of headers sees them."""
    return tuple(replace(one, data=b"") for one in messages)


class MemoryTail:
    """News of some subjects, for ever."""

    def __init__(
        self, link: Link, stream: MemoryStream, filters: Sequence[str], start: Start
    ) -> None:
        self._link = link
        self._stream = stream
        self._start = start
        self._news = asyncio.Event()
        self._identity: str | None = None
        self._position: int | None = None
        self._seen: tuple[int, int] | None = None
        self._cuts = 0
        self._matches = matcher(check_filters(filters))
        self._endings = (stream.listen(self._hear), link.listen(self._news.set))
        if isinstance(start, FromSequence) and start.sequence > 1:
            self._position = start.sequence - 1

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for end in self._endings:
            end()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> News:
        if self._hears and not self._news.is_set():
            await self._wait()
        while True:
            self._news.clear()
            news = await self._look() if self._link.up else None
            if news is not None:
                return news
            await self._wait()

    def _hear(self, message: Message) -> None:
        """Wake for what is ours; whoever has read all before it has read past the rest."""
        if self._matches(message.subject):
            self._news.set()
        elif self._position == message.sequence - 1 and self._hears:
            self._position = message.sequence

    @property
    def _hears(self) -> bool:
        return self._link.up and self._seen == (self._link.generation, self._link.silences)

    async def _look(self) -> News | None:
        if self._link.latency:
            await asyncio.sleep(self._link.latency)
        if self._seen is None or self._seen[0] != self._link.generation:
            return self._open() if self._link.up else None
        if not self._link.up or self._silent:
            return None
        messages = self._stream.after(self._position or 0, self._matches)
        self._position = self._stream.last_sequence
        return Batch(messages=messages, synced=True) if messages else None

    @property
    def _silent(self) -> bool:
        return self._seen is not None and self._seen[1] != self._link.silences

    async def _wait(self) -> None:
        if not (self._silent and self._link.up):
            await self._news.wait()
            return
        noticed_at = self._link.silenced_at + SILENCE_NOTICED_AFTER
        await asyncio.sleep(noticed_at - asyncio.get_running_loop().time())
        self._seen = None

    def _open(self) -> News | None:
        end = self._stream.end()
        if self._lost(end.identity, end.first, end.last):
            self._identity = self._position = None
            self._start = FromSnapshot()
            return Reset()
        fresh = self._identity is None
        self._identity = end.identity
        self._seen = (self._link.generation, self._link.silences)
        self._cuts = len(self._stream.cuts)
        if fresh:
            messages = first_messages(self._stream, self._matches, self._start)
        else:
            messages = self._stream.after(self._position or 0, self._matches)
        self._position = end.last
        return Batch(messages=messages, synced=True) if messages or fresh else None

    def _lost(self, identity: str, first: int, last: int) -> bool:
        if self._identity not in (None, identity):
            return True
        if self._position is None:
            return False
        if not first - 1 <= self._position <= last:
            return True
        return self._identity is not None and any(
            cut < self._position for cut in self._stream.cuts[self._cuts :]
        )


class HeadersOnly:
    """A tail without the bodies."""

    def __init__(self, tail: MemoryTail) -> None:
        self._tail = tail

    async def __aenter__(self) -> Self:
        await self._tail.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._tail.__aexit__(kind, error, trace)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> News:
        news = await anext(self._tail)
        if isinstance(news, Batch):
            return replace(news, messages=without_data(news.messages))
        return news


async def read_all(
    link: Link, stream: MemoryStream, filters: Sequence[str], start: Start
) -> AsyncIterator[Message]:
    """Yield what is there now."""
    matches = matcher(check_filters(filters))
    for message in await link.ask(lambda: first_messages(stream, matches, start)):
        yield message
