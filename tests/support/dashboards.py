"""A Ray dashboard played from a script: recordings of a real one, or whatever a test makes up.

Each request takes the next answer of its method and path; the last one stays. What was asked is
kept, so that a test can compare it with what was recorded.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import ClientSession, web
from aiohttp.test_utils import TestServer
from msgspec import Struct

from shared.ports.dashboard import DashboardFailed, Failure, Place

RECORDINGS = Path(__file__).resolve().parents[3] / "shared" / "data" / "ray-dashboard"
TOKEN = "0123456789abcdef-token"
SECRET = "demo-token"

_CUT = "<5 more>"
"""Where a long list was cut in a recording."""

Play = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Asked(Struct, frozen=True, kw_only=True):
    """One request that came in."""

    method: str
    path: str
    headers: dict[str, str]
    json: object


class Script:
    """What to answer, by method and path, and what was asked."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self._answers: dict[tuple[str, str], list[Play]] = {}
        self._somebody: Play | None = None

    def plays(self, method: str, path: str, *answers: Play) -> None:
        """Answer these, one after another, the last one for good."""
        self._answers[method, path] = list(answers)

    def asks(self, somebody: Play) -> None:
        """Leave every answer to somebody."""
        self._somebody = somebody

    def records(self, *names: str) -> None:
        """Answer what was recorded under these names, in this order."""
        for name in names:
            found = recording(name)
            key = (str(found["request"]["method"]), str(found["request"]["path"]))
            self._answers.setdefault(key, []).append(replay(found["response"]))

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Take the next answer of this method and path."""
        body = await request.read()
        path = request.path
        self.asked.append(
            Asked(
                method=request.method,
                path=request.raw_path,
                headers={name.lower(): value for name, value in request.headers.items()},
                json=json.loads(body) if body else None,
            )
        )
        if self._somebody is not None:
            return await self._somebody(request)
        answers = self._answers.get((request.method, path))
        if not answers:
            return web.Response(status=404, text="404: Not Found")
        play = answers.pop(0) if len(answers) > 1 else answers[0]
        return await play(request)


def recording(name: str) -> dict[str, dict[str, object]]:
    """Return one exchange with a real dashboard."""
    return json.loads((RECORDINGS / f"{name}.json").read_text())  # type: ignore[no-any-return]


def replay(response: dict[str, object]) -> Play:
    """Answer as was recorded."""
    if "body" in response:
        body = response["body"]
        whole = [one for one in body if one != _CUT] if isinstance(body, list) else body
        return says(response["status"], json.dumps(whole), "application/json")
    return says(response["status"], str(response["text"]))


def says(status: object, text: str, content_type: str = "text/plain") -> Play:
    """Answer this."""

    async def play(_: web.Request) -> web.StreamResponse:
        return web.Response(status=int(str(status)), text=text, content_type=content_type)

    return play


async def token_of(namespace: str, name: str) -> str:
    """Read the token of the only Secret there is."""
    if name != SECRET:
        told = f"failed to get auth secret {namespace}/{name}: not found"
        raise DashboardFailed(Failure.UNAUTHORIZED, told)
    return TOKEN


@asynccontextmanager
async def played(script: Script) -> AsyncIterator[tuple[ClientSession, str]]:
    """Serve a script; give a session and the address, without a scheme."""
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", script.answer)
    server = TestServer(app)
    await server.start_server()
    try:
        async with ClientSession() as http:
            yield http, f"{server.host}:{server.port}"
    finally:
        await server.close()


def place_at(address: str, *, secret: str = "") -> Place:
    """Return the place of the dashboard at an address."""
    return Place(namespace="prod", address=address, service="demo-head-svc", secret=secret)
