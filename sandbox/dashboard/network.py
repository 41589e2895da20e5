"""The network between HTTP and the scripted Ray: one question in, one answer out, perhaps late.

Nothing is decided here: `sandbox.dashboard.fleet` answers, this waits out the delay and breaks the
connection where nobody listens. Read next: door.py; `sandbox.api.proxying` for the way through the
API server.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from aiohttp import web

from sandbox.controllers.rayrules import RayScript
from sandbox.dashboard.fleet import Fleet
from sandbox.dashboard.names import Backend
from sandbox.dashboard.replies import REFUSED, Ask, Reply

HOP_BY_HOP = frozenset(("connection", "proxy-connection", "proxy-authorization", "host"))


class Network:
    """The way to every pod of one cluster."""

    def __init__(
        self,
        fleet: Fleet,
        clock: Callable[[], datetime],
        script: Callable[[], RayScript],
        wake: Callable[[], None],
    ) -> None:
        self.fleet = fleet
        self.clock = clock
        self.script = script
        self._wake = wake
        self.really: Callable[[Backend, Ask], Awaitable[Reply]] | None = None
        """Who answers where pods are not played but run."""
        self.heard: Callable[[Backend, Ask], None] = _nobody_listens
        """Told of every question, for whoever counts them."""

    async def ask(self, at: Backend | None, ask: Ask) -> Reply:
        """Put a question to a port of a pod, and wait as long as the answer takes."""
        reply = REFUSED
        if at is not None:
            self.heard(at, ask)
        if at is not None and self.really is not None:
            return await self.really(at, ask)
        if at is not None:
            reply = self.fleet.ask(at, ask, self.clock(), self.script())
            self._wake()
        if reply.delay:
            await asyncio.sleep(reply.delay)
        return reply


def _nobody_listens(_at: Backend, _ask: Ask) -> None:
    """Let a question pass unnoticed."""


async def asked(http: web.BaseRequest, path: str) -> Ask:
    """Read a question from an HTTP request; `path` is what the asked one gets to see."""
    headers = {
        name.lower(): value
        for name, value in http.headers.items()
        if name.lower() not in HOP_BY_HOP
    }
    return Ask(method=http.method, path=path, body=await http.read(), headers=headers)


def response(reply: Reply) -> web.Response:
    """Write an answer out."""
    answer = web.Response(status=reply.status, body=reply.body)
    if reply.content_type is None:
        answer.headers.pop("Content-Type", None)
    else:
        answer.headers["Content-Type"] = reply.content_type
    return answer
