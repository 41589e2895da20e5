"""The door into the cluster's network: an HTTP proxy on loopback, and ports for single heads.

Whoever takes the door as HTTP proxy reaches services by name (`first-head-svc.default.svc:8265`)
and pods by address, as from inside the cluster. For tools that know no proxy a head can be given a
port of its own. A name that nobody has, or a port where nobody listens, is a 502 to users of the
proxy and a broken connection to others, as with real proxies and real pods.
"""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from aiohttp import web

from sandbox.controllers.index import Index
from sandbox.dashboard.heads import PORTS
from sandbox.dashboard.names import Backend
from sandbox.dashboard.network import Network, asked, response

HOST = "127.0.0.1"
PodName: TypeAlias = tuple[str, str]
Handler: TypeAlias = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


class Door:
    """All loopback ports of one cluster's network."""

    def __init__(self, network: Network, index: Index) -> None:
        self._network = network
        self._index = index
        self._main: web.ServerRunner | None = None
        self._own: dict[PodName, web.ServerRunner] = {}

    @property
    def url(self) -> str:
        """The address of the proxy."""
        return "" if self._main is None else _address(self._main)

    async def open(self, port: int = 0) -> None:
        """Open the proxy."""
        self._main = await _listen(self._through, port)

    async def open_for(self, namespace: str, pod: str) -> str:
        """Give the dashboard of a pod a port of its own; return its address."""
        name = (namespace, pod)

        async def straight(http: web.BaseRequest) -> web.StreamResponse:
            found = self._index.get(("pods", *name))
            at = None if found is None else Backend(pod=found, port=PORTS["dashboard"])
            return await self._answer(http, at, str(http.rel_url), proxied=False)

        if name not in self._own:
            self._own[name] = await _listen(straight, 0)
        return _address(self._own[name])

    def url_of(self, namespace: str, pod: str) -> str:
        """Return the address of a pod's own port; empty if it has none."""
        runner = self._own.get((namespace, pod))
        return "" if runner is None else _address(runner)

    async def close_missing(self) -> None:
        """Close the ports of pods that are gone."""
        for name in [name for name in self._own if self._index.get(("pods", *name)) is None]:
            await self._own.pop(name).cleanup()

    async def close(self) -> None:
        """Close every port."""
        for runner in (*self._own.values(), *([self._main] if self._main else [])):
            await runner.cleanup()
        self._own.clear()

    async def _through(self, http: web.BaseRequest) -> web.StreamResponse:
        """Answer as a proxy: the whole address stands in the first line, or in the Host header."""
        if http.method == "CONNECT":
            return web.Response(status=405, text="only plain HTTP goes through this door\n")
        url = http.url
        at = self._network.fleet.find(url.host or "", url.port or 80, "default")
        return await self._answer(http, at, url.raw_path_qs, proxied=True)

    async def _answer(
        self, http: web.BaseRequest, at: Backend | None, path: str, *, proxied: bool
    ) -> web.StreamResponse:
        reply = await self._network.ask(at, await asked(http, path))
        if not reply.refused:
            return response(reply)
        if not proxied and http.transport is not None:
            http.transport.abort()
        return web.Response(status=502, text=f"nobody answers at {http.host}\n")


async def _listen(handler: Handler, port: int) -> web.ServerRunner:
    runner = web.ServerRunner(web.Server(handler, access_log=None), shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, HOST, port).start()
    return runner


def _address(runner: web.ServerRunner) -> str:
    host, port = runner.addresses[0][:2]
    return f"http://{host}:{port}"
