"""Calls to the API server: one connection pool, one identity, a bound on every wait.

A call ends within its deadline, a watch when its peer has been silent for too long; both fail as
`shared.kube.errors` says. Nothing is retried here: whoever calls knows whether it may be repeated.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from importlib.metadata import version
from types import MappingProxyType
from typing import Any, Self

import aiohttp
import msgspec
from msgspec.structs import replace

from shared.kube import errors
from shared.kube.credentials import Credentials, Source, load
from shared.kube.limits import RateLimit
from shared.ports.cluster import ClusterUnavailable

NO_PARAMETERS: Mapping[str, str] = MappingProxyType({})
JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"

_CONNECT_SECONDS = 5.0
_WHOLE = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS)
_OK = 200
_ENCODER = msgspec.json.Encoder()


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How long to wait and how often to write. A write includes the wait for its turn."""

    call_seconds: float = 5.0
    page_seconds: float = 60.0
    silence_seconds: float = 120.0
    writes_per_second: float = 100.0
    writes_burst: int = 200


DEFAULT_LIMITS = Limits()


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One request."""

    method: str
    path: str
    parameters: Mapping[str, str] = NO_PARAMETERS
    body: object = None
    content_type: str = JSON


class Session:
    """An open door to one API server."""

    def __init__(self, credentials: Credentials, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self._credentials = credentials
        self._writes = RateLimit(per_second=limits.writes_per_second, burst=limits.writes_burst)
        self._http = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=credentials.tls, limit=0, keepalive_timeout=75),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"Accept": JSON, "User-Agent": f"heliograph/{version('heliograph')}"},
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @property
    def host(self) -> str:
        """The API server's address."""
        return self._credentials.host

    @property
    def http(self) -> aiohttp.ClientSession:
        """The connection pool itself, for calls that go through the API server to somebody else."""
        return self._http

    async def identity(self) -> Mapping[str, str]:
        """Return what says who we are."""
        return await self._credentials.headers()

    async def read(self, call: Call, *, seconds: float | None = None) -> bytes:
        """Make a call that changes nothing, and return the body of its successful answer."""
        return await self._made(call, seconds or self.limits.call_seconds)

    async def write(self, call: Call) -> bytes:
        """Make a call that changes something, when its turn has come.

        Turn and call together end within the deadline, and the server is told of it: a write that
        nobody waits for any more must not land later.
        """
        seconds = self.limits.call_seconds
        delay = self._writes.turn(asyncio.get_running_loop().time(), within=seconds / 2)
        if delay is None:
            raise ClusterUnavailable(
                "too many writes are waiting for their turn", retry_after=1.0, undone=True
            )
        await asyncio.sleep(delay)
        parameters = {**call.parameters, "timeout": f"{max(1, round(seconds - delay))}s"}
        return await self._made(replace(call, parameters=parameters), seconds - delay)

    async def check(self) -> None:
        """Ask the API server for its version; raise `ClusterUnavailable` if it does not say."""
        await self.read(Call(method="GET", path="/version"))

    async def _made(self, call: Call, seconds: float) -> bytes:
        with errors.translated(self.host):
            async with asyncio.timeout(seconds), self._answer(call, _WHOLE) as answer:
                return await answer.read()

    @asynccontextmanager
    async def stream(self, call: Call) -> AsyncIterator[AsyncIterator[bytes]]:
        """Make a call whose answer goes on and on; give it as the network brings it."""
        patience = aiohttp.ClientTimeout(
            total=None, sock_connect=_CONNECT_SECONDS, sock_read=self.limits.silence_seconds
        )
        async with AsyncExitStack() as stack:
            with errors.translated(self.host):
                answer = await stack.enter_async_context(self._answer(call, patience))
            yield await stack.enter_async_context(aclosing(self._chunks(answer)))

    async def _chunks(self, answer: aiohttp.ClientResponse) -> AsyncGenerator[bytes, None]:
        with errors.translated(self.host):
            async for chunk in answer.content.iter_any():
                yield chunk

    @asynccontextmanager
    async def _answer(
        self, call: Call, patience: aiohttp.ClientTimeout
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        headers = dict(await self._credentials.headers())
        options: dict[str, Any] = {}
        if call.body is not None:
            headers["Content-Type"] = call.content_type
            options["data"] = _ENCODER.encode(call.body)
        async with self._http.request(
            call.method,
            f"{self.host}{call.path}",
            params=call.parameters,
            headers=headers,
            timeout=patience,
            proxy=self._credentials.proxy,
            server_hostname=self._credentials.server_name,
            allow_redirects=False,
            **options,
        ) as answer:
            if not _OK <= answer.status < _OK + 100:
                raise errors.refusal(answer.status, answer.headers, await answer.read())
            yield answer

    async def close(self) -> None:
        """Close every connection."""
        await self._http.close()


async def connect(source: Source, limits: Limits = DEFAULT_LIMITS) -> Session:
    """Read the configuration and open a session; raise `ConfigurationError` if that fails.

    Whether the API server answers is learnt by asking it: `Session.check`.
    """
    return Session(await load(source), limits)
