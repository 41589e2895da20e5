"""The ways to a dashboard: straight to its address, or through the API server.

A door is asked for with every call: a token is read from its Secret when it is needed, so that a
new one counts at once, and is never kept, printed or logged.
"""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Protocol
from urllib.parse import quote

import aiohttp
from msgspec import Struct

from shared.ports.dashboard import Place

TOKEN_HEADER = "x-ray-authorization"  # noqa: S105 - the name of a header
DASHBOARD_PORT = "dashboard"
"""The name of the port in a head service."""

Headers = Mapping[str, str]
NO_HEADERS: Headers = MappingProxyType({})
Tokens = Callable[[str, str], Awaitable[str]]
"""Reads the token in a Secret, by namespace and name; raises `DashboardFailed` if there is none."""
Identity = Callable[[], Awaitable[Headers]]
"""Says who we are to the API server."""


class Door(Struct, frozen=True, kw_only=True):
    """One way in, now; `straight` if nobody stands between us and whom we ask."""

    http: aiohttp.ClientSession
    base: str
    straight: bool = True
    headers: Headers = NO_HEADERS
    token: str = ""

    def __repr__(self) -> str:
        return f"Door(base={self.base!r})"

    def all_headers(self) -> dict[str, str]:
        """Return what every call through this door carries."""
        token = self.token.strip()
        return dict(self.headers) | ({TOKEN_HEADER: f"Bearer {token}"} if token else {})


class Doors(Protocol):
    """Finds the way to a dashboard, and to a port of a pod."""

    async def door(self, place: Place) -> Door:
        """Return the way to a place; raise `DashboardFailed` if there is none."""
        ...

    async def pod(self, namespace: str, name: str, ip: str, port: int) -> Door:
        """Return the way to a port of a pod."""
        ...


class StraightDoors:
    """Calls go to the dashboard's own address, as from a pod in the same network."""

    def __init__(self, http: aiohttp.ClientSession, tokens: Tokens) -> None:
        self._http = http
        self._tokens = tokens

    async def door(self, place: Place) -> Door:
        """Return the straight way."""
        token = await self._tokens(place.namespace, place.secret) if place.secret else ""
        return Door(http=self._http, base=f"http://{place.address}", token=token)

    async def pod(self, namespace: str, name: str, ip: str, port: int) -> Door:  # noqa: ARG002
        """Return the straight way to the pod's address."""
        host = f"[{ip}]" if ":" in ip else ip
        return Door(http=self._http, base=f"http://{host}:{port}")


class ProxyDoors:
    """Calls go through the API server, for whoever cannot reach pods. `http` trusts its TLS."""

    def __init__(
        self, http: aiohttp.ClientSession, host: str, identity: Identity, tokens: Tokens
    ) -> None:
        self._http = http
        self._host = host.rstrip("/")
        self._identity = identity
        self._tokens = tokens

    async def door(self, place: Place) -> Door:
        """Return the way through the head service."""
        token = await self._tokens(place.namespace, place.secret) if place.secret else ""
        return Door(
            http=self._http,
            base=f"{self._host}{proxy_path(place.namespace, place.service)}",
            straight=False,
            headers=await self._identity(),
            token=token,
        )

    async def pod(self, namespace: str, name: str, ip: str, port: int) -> Door:  # noqa: ARG002
        """Return the way through the API server to the pod."""
        target = f"{quote(name, safe='')}:{port}"
        path = f"/api/v1/namespaces/{quote(namespace, safe='')}/pods/{target}/proxy"
        return Door(
            http=self._http,
            base=f"{self._host}{path}",
            straight=False,
            headers=await self._identity(),
        )


def proxy_path(namespace: str, service: str) -> str:
    """Return the API server's path to the dashboard behind a service."""
    target = f"{quote(service, safe='')}:{DASHBOARD_PORT}"
    return f"/api/v1/namespaces/{quote(namespace, safe='')}/services/{target}/proxy"
