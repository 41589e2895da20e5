"""The way to pods that really run: HTTP over sockets that are made inside their node.

Answers in the place of the scripted Ray, so that the proxy subresource and the door lead to real
dashboards. Read next: node.py for the sockets, `sandbox.api.proxying` for who asks.
"""

import asyncio
import contextlib
import socket
from typing import Any

import aiohttp

from sandbox.dashboard.names import Backend
from sandbox.dashboard.replies import REFUSED, Ask, Reply
from sandbox.objects import dig, rows
from sandbox.ray.node import Node
from sandbox.ray.probes import Probe, port_number

PATIENCE = 60.0
"""How long the API server waits for whom it speaks for."""
NOT_PASSED_ON = frozenset(("content-length", "transfer-encoding", "accept-encoding"))
WELL = range(200, 400)
AddressInfo = tuple[int, int, int, str, tuple[Any, ...]]


class PodNetwork:
    """HTTP and TCP to the pods of one node."""

    def __init__(self, node: Node) -> None:
        self._node = node
        connector = aiohttp.TCPConnector(socket_factory=self._socket, limit=0)
        self._session = aiohttp.ClientSession(connector=connector, trust_env=False)

    async def close(self) -> None:
        """Close every connection."""
        await self._session.close()

    async def answer(self, at: Backend, ask: Ask) -> Reply:
        """Put a question to a port of a pod, and wait as long as the answer takes."""
        host = dig(at.pod, "status.podIP")
        port = port_number(list(rows(at.pod, "spec.containers")), at.port)
        return await self._fetch(str(host), port, ask) if host and port else REFUSED

    async def _fetch(self, host: str, port: int, ask: Ask) -> Reply:
        headers = {key: value for key, value in ask.headers.items() if key not in NOT_PASSED_ON}
        limit = aiohttp.ClientTimeout(total=PATIENCE)
        url = f"http://{host}:{port}{ask.path}"
        try:
            async with self._session.request(
                ask.method, url, data=ask.body or None, headers=headers, timeout=limit
            ) as answer:
                body = await answer.read()
                kind = answer.headers.get("Content-Type")
                return Reply(status=answer.status, content_type=kind, body=body)
        except (aiohttp.ClientError, TimeoutError, OSError):
            return REFUSED

    async def well(self, host: str, probe: Probe) -> bool:
        """Ask a probe over the network, as a kubelet does."""
        if not probe.path:
            return await self._open(host, probe)
        limit = aiohttp.ClientTimeout(total=probe.timeout)
        try:
            async with self._session.get(
                f"http://{host}:{probe.port}{probe.path}", timeout=limit, allow_redirects=False
            ) as answer:
                return answer.status in WELL
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False

    async def _open(self, host: str, probe: Probe) -> bool:
        made = self._socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ()))
        with contextlib.closing(made):
            try:
                async with asyncio.timeout(probe.timeout):
                    await asyncio.get_running_loop().sock_connect(made, (host, probe.port))
            except (TimeoutError, OSError):
                return False
        return True

    def _socket(self, _: AddressInfo) -> socket.socket:
        made = self._node.anchor.socket()
        made.setblocking(False)
        return made
