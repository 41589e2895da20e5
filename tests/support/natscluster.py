"""Three NATS servers that keep one log together, each killable."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from shared.bus.connection import Connection, Endpoint, connected
from shared.bus.declarations import LOG
from shared.bus.server import NatsServer
from shared.bus.states import read_standing
from shared.ports.event_log import BusUnavailable
from tests.support.processes import Installation, free_port

T = TypeVar("T")
SIZE = 3
AGREED_WITHIN = 60.0
LOOK_EVERY = 0.2


def side_by_side(folder: Path) -> list[NatsServer]:
    """Return servers that share the loopback address."""
    routes = [f"127.0.0.1:{free_port()}" for _ in range(SIZE)]
    return [
        NatsServer(
            folder / f"nats-{number}",
            port=free_port(),
            sync_interval="always",
            more=membership(number, routes),
        )
        for number in range(SIZE)
    ]


def membership(number: int, routes: Sequence[str]) -> tuple[str, ...]:
    """Return what tells a server who it is, and where the others are.

    Clients are told of no other server: they know all, by the way that leads there.
    """
    known = ", ".join(f'"nats://{route}"' for route in routes)
    here = f"listen: {routes[number]}, no_advertise: true"
    return (
        f"server_name: nats-{number}",
        f"cluster {{ name: heliograph, {here}, routes: [{known}] }}",
    )


class NatsCluster:
    """The servers; the first is the installation's own, so that readers find it."""

    def __init__(self, servers: Sequence[NatsServer]) -> None:
        self.servers = servers

    @property
    def url(self) -> str:
        """Where clients connect: to any of them."""
        return ",".join(server.url for server in self.servers)

    @property
    def endpoint(self) -> Endpoint:
        """How a patient client of all three connects."""
        urls = tuple(server.url for server in self.servers)
        return Endpoint(servers=urls, name="test", answer_within=5.0, reconnect_after=0.05)

    def start(self) -> None:
        """Start all."""
        for server in self.servers:
            server.start()

    async def agreed(self) -> None:
        """Wait until they have chosen who leads."""
        async with asyncio.timeout(AGREED_WITHIN), connected(self.endpoint) as connection:
            await patiently(lambda: connection.api("STREAM.NAMES", None, dict[str, object]))

    async def leader(self, connection: Connection) -> NatsServer:
        """Return the server that leads the log."""
        name = (await read_standing(connection, LOG)).leader or ""
        return self.servers[int(name.rpartition("-")[2])]

    def begin(self, here: Installation) -> tuple[str, ...]:
        """Start all, as the bus of an installation; return what its streams are made with."""
        here.nats = self.servers[0]
        self.start()
        asyncio.run(self.agreed())
        here.nats_url = self.url
        return ("--log-replicas", str(SIZE))

    def close(self) -> None:
        """End all that run."""
        for server in self.servers:
            server.kill()


async def patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask again for as long as nobody answers, as while servers choose who leads."""
    while True:
        try:
            return await ask()
        except BusUnavailable:
            await asyncio.sleep(LOOK_EVERY)
