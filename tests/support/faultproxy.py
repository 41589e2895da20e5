"""A proxy before any API server, with weather: what comes through, how late, and what is lost.

Plain HTTP on loopback in front, whatever the API server speaks behind it. Whoever asks is who they
are by their own token; the proxy shows nothing of its own. Weather is a function of a request that
says what befalls it. Read next: `tests/e2e/test_faults.py`.
"""

import asyncio
import json
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

import aiohttp
import yaml
from aiohttp import web
from msgspec import Struct

from sandbox.outside.connection import Access, read_kubeconfig
from tests.support.backstage import Backstage, backstage

HOP_BY_HOP = frozenset({"host", "connection", "transfer-encoding", "keep-alive", "content-length"})
READS = frozenset({"GET", "HEAD"})
EXPIRED = {
    "type": "ERROR",
    "object": {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "reason": "Expired",
        "code": 410,
        "message": "too old resource version",
    },
}


class Asked(Struct, frozen=True):
    """What a request is, as far as weather minds."""

    method: str
    watch: bool

    @property
    def writes(self) -> bool:
        """Whether it would change something."""
        return self.method not in READS


class Fate(Struct, frozen=True, kw_only=True):
    """What befalls one request; nothing, unless said."""

    delay: float = 0.0
    code: int = 0
    """Answered by the proxy itself, and never passed on."""
    cut: bool = False
    """The connection breaks before it is passed on."""
    lost: bool = False
    """It is passed on, and the connection breaks before its answer."""
    watch_for: float | None = None
    """A watch ends after so many seconds."""
    expires: bool = False
    """It ends with an error: too old."""


CALM = Fate()
Weather: TypeAlias = Callable[[Asked], Fate]


def calm(_: Asked) -> Fate:
    """Let everything through."""
    return CALM


class KubeProxy:
    """The proxy; the weather may be changed at any time, from any thread."""

    def __init__(self, stage: Backstage) -> None:
        self._stage = stage
        self._watches: set[asyncio.Timeout] = set()
        self.weather: Weather = calm
        self.met: dict[str, int] = {}
        """How often each fate was met, so that a calm run does not pass for a stormy one."""
        self.url = ""
        self._access: Access | None = None
        self._session: aiohttp.ClientSession | None = None

    def lead_to(self, kubeconfig: Path) -> None:
        """Choose the API server behind it."""
        self._access = read_kubeconfig(kubeconfig)

    def change(self, weather: Weather) -> None:
        """Let the weather be so from now on; watches that are open end, and meet it anew."""
        self.weather = weather
        self._stage.do(self._end_watches())

    async def _end_watches(self) -> None:
        now = asyncio.get_running_loop().time()
        for watch in tuple(self._watches):
            if not watch.expired():
                watch.reschedule(now)

    async def open(self) -> None:
        """Listen."""
        app = web.Application(client_max_size=1 << 24)
        app.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.url, self._runner = f"http://{host}:{port}", runner

    async def close(self) -> None:
        """Listen no more."""
        if self._session is not None:
            await self._session.close()
        await self._runner.cleanup()

    def _behind(self) -> aiohttp.ClientSession:
        if self._session is None:
            assert self._access is not None, "lead_to was not called"
            trust: ssl.SSLContext | bool = True
            if self._access.url.startswith("https:"):
                trust = ssl.create_default_context(cadata=self._access.authority.decode())
            self._session = aiohttp.ClientSession(
                self._access.url,
                connector=aiohttp.TCPConnector(ssl=trust, limit=0),
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
            )
        return self._session

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        asked = Asked(request.method, request.query.get("watch") in {"1", "true"})
        fate = self.weather(asked)
        self._count(fate)
        await asyncio.sleep(fate.delay)
        if fate.cut:
            return _broken(request)
        if fate.code:
            return _refused(fate.code)
        body = await request.read()
        headers = {name: text for name, text in request.headers.items() if _passes(name)}
        async with self._behind().request(
            request.method, request.rel_url, headers=headers, data=body or None
        ) as answer:
            if asked.watch and answer.status == 200:
                return await self._watched(request, answer, fate)
            content = await answer.read()
            if fate.lost:
                return _broken(request)
            passed = {name: text for name, text in answer.headers.items() if _passes(name)}
            return web.Response(status=answer.status, body=content, headers=passed)

    async def _watched(
        self, request: web.Request, answer: aiohttp.ClientResponse, fate: Fate
    ) -> web.StreamResponse:
        passed = {name: text for name, text in answer.headers.items() if _passes(name)}
        told = web.StreamResponse(headers=passed)
        await told.prepare(request)
        with suppress(TimeoutError, ConnectionError, aiohttp.ClientError):
            async with asyncio.timeout(fate.watch_for) as limit:
                self._watches.add(limit)
                try:
                    async for chunk in answer.content.iter_any():
                        await told.write(chunk)
                finally:
                    self._watches.discard(limit)
        with suppress(ConnectionError):
            if fate.expires and "Content-Encoding" not in passed:
                await told.write(json.dumps(EXPIRED).encode() + b"\n")
            await told.write_eof()
        return told

    def _count(self, fate: Fate) -> None:
        for name in fate.__struct_fields__:
            if getattr(fate, name) != getattr(CALM, name):
                self.met[name] = self.met.get(name, 0) + 1


def _passes(name: str) -> bool:
    return name.lower() not in HOP_BY_HOP


def _broken(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def _refused(code: int) -> web.Response:
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code}
    told = {**status, "reason": "Weather", "message": "bad weather"}
    later = {"Retry-After": "1"} if code == 429 else {}
    return web.json_response(told, status=code, headers=later)


def through(proxy: KubeProxy, kubeconfig: Path) -> Path:
    """Return a copy of a kubeconfig that leads to the proxy."""
    config = yaml.safe_load(kubeconfig.read_text())
    for cluster in config["clusters"]:
        cluster["cluster"] = {"server": proxy.url}
    copy = kubeconfig.with_name(f"through-{kubeconfig.name}")
    copy.write_text(json.dumps(config))
    return copy


@contextmanager
def kube_proxy() -> Iterator[KubeProxy]:
    """Run a proxy while the block runs."""
    with backstage() as stage:
        proxy = KubeProxy(stage)
        stage.do(proxy.open())
        try:
            yield proxy
        finally:
            stage.do(proxy.close())
