"""A real NATS server for tests: one per session, started over for each test."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from shared.bus.connection import Connection, Endpoint
from shared.bus.declarations import LOG, Installation, consumers, nanoseconds
from shared.bus.jetstream import JetStreamBus
from shared.bus.server import NatsServer
from shared.bus.streams import init

HEARTBEAT = timedelta(seconds=0.2)


@contextmanager
def running_server(folder: Path) -> Iterator[NatsServer]:
    """Run a server for as long as the context lasts."""
    server = NatsServer(folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


async def open_connection(server: NatsServer, name: str = "test") -> Connection:
    """Connect with little patience."""
    connection = Connection(
        Endpoint(servers=(server.url,), name=name, answer_within=2.0, reconnect_after=0.02)
    )
    await connection.open()
    return connection


async def fresh(server: NatsServer, ack_wait: timedelta) -> Connection:
    """Start the server over with nothing but the streams, and connect.

    Deleting streams would not do: one that is made, deleted and made again within moments may come
    back with what it held.
    """
    server.kill()
    shutil.rmtree(server.store, ignore_errors=True)
    server.start()
    connection = await open_connection(server)
    await init(connection, Installation())
    for config in consumers():
        body = {"stream_name": LOG, "config": {**config, "ack_wait": nanoseconds(ack_wait)}}
        await connection.api(f"CONSUMER.CREATE.{LOG}.{config['name']}", body, dict[str, Any])
    return connection


class NatsWorld:
    """Everything a contract test may do to a real bus."""

    def __init__(self, server: NatsServer, connection: Connection) -> None:
        self._server = server
        self._connection = connection
        self._others: list[Connection] = []
        self.bus = JetStreamBus(connection, heartbeat=HEARTBEAT)

    async def client(self, name: str) -> JetStreamBus:
        """Connect once more."""
        self._others.append(await open_connection(self._server, name))
        return JetStreamBus(self._others[-1], heartbeat=HEARTBEAT)

    async def silence(self) -> None:
        """Delete every consumer of the log that is not durable, behind its reader's back."""
        names = await self._connection.api(f"CONSUMER.NAMES.{LOG}", None, dict[str, Any])
        for name in set(names["consumers"]) - {str(one["name"]) for one in consumers()}:
            await self._connection.api(f"CONSUMER.DELETE.{LOG}.{name}", None, dict[str, Any])

    async def restart(self) -> None:
        """Crash the server and start it again."""
        await self.stop()
        await self.start()

    async def stop(self) -> None:
        """Crash the server."""
        self._server.kill()
        await self._until(connected=False)

    async def start(self) -> None:
        """Start the server again, and wait until everybody is back."""
        self._server.start()
        await self._until(connected=True)

    async def save(self) -> None:
        """Keep a copy of everything stored."""
        await self._stop_gently()
        shutil.rmtree(self._copy, ignore_errors=True)
        shutil.copytree(self._server.store, self._copy)
        await self.start()

    async def go_back(self) -> None:
        """Start again from the copy."""
        await self._stop_gently()
        shutil.rmtree(self._server.store)
        shutil.move(self._copy, self._server.store)
        await self.start()

    async def wipe(self, first_sequence: int) -> None:
        """Lose the log and make another."""
        await self._connection.api(f"STREAM.DELETE.{LOG}", None, dict[str, Any])
        await init(self._connection, Installation(first_sequence=first_sequence))

    async def close(self) -> None:
        """Disconnect every client."""
        for connection in (*self._others, self._connection):
            await connection.close()

    @property
    def _copy(self) -> Path:
        return self._server.folder / "copy"

    async def _stop_gently(self) -> None:
        self._server.stop()
        await self._until(connected=False)

    async def _until(self, *, connected: bool) -> None:
        async with asyncio.timeout(10):
            everyone = (*self._others, self._connection)
            while any(one.connected is not connected for one in everyone):  # noqa: ASYNC110 - a test
                await asyncio.sleep(0.01)
