"""The addresses of services, held open on the node: what kube-proxy is to a cluster.

Every new connection goes to the next pod in turn that its service leads to at that moment. Once
made it stays where it is, whatever becomes of the service: only its two ends can end it. A pod that
refuses is not made up for by another; its client sees the connection end. Read next: routes.py.
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable
from itertools import count

from sandbox.ray.node import Node
from sandbox.ray.routes import Routes, Spot

log = logging.getLogger(__name__)

LOOK_EVERY = 0.1
CONNECTS_WITHIN = 10.0
CHUNK = 65_536
WAITING_MAX = 256


class ServiceProxy:
    """All addresses of one node's services."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._routes: Routes = {}
        self._open: dict[Spot, asyncio.Server | None] = {}
        self._connections: set[asyncio.Task[None]] = set()
        self._turns = count()

    async def keep(self, look: Callable[[], Routes]) -> None:
        """Follow what there is to see, until cancelled."""
        while True:
            await self.lead(look())
            await asyncio.sleep(LOOK_EVERY)

    async def lead(self, routes: Routes) -> None:
        """Send new connections where these routes say; refuse what they do not name."""
        self._routes = routes
        for spot in [spot for spot in self._open if spot not in routes]:
            server = self._open.pop(spot)
            if server is not None:
                server.close()
        for spot in [spot for spot in routes if spot not in self._open]:
            self._open[spot] = await self._listen(spot)

    async def close(self) -> None:
        """Refuse everything, and end every connection."""
        await self.lead({})
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _listen(self, spot: Spot) -> asyncio.Server | None:
        """Hold an address open; one that is not of the range of services cannot be."""

        def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            name = f"connection to {spot}"
            task = asyncio.create_task(self._serve(spot, reader, writer), name=name)
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)

        made = self._node.anchor.socket()
        made.setblocking(False)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind(spot)
        except OSError as refused:
            made.close()
            log.warning("address of a service cannot be held", extra={"error": str(refused)})
            return None
        return await asyncio.start_server(accepted, sock=made, backlog=WAITING_MAX)

    async def _serve(
        self, spot: Spot, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Carry one connection to its end."""
        try:
            there, back = await self._reach(spot)
        except (OSError, TimeoutError):
            writer.transport.abort()
            return
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(_carry(reader, back))
                both.create_task(_carry(there, writer))
        except* OSError:
            writer.transport.abort()
            back.transport.abort()
        finally:
            writer.close()
            back.close()

    async def _reach(self, spot: Spot) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        targets = self._routes.get(spot, ())
        if not targets:
            raise ConnectionRefusedError("the service leads nowhere any more")
        target = targets[next(self._turns) % len(targets)]
        made = self._node.anchor.socket()
        made.setblocking(False)
        with contextlib.ExitStack() as undoing:
            undoing.enter_context(made)
            async with asyncio.timeout(CONNECTS_WITHIN):
                await asyncio.get_running_loop().sock_connect(made, target)
                reached = await asyncio.open_connection(sock=made)
            undoing.pop_all()
        return reached


async def _carry(source: asyncio.StreamReader, goal: asyncio.StreamWriter) -> None:
    """Carry what comes to the other end, and then the word that nothing more will come."""
    while chunk := await source.read(CHUNK):
        goal.write(chunk)
        await goal.drain()
    with contextlib.suppress(OSError, RuntimeError):
        goal.write_eof()
