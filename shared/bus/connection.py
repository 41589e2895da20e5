"""One connection to NATS: requests in flight side by side, and no memory over a break.

Invariant: nothing that was not sent before a connection broke is sent after it came back. There is
no reconnect buffer, what waited for the socket is forgotten, and every request in flight fails at
once with `BusUnavailable`. `generation` counts connections, so that others can forget too.
"""

import asyncio
import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import TypeVar

import msgspec
from msgspec import Struct
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from shared.bus.errors import NoResponders, Problem, failure
from shared.ports.event_log import BusUnavailable

log = logging.getLogger(__name__)

T = TypeVar("T")
NO_RESPONDERS = "503"


class Endpoint(Struct, frozen=True, kw_only=True):
    """Where the servers are and how to present ourselves."""

    servers: tuple[str, ...]
    name: str
    inbox_prefix: str = "_INBOX"
    tls: ssl.SSLContext | None = None
    nkey_seed_file: str | None = None
    credentials_file: str | None = None
    answer_within: float = 5.0
    reconnect_after: float = 0.1


class _Answer(Struct, frozen=True):
    error: Problem | None = None


class _Client(Client):
    """The library's client, able to forget what it has not sent."""

    def forget_unsent(self) -> None:
        self._pending = []
        self._pending_data_size = 0


