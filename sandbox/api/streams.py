"""Watches over HTTP: JSON lines, as many as are ready in one chunk.

An event is encoded once per form and version, whoever watches. A watch ends at its timeout, when
the client goes, when the server stops, or with an ERROR event when it has fallen behind the history
(410). Bookmarks tell a quiet watcher how far it has seen. Read next: sandbox/watching.py.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from datetime import datetime

import msgspec
from aiohttp import web

from sandbox.api.exchange import Form
from sandbox.api.tables import only_metadata, table
from sandbox.cluster import Cluster
from sandbox.errors import ApiError
from sandbox.objects import Object
from sandbox.requests import Request
from sandbox.state import shown
from sandbox.watching import Seen, Subscription
from sandbox.wording import forbidden

TIMEOUT_DEFAULT = 1800.0
BOOKMARK_EVERY = 30.0
INITIAL_END = "k8s.io/initial-events-end"


log = logging.getLogger(__name__)


class WatchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a client wants its watch."""

    form: Form = "object"
    include: str = ""
    timeout: float = TIMEOUT_DEFAULT
    bookmarks: bool = False
    send_initial: bool | None = None


def watch_options(http: web.Request, form: Form) -> WatchOptions:
    """Read the options of a watch; raises `ApiError` if they contradict each other."""
    query = http.query
    send_initial = query.get("sendInitialEvents")
    if send_initial and query.get("resourceVersionMatch") != "NotOlderThan":
        message = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        raise ApiError.bad_options("ListOptions", forbidden("resourceVersionMatch", message))
    seconds = query.get("timeoutSeconds", "")
    return WatchOptions(
        form=form,
        include=query.get("includeObject", ""),
        timeout=float(seconds) if seconds.isdigit() and seconds != "0" else TIMEOUT_DEFAULT,
        bookmarks=query.get("allowWatchBookmarks", "").lower() in {"1", "true"},
        send_initial=None if send_initial is None else send_initial.lower() in {"1", "true"},
    )


class Watches:
    """Every open watch of one server, so that they can be ended together."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._wakers: set[asyncio.Event] = set()
        self.closed = False

    def close(self) -> None:
        """End every watch."""
        self.closed = True
        for waker in self._wakers:
            waker.set()

    async def serve(
        self, http: web.Request, request: Request, options: WatchOptions
    ) -> web.StreamResponse:
        """Stream one watch until it ends."""
        revision = request.selection.revision
        if revision and not revision.isdigit():
            self._cluster.watch(request)
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        response.enable_chunked_encoding()
        waker = asyncio.Event()
        self._wakers.add(waker)
        try:
            await response.prepare(http)
            await self._stream(response, request, options, waker)
            await response.write_eof()
        except ApiError as error:
            line = msgspec.json.encode({"type": "ERROR", "object": error.status})
            await response.write_eof(line + b"\n")
        except ConnectionResetError:
            log.debug("the watcher has gone")
        finally:
            self._wakers.discard(waker)
        return response

    async def _stream(
        self,
        response: web.StreamResponse,
        request: Request,
        options: WatchOptions,
        waker: asyncio.Event,
    ) -> None:
        subscription = self._cluster.watch(request)
        lines = Lines(subscription, request.version, options, self._cluster.state.clock)
        subscription.on_news(waker.set)
        try:
            if first := lines.first():
                await response.write(first)
            await self._follow(response, lines, waker)
        finally:
            subscription.close()

    async def _follow(
        self, response: web.StreamResponse, lines: "Lines", waker: asyncio.Event
    ) -> None:
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + lines.options.timeout
        while not self.closed and (left := ends_at - loop.time()) > 0:
            waker.clear()
            if chunk := lines.fresh():
                await response.write(chunk)
            woken = await _wait(waker, min(left, BOOKMARK_EVERY))
            if not woken and lines.options.bookmarks and left > BOOKMARK_EVERY:
                await response.write(lines.bookmark())


async def _wait(waker: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await waker.wait()
    except TimeoutError:
        return False
    return True


class Lines:
    """The lines of one watch."""

    def __init__(
        self,
        subscription: Subscription,
        version: str,
        options: WatchOptions,
        clock: Callable[[], datetime],
    ) -> None:
        self.options = options
        self._subscription = subscription
        self._version = version
        self._clock = clock

    def first(self) -> bytes:
        """Return what is there at the start, if the client wants it, and the mark of its end."""
        if self.options.send_initial is None:
            return self._joined(self._subscription.initial)
        if not self.options.send_initial:
            return b""
        self._subscription.poll()
        present = self._joined(self._subscription.present())
        return present + (self.bookmark(initial_end=True) if self.options.bookmarks else b"")

    def fresh(self) -> bytes:
        """Return what happened since."""
        return self._joined(self._subscription.poll())

    def bookmark(self, *, initial_end: bool = False) -> bytes:
        """Return the line that says how far this watch has seen."""
        kind = self._subscription.kind
        meta: Object = {"resourceVersion": str(self._subscription.revision)}
        if initial_end:
            meta["annotations"] = {INITIAL_END: "true"}
        marker: Object = {"kind": kind.kind, "apiVersion": kind.api_version(self._version)}
        event = {"type": "BOOKMARK", "object": self._formed({**marker, "metadata": meta})}
        return msgspec.json.encode(event) + b"\n"

    def _joined(self, seen: Iterable[Seen]) -> bytes:
        return b"".join(self._line(each) for each in seen)

    def _line(self, seen: Seen) -> bytes:
        source = seen.source
        kind = self._subscription.kind
        key = (seen.type, kind.group, self._version)
        if source is None or self.options.form != "object":
            return self._encoded(seen)
        if key not in source.encoded:
            source.encoded[key] = self._encoded(seen)
        return source.encoded[key]

    def _encoded(self, seen: Seen) -> bytes:
        obj = shown(self._subscription.kind, self._version, seen.object)
        return msgspec.json.encode({"type": seen.type, "object": self._formed(obj)}) + b"\n"

    def _formed(self, obj: Object) -> Object:
        if self.options.form == "metadata":
            return only_metadata(obj)
        if self.options.form == "object":
            return obj
        kind = self._subscription.kind
        version = kind.version(self._version)
        return table(kind, version, [obj], self._clock(), self.options.include)
