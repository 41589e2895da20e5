"""Carries out what `sandbox.troubles` decides: a layer around every request.

Watches are kept in hand, so that they can be ended at will. A stale list is answered from the
history as it was so many revisions ago. Read next: `sandbox.troubles`, admin.py.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from aiohttp import web

from sandbox.api.paths import target
from sandbox.cluster import Cluster
from sandbox.errors import ApiError, qualified
from sandbox.troubles import Call, Trouble, Troubles, refusal

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]
VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch"}
ADMIN = "/sandbox"
RESPONSE = web.RequestKey("response", web.StreamResponse)
LAG = web.RequestKey("lag", float)


class OpenWatch:
    """A watch that is being served, and how to end it."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.abruptly = False
        self._ended = asyncio.Event()

    def end(self, *, abruptly: bool) -> None:
        """End it."""
        self.abruptly = abruptly
        self._ended.set()

    async def wait_ended(self) -> None:
        """Wait until somebody ends it."""
        await self._ended.wait()


class Suffering:
    """The layer, and every open watch."""

    def __init__(self, cluster: Cluster, troubles: Troubles) -> None:
        self._cluster = cluster
        self._troubles = troubles
        self._watches: set[OpenWatch] = set()

    def end_watches(self, resource: str, *, abruptly: bool) -> int:
        """End the open watches of a resource (a glob); return how many."""
        rule = Trouble(resource=resource)
        chosen = [watch for watch in self._watches if rule.fits(watch.call)]
        for watch in chosen:
            watch.end(abruptly=abruptly)
        return len(chosen)

    @web.middleware
    async def layer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Let a request through, or let it suffer."""
        if request.path.startswith(ADMIN):
            return await handler(request)
        now = self._cluster.state.clock()
        if self._troubles.is_down(now):
            return _cut(request)
        call = call_of(request)
        if call is None:
            return await handler(request)
        rule = self._troubles.fate(call, now)
        error = refusal(rule, call)
        await asyncio.sleep(rule.delay if rule.hang is None else rule.hang)
        if rule.hang is not None:
            return _cut(request)
        if error is not None:
            raise error
        if call.verb == "watch":
            return await self._watch(request, handler, call, rule)
        answer = await handler(self._staled(request, call, rule))
        return _cut(request) if rule.lose_answer else answer

    async def _watch(
        self, http: web.Request, handler: Handler, call: Call, rule: Trouble
    ) -> web.StreamResponse:
        watch = OpenWatch(call)
        self._watches.add(watch)
        if rule.lag:
            http[LAG] = rule.lag
        serving = asyncio.ensure_future(handler(http))
        ending = asyncio.create_task(watch.wait_ended())
        try:
            await asyncio.wait(
                (serving, ending), timeout=rule.end_after, return_when=asyncio.FIRST_COMPLETED
            )
            if serving.done():
                return serving.result()
            serving.cancel()
            await asyncio.wait((serving,))
            return await _ended(http, abruptly=watch.abruptly or rule.abruptly)
        finally:
            self._watches.discard(watch)
            for task in (serving, ending):
                task.cancel()

    def _staled(self, http: web.Request, call: Call, rule: Trouble) -> web.Request:
        """Let a list be read as it was; what is forgotten by now is read as it is."""
        if not rule.stale_by or call.verb != "list":
            return http
        store = self._cluster.state.store
        revision = max(store.revision - rule.stale_by, 1)
        with contextlib.suppress(ApiError):
            store.history(self._cluster.state.registry.find(call.resource).resource).after(revision)
            asked = {"resourceVersion": str(revision), "resourceVersionMatch": "Exact"}
            return http.clone(rel_url=http.rel_url.update_query(asked))
        return http


async def slow_down(http: web.Request, response: web.StreamResponse) -> None:
    """Remember a streamed answer, and hold its lines back if that was decided."""
    http[RESPONSE] = response
    lag = http.get(LAG, 0.0)
    if lag:
        write = response.write

        async def late(data: Any) -> None:
            await asyncio.sleep(lag)
            await write(data)

        response.write = late  # type: ignore[method-assign]  # aiohttp offers no hook for writes


def call_of(http: web.Request) -> Call | None:
    """Read which call a request is; None if it is about no object."""
    parts = http.path.strip("/").split("/")
    match parts:
        case ["api", version, *rest] if rest:
            group = ""
        case ["apis", group, version, *rest] if rest:
            pass
        case _:
            return None
    try:
        found = target(group, version, "/".join(rest[:5]))
    except ApiError:
        return None
    resource = qualified(found.plural, group)
    verb = _verb(http, named=bool(found.name))
    return Call(verb=verb, resource=resource, namespace=found.namespace, name=found.name)


def _verb(http: web.Request, *, named: bool) -> str:
    if http.method == "DELETE":
        return "delete" if named else "deletecollection"
    if http.method == "GET" and not named:
        watching = http.query.get("watch", "").lower() in {"1", "true"}
        return "watch" if watching else "list"
    return VERBS.get(http.method, "get")


async def _ended(http: web.Request, *, abruptly: bool) -> web.StreamResponse:
    response = http.get(RESPONSE)
    if abruptly or not isinstance(response, web.StreamResponse):
        return _cut(http)
    await response.write_eof()
    return response


def _cut(http: web.Request) -> web.Response:
    if http.transport is not None:
        http.transport.abort()
    return web.Response(status=503)
