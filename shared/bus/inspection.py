"""What a server says of itself, of our streams and of consumers; nothing is changed by asking.

What is not there is None; what could not be asked is raised as `BusUnavailable` or `ApiError`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from shared.bus.connection import Connection
from shared.bus.declarations import Config
from shared.bus.errors import NO_MESSAGE, ApiError, NotThere
from shared.bus.streams import LIMITS, agrees
from shared.bus.wire import Stored, read_stored
from shared.ports.event_log import Message


class AccountLimits(Struct, frozen=True):
    """What an account may hold; -1 for no limit."""

    max_storage: int = -1
    max_streams: int = -1
    max_consumers: int = -1


class AccountInfo(Struct, frozen=True):
    """What an account holds."""

    storage: int = 0
    streams: int = 0
    consumers: int = 0
    limits: AccountLimits = AccountLimits()


class Copy(Struct, frozen=True):
    """Another server's copy of a stream."""

    name: str
    current: bool = False
    offline: bool = False


class Group(Struct, frozen=True):
    """The servers that keep a stream."""

    leader: str = ""
    replicas: tuple[Copy, ...] = ()


class State(Struct, frozen=True):
    """How much a stream holds."""

    messages: int = 0
    bytes: int = 0
    consumer_count: int = 0


class StreamInfo(Struct, frozen=True):
    """A stream as its leader describes it; `ts` is the server's clock."""

    config: dict[str, Any]
    state: State
    cluster: Group = Group()
    ts: str = ""


class Reached(Struct, frozen=True):
    """How far a consumer has come."""

    stream_seq: int = 0


class ConsumerInfo(Struct, frozen=True):
    """A durable consumer as its leader describes it."""

    name: str
    config: dict[str, Any]
    delivered: Reached = Reached()
    ack_floor: Reached = Reached()
    num_ack_pending: int = 0
    num_redelivered: int = 0
    num_waiting: int = 0
    num_pending: int = 0
    paused: bool = False


class _Consumers(Struct, frozen=True):
    total: int = 0
    consumers: tuple[ConsumerInfo, ...] | None = None


class _Found(Struct, frozen=True):
    message: Stored


class Drift(Struct, frozen=True, kw_only=True):
    """A setting that is not as asked; `limit` if it says how much is kept."""

    setting: str
    now: object
    asked: object
    limit: bool


async def account(connection: Connection) -> AccountInfo:
    """Ask what our account holds; raise `BusUnavailable` where JetStream is off."""
    return await connection.api("INFO", None, AccountInfo)


async def stream(connection: Connection, name: str) -> StreamInfo | None:
    """Ask about a stream."""
    try:
        return await connection.api(f"STREAM.INFO.{name}", None, StreamInfo)
    except NotThere:
        return None


async def consumer(connection: Connection, stream_name: str, name: str) -> ConsumerInfo | None:
    """Ask about a durable consumer."""
    try:
        return await connection.api(f"CONSUMER.INFO.{stream_name}.{name}", None, ConsumerInfo)
    except NotThere:
        return None


async def consumers(connection: Connection, stream_name: str) -> tuple[ConsumerInfo, ...]:
    """Ask about every consumer of a stream, page by page; none if there is no stream."""
    found: list[ConsumerInfo] = []
    while True:
        try:
            page = await connection.api(
                f"CONSUMER.LIST.{stream_name}", {"offset": len(found)}, _Consumers
            )
        except NotThere:
            return tuple(found)
        found.extend(page.consumers or ())
        if not page.consumers or len(found) >= page.total:
            return tuple(found)


async def first_after(
    connection: Connection, stream_name: str, sequence: int, subject: str
) -> Message | None:
    """Read the first message of a filter after a sequence."""
    body = {"seq": sequence + 1, "next_by_subj": subject}
    try:
        found = await connection.api(f"STREAM.MSG.GET.{stream_name}", body, _Found)
    except ApiError as error:
        if error.problem.err_code == NO_MESSAGE:
            return None
        raise
    return read_stored(found.message)


def drifts(now: Mapping[str, Any], asked: Config) -> Iterator[Drift]:
    """Yield what `init` would change; the server adds defaults of its own."""
    for setting, value in asked.items():
        held = now.get(setting)
        if not agrees(held, value):
            yield Drift(setting=setting, now=held, asked=value, limit=setting in LIMITS)
