"""The proxy subresource of services and pods: the API server as a way into the cluster's network.

`/api/v1/namespaces/NS/services/[scheme:]NAME[:PORT]/proxy/PATH` and the same for pods. Where nobody
answers, the refusal is the API server's own. Read next: `sandbox.dashboard.network`.
"""

from aiohttp import web
from msgspec import Struct
from msgspec.structs import replace

from sandbox.controllers.index import Index
from sandbox.dashboard.names import Backend
from sandbox.dashboard.network import Network, asked, response
from sandbox.dashboard.replies import Ask
from sandbox.errors import ApiError
from sandbox.objects import Object, rows

PLACE = "/api/v1/namespaces/{namespace}/{plural:services|pods}/{name}/proxy"


class Named(Struct, frozen=True, kw_only=True):
    """What stands between the plural and `proxy`."""

    name: str
    port: str


def named(text: str) -> Named:
    """Part `[scheme:]name[:port]`."""
    parts = text.split(":")
    match parts:
        case [name]:
            return Named(name=name, port="")
        case [name, port]:
            return Named(name=name, port=port)
        case ["http" | "https" | "", name, port]:
            return Named(name=name, port=port)
        case _:
            raise ApiError.bad_request(f'invalid service request "{text}"')


def without_identity(question: Ask) -> Ask:
    """Take off what the client showed to the API server: it is for nobody else to see."""
    kept = {key: value for key, value in question.headers.items() if key != "authorization"}
    return replace(question, headers=kept)


class Proxying:
    """The routes of the proxy subresource."""

    def __init__(self, network: Network, index: Index) -> None:
        self._network = network
        self._index = index

    def add_routes(self, app: web.Application) -> None:
        """Serve them; must come before the routes for objects."""
        app.router.add_route("*", PLACE, self._proxy)
        app.router.add_route("*", PLACE + "/{path:.*}", self._proxy)

    async def _proxy(self, http: web.Request) -> web.StreamResponse:
        match = http.match_info
        asked_for = named(match["name"])
        obj = self._index.get((match["plural"], match["namespace"], asked_for.name))
        if obj is None:
            raise ApiError.not_found(match["plural"], asked_for.name)
        at = self._backend(match["plural"], obj, asked_for)
        path = f"/{match.get('path', '')}"
        query = http.rel_url.raw_query_string
        question = without_identity(await asked(http, f"{path}?{query}" if query else path))
        reply = await self._network.ask(at, question)
        if reply.refused:
            raise _unreachable(asked_for)
        return response(reply)

    def _backend(self, plural: str, obj: Object, asked_for: Named) -> Backend | None:
        if plural == "pods":
            port = int(asked_for.port) if asked_for.port.isdigit() else asked_for.port
            return Backend(pod=obj, port=port or _first_port(obj))
        at = self._network.fleet.behind(obj, asked_for.port or _only_port(obj))
        if at is None:
            what = f'no endpoints available for service "{asked_for.name}"'
            raise ApiError(503, "ServiceUnavailable", what)
        return at


def _unreachable(asked_for: Named) -> ApiError:
    place = f"{asked_for.name}:{asked_for.port}"
    told = f"error trying to reach service: dial tcp {place}: connect: connection refused"
    return ApiError(503, "ServiceUnavailable", told)


def _first_port(pod: Object) -> int:
    first = next(rows(pod, "spec.containers"), {})
    return int(next((port["containerPort"] for port in rows(first, "ports")), 80))


def _only_port(service: Object) -> str:
    ports = list(rows(service, "spec.ports"))
    return str(ports[0].get("port")) if len(ports) == 1 else ""