class Connection:
    """A connection that comes back by itself until it is closed."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client = _Client()
        self._generation = 0
        self._tokens = count(1)
        self._waiting: dict[str, asyncio.Future[Msg]] = {}
        self._inbox = ""
        self._outage_told = False
        self._closing = False
        self._listeners: set[Callable[[], None]] = set()
        self.trouble = ""
        """What went wrong last, in the words of the library."""

    @property
    def generation(self) -> int:
        """Count of connections made so far."""
        return self._generation

    @property
    def connected(self) -> bool:
        """Tell whether requests can be sent now."""
        return bool(self._client.is_connected)

    @property
    def ended(self) -> bool:
        """Tell whether it is over for good: closed by us, or refused by the server."""
        return bool(self._client.is_closed)

    @property
    def payload_limit(self) -> int:
        """Bytes that the server takes in one message, headers included."""
        return self._client.max_payload

    @property
    def server(self) -> Mapping[str, object]:
        """What the server said of itself when it was met: version, name, cluster, jetstream."""
        return dict(self._client._server_info)  # noqa: SLF001 - told nowhere else

    async def open(self) -> None:
        """Connect, waiting for a server for as long as it takes."""
        try:
            await self._connect()
        except (NatsError, OSError, ValueError) as problem:
            raise BusUnavailable(f"no connection: {problem}") from problem
        self._inbox = self._client.new_inbox()
        await self._client.subscribe(
            f"{self._inbox}.*", cb=self._resolve, pending_msgs_limit=0, pending_bytes_limit=0
        )
        self._generation += 1

    async def _connect(self) -> None:
        endpoint = self._endpoint
        await self._client.connect(
            servers=list(endpoint.servers),
            name=endpoint.name,
            inbox_prefix=endpoint.inbox_prefix,
            tls=endpoint.tls,
            nkeys_seed=endpoint.nkey_seed_file,
            user_credentials=endpoint.credentials_file,
            pending_size=0,
            max_reconnect_attempts=-1,
            reconnect_time_wait=endpoint.reconnect_after,  # type: ignore[arg-type] # sleeps it
            ping_interval=10,
            error_cb=self._report,
            disconnected_cb=self._forget,
            reconnected_cb=self._advance,
            closed_cb=self._end,
        )

    async def close(self) -> None:
        """Leave; nothing is sent afterwards."""
        self._closing = True
        self._client.forget_unsent()
        with suppress(AssertionError):  # of a client whose address made no sense from the first
            await self._client.close()

    def on_reconnect(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call the listener after each reconnect; return what ends that."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    async def request(
        self,
        subject: str,
        data: bytes = b"",
        *,
        headers: Mapping[str, str] | None = None,
        within: float | None = None,
    ) -> Msg:
        """Send and return the answer; raise `BusUnavailable` when there is none."""
        loop = asyncio.get_running_loop()
        token = str(next(self._tokens))
        future: asyncio.Future[Msg] = loop.create_future()
        self._waiting[token] = future
        timer = loop.call_later(
            within or self._endpoint.answer_within, _fail, future, "no answer in time"
        )
        try:
            await self.publish(subject, data, reply=f"{self._inbox}.{token}", headers=headers)
            answer = await future
        finally:
            timer.cancel()
            self._waiting.pop(token, None)
        if not answer.data and answer.headers and answer.headers.get("Status") == NO_RESPONDERS:
            raise NoResponders(subject)
        return answer

    async def api(self, verb: str, body: object, kind: type[T]) -> T:
        """Ask the JetStream API; raise what its error means."""
        payload = b"" if body is None else msgspec.json.encode(body)
        answer = await self.request(f"$JS.API.{verb}", payload)
        problem = msgspec.json.decode(answer.data, type=_Answer).error
        if problem is not None:
            raise failure(problem)
        return msgspec.json.decode(answer.data, type=kind)

    async def publish(
        self,
        subject: str,
        data: bytes = b"",
        *,
        reply: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Send without asking for an answer."""
        try:
            await self._client.publish(
                subject, data, reply=reply, headers=dict(headers) if headers else None
            )
        except NatsError as error:
            raise BusUnavailable(f"cannot send: {type(error).__name__}") from error

    async def subscribe(
        self, subject: str, callback: Callable[[Msg], Awaitable[None]]
    ) -> Subscription:
        """Call back for every message on a subject, however many wait."""
        try:
            return await self._client.subscribe(
                subject, cb=callback, pending_msgs_limit=0, pending_bytes_limit=0
            )
        except NatsError as error:
            raise BusUnavailable(f"cannot subscribe: {type(error).__name__}") from error

    async def flush(self) -> None:
        """Wait until the server has taken everything that was sent before."""
        try:
            await self._client.flush()
        except NatsError as error:
            raise BusUnavailable(f"cannot flush: {type(error).__name__}") from error

    async def unsubscribe(self, subscription: Subscription) -> None:
        """End a subscription; one that ended with its connection is ended already."""
        try:
            await subscription.unsubscribe()
        except NatsError:
            log.debug("subscription ended with its connection")

    def new_inbox(self) -> str:
        """Return a subject nobody else uses."""
        return self._client.new_inbox()

    async def _resolve(self, answer: Msg) -> None:
        future = self._waiting.get(answer.subject.rpartition(".")[2])
        if future is not None and not future.done():
            future.set_result(answer)

    async def _forget(self) -> None:
        self._client.forget_unsent()
        for future in self._waiting.values():
            _fail(future, "the connection broke")

    async def _end(self) -> None:
        await self._forget()
        if not self._closing:
            log.error("the server ended the connection for good")

    async def _advance(self) -> None:
        self._generation += 1
        self._outage_told = False
        log.info("bus connected again", extra={"generation": self._generation})
        for listener in tuple(self._listeners):
            listener()

    async def _report(self, error: Exception) -> None:
        """Tell of an outage once; who opens the connection tells of its first failure."""
        self.trouble = str(error) or type(error).__name__
        opening = self._generation == 0
        level = logging.DEBUG if self._outage_told or opening else logging.WARNING
        self._outage_told = not self.connected
        log.log(level, "bus trouble", extra={"error": f"{type(error).__name__}: {error}"})


@asynccontextmanager
async def connected(endpoint: Endpoint) -> AsyncIterator[Connection]:
    """Be connected for as long as the context lasts."""
    connection = Connection(endpoint)
    await connection.open()
    try:
        yield connection
    finally:
        await connection.close()


def _fail(future: asyncio.Future[Msg], reason: str) -> None:
    if not future.done():
        future.set_exception(BusUnavailable(reason))
