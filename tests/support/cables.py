"""A cable to any TCP server that can be pulled: connections break, and new ones are refused."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TypeAlias

from tests.support.backstage import Backstage, backstage

CHUNK = 1 << 16
Ends: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Cable:
    """A port that leads to a server; `pull` and `plug` may be called from any thread."""

    def __init__(self, stage: Backstage, reach: Callable[[], Awaitable[Ends]]) -> None:
        self._stage = stage
        self._reach = reach
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self.port = 0

    def plug(self) -> None:
        """Let connections through, at the same port each time."""
        self._stage.do(self._plug())

    def pull(self) -> None:
        """Break every connection, and let none through."""
        self._stage.do(self._pull())

    async def _plug(self) -> None:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _pull(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in tuple(self._open):
            writer.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await self._reach()
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, far_writer}
        self._open |= ends
        both = (_flow(reader, far_writer), _flow(far_reader, writer))
        await asyncio.gather(*both)
        self._open -= ends


async def _flow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()
    writer.transport.abort()


@contextmanager
def cable_to(port: int) -> Iterator[Cable]:
    """Lead to a port of the loopback address while the block runs."""
    with backstage() as stage:
        cable = Cable(stage, partial(asyncio.open_connection, "127.0.0.1", port))
        cable.plug()
        try:
            yield cable
        finally:
            cable.pull()
