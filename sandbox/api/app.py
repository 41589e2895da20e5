"""The routes of the API server, and what becomes of refusals.

Every refusal is a `metav1.Status`; a lost answer is a broken connection. Read next: exchange.py for
ordinary requests, streams.py for watches, discovery.py and openapi.py for what clients ask first.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import msgspec
from aiohttp import web

from sandbox.access.door import Door
from sandbox.access.users import User
from sandbox.api import discovery, openapi
from sandbox.api.exchange import Form, accepted_form, read_body, read_request, respond
from sandbox.api.paths import Target, target
from sandbox.api.streams import Watches, watch_options
from sandbox.api.tables import only_metadata, table
from sandbox.cluster import Cluster
from sandbox.errors import AnswerLostError, ApiError
from sandbox.hooks.gate import Gate
from sandbox.objects import Object
from sandbox.requests import Answer, Request

BODY_MAX = 8 * 1024 * 1024
VERSION = {
    "major": "1",
    "minor": "37",
    "gitVersion": "v1.37.0-sandbox",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "1970-01-01T00:00:00Z",
    "goVersion": "",
    "compiler": "",
    "platform": "linux/amd64",
}
USER = web.RequestKey("user", User)
Handle: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Face:
    """The HTTP face of one cluster."""

    def __init__(
        self,
        cluster: Cluster,
        *,
        token: str = "",
        parts: Sequence[Callable[[web.Application], None]] = (),
    ) -> None:
        self._parts = tuple(parts)
        self._cluster = cluster
        self._door = Door(cluster.state, token)
        self._gate = Gate(cluster)
        self.watches = Watches(cluster)

    def app(self) -> web.Application:
        """Return the application with every route."""
        app = web.Application(middlewares=[self._guard], client_max_size=BODY_MAX)
        for add_part in self._parts:
            add_part(app)
        for path in ("/healthz", "/readyz", "/livez"):
            app.router.add_get(path, self._healthy)
        app.router.add_get("/version", self._version)
        app.router.add_get("/openapi/v2", self._swagger)
        app.router.add_get("/openapi/v3", self._openapi_index)
        app.router.add_get("/openapi/v3/api/{version}", self._openapi)
        app.router.add_get("/openapi/v3/apis/{group}/{version}", self._openapi)
        app.router.add_get("/api", self._core_versions)
        app.router.add_get("/apis", self._groups)
        app.router.add_get("/apis/{group}", self._group)
        app.router.add_get("/api/{version}", self._resources)
        app.router.add_get("/apis/{group}/{version}", self._resources)
        app.router.add_route("*", "/api/{version}/{rest:.+}", self._objects)
        app.router.add_route("*", "/apis/{group}/{version}/{rest:.+}", self._objects)
        app.on_shutdown.append(self._stop)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handle) -> web.StreamResponse:
        try:
            user = self._door.user(request.headers.get("Authorization", ""))
            request[USER] = user
            self._door.check(user, request.method, request.path, request.query)
            return await handler(request)
        except ApiError as error:
            return _refusal(error)
        except AnswerLostError:
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=500)
        except web.HTTPException as error:
            if error.status == web.HTTPNotFound.status_code:
                return _refusal(ApiError.unknown_path())
            return _refusal(ApiError(error.status, error.reason, error.text or error.reason))

    async def _stop(self, _: web.Application) -> None:
        self.watches.close()

    async def _healthy(self, _: web.Request) -> web.Response:
        return web.Response(text="ok")

    async def _version(self, _: web.Request) -> web.Response:
        return respond(VERSION)

    async def _swagger(self, http: web.Request) -> web.Response:
        if "protobuf" in http.headers.get("Accept", ""):
            headers = {"Content-Type": openapi.SWAGGER_PROTOBUF}
            return web.Response(body=openapi.empty_swagger(), headers=headers)
        return respond(openapi.swagger(self._cluster.state.registry))

    async def _openapi_index(self, _: web.Request) -> web.Response:
        return respond(openapi.index(self._cluster.state.registry))

    async def _openapi(self, http: web.Request) -> web.Response:
        group, version = http.match_info.get("group", ""), http.match_info["version"]
        return respond(openapi.document(self._cluster.state.registry, group, version))

    async def _core_versions(self, http: web.Request) -> web.Response:
        if _wants_aggregated(http):
            body = discovery.aggregated(self._cluster.state.registry, [("", ("v1",))])
            return _aggregated(body)
        return respond(discovery.core_versions(http.host))

    async def _groups(self, http: web.Request) -> web.Response:
        registry = self._cluster.state.registry
        if _wants_aggregated(http):
            return _aggregated(discovery.aggregated(registry, registry.groups().items()))
        return respond(discovery.group_list(registry))

    async def _group(self, http: web.Request) -> web.Response:
        return respond(discovery.group(self._cluster.state.registry, http.match_info["group"]))

    async def _resources(self, http: web.Request) -> web.Response:
        group, version = http.match_info.get("group", ""), http.match_info["version"]
        return respond(discovery.resource_list(self._cluster.state.registry, group, version))

    async def _objects(self, http: web.Request) -> web.StreamResponse:
        found = _target(http)
        review = self._door.asker.reviews().get((found.group, found.plural))
        if review is not None and http.method == "POST":
            body = await read_body(http)
            return respond(review(body, http[USER]), code=201)
        if (found.plural, found.subresource, http.method) == ("serviceaccounts", "token", "POST"):
            body = await read_body(http)
            token = self._door.asker.token(body, found.namespace, found.name)
            return respond(token, code=201)
        request = await read_request(http, found, self._cluster.state.registry)
        if request.verb == "watch":
            options = watch_options(http, accepted_form(http))
            return await self.watches.serve(http, request, options)
        return self._answered(http, request, await self._gate.carry_out(request, http[USER]))

    def _listed(self, request: Request, answer: Answer, form: Form) -> Object:
        """Show a list: only items of custom kinds say their kind, and only they always a token."""
        if form == "metadata":
            api = {"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1"}
            return {**answer.body, **api, "items": [only_metadata(item) for item in answer.items]}
        if self._cluster.state.registry.find(request.resource).custom:
            meta = {"continue": "", **answer.body["metadata"]}
            return {**answer.body, "metadata": meta, "items": answer.items}
        return {**answer.body, "items": [_untyped(item) for item in answer.items]}

    def _answered(self, http: web.Request, request: Request, answer: Answer) -> web.Response:
        listed = request.verb in {"list", "deletecollection"}
        form = "object" if request.verb not in {"get", "list"} else accepted_form(http)
        objects = answer.items if listed else (answer.body,)
        if form == "table" and not request.subresource:
            kind = self._cluster.state.registry.find(request.resource)
            version = kind.version(request.version)
            include = http.query.get("includeObject", "")
            now = self._cluster.state.clock()
            body = table(kind, version, objects, now, include)
            body["metadata"] = answer.body["metadata"] if listed else {}
            return respond(body)
        body = self._listed(request, answer, form) if listed else answer.body
        if form == "metadata" and not listed:
            body = only_metadata(body)
        return respond(body, code=answer.code, warnings=answer.warnings)


def _untyped(item: Object) -> Object:
    return {field: value for field, value in item.items() if field not in {"apiVersion", "kind"}}


def _target(http: web.Request) -> Target:
    match = http.match_info
    return target(match.get("group", ""), match["version"], match["rest"])


def _refusal(error: ApiError) -> web.Response:
    if error.plain:
        response = web.Response(status=error.code, text=error.plain)
    else:
        response = respond(error.status, code=error.code, warnings=error.warnings)
    wait = error.status.get("details", {}).get("retryAfterSeconds")
    if wait is not None:
        response.headers["Retry-After"] = str(wait)
    return response


def _wants_aggregated(http: web.Request) -> bool:
    accept = http.headers.get("Accept", "").replace(" ", "")
    return any(
        "as=APIGroupDiscoveryList" in part and "v=v2" in part.split(";")
        for part in accept.split(",")
    )


def _aggregated(body: Object) -> web.Response:
    return web.Response(
        body=msgspec.json.encode(body), headers={"Content-Type": discovery.AGGREGATED}
    )
