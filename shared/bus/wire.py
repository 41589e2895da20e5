"""Entries to headers, and what the server sends back to messages.

Both adapters store the headers made here, so that a reader cannot tell them apart. Of the server's
own headers only the id is shown: it tells whose a message is (`shared.bus.commit`).
"""

from base64 import b64decode
from collections.abc import Mapping
from datetime import datetime, timedelta
from math import ceil
from types import MappingProxyType

from msgspec import Struct

from shared.bus.errors import EntryTooLargeError
from shared.kernel.instants import EPOCH, parse_instant, print_precisely
from shared.ports.event_log import NO_HEADERS, Entry, Message

ID = "Nats-Msg-Id"
OPERATION = "KV-Operation"
MARKER = "Nats-Marker-Reason"
GOODBYE: Mapping[str, str] = MappingProxyType({OPERATION: "DEL"})
"""Headers of an entry that ends its subject's life: it is read as a marker."""

PAYLOAD_LIMIT = 1 << 20
MARGIN = 4096
FIRED_LIFE = timedelta(hours=1)
_OURS = "Nats-"
_SHORTEST_TTL = 1


class Standing(Struct, frozen=True):
    """Where a delivered message stands, from its reply subject."""

    attempt: int
    sequence: int
    order: int
    at: datetime
    pending: int


def whole_seconds(ttl: timedelta) -> int:
    """Return a TTL as servers count it: whole seconds, rounded up, at least one."""
    return max(_SHORTEST_TTL, ceil(ttl.total_seconds()))


def headers_of(entry: Entry) -> dict[str, str]:
    """Return every header the server needs to keep the entry's promises."""
    headers = dict(entry.headers)
    if entry.id:
        headers[ID] = entry.id
    if entry.fence is not None:
        headers["Nats-Expected-Last-Subject-Sequence"] = str(entry.fence)
        if entry.fence_over:
            headers["Nats-Expected-Last-Subject-Sequence-Subject"] = entry.fence_over
    if entry.ttl is not None:
        headers["Nats-TTL"] = f"{whole_seconds(entry.ttl)}s"
    if entry.schedule is not None:
        headers["Nats-Schedule"] = f"@at {print_precisely(entry.schedule.due_at)}"
        headers["Nats-Schedule-Target"] = entry.schedule.target
        headers["Nats-Schedule-TTL"] = f"{int(FIRED_LIFE.total_seconds())}s"
    return headers


def check_size(entry: Entry, headers: Mapping[str, str], limit: int = PAYLOAD_LIMIT) -> None:
    """Raise unless body and headers fit into one message."""
    told = sum(map(len, headers)) + sum(map(len, headers.values())) + 4 * len(headers)
    size = len(entry.data) + told
    if size > limit - MARGIN:
        raise EntryTooLargeError(
            f"{entry.subject}: {size} bytes with headers, at most {limit - MARGIN} fit"
        )


def id_of(message: Message) -> str | None:
    """Return the id its writer gave it."""
    return message.headers.get(ID)


def shown(headers: Mapping[str, str] | None) -> Mapping[str, str]:
    """Return the headers that readers see."""
    if not headers:
        return NO_HEADERS
    return {
        name: value for name, value in headers.items() if name == ID or not name.startswith(_OURS)
    }


def is_marker(headers: Mapping[str, str] | None) -> bool:
    """Tell whether a message only says that its subject has ended."""
    return headers is not None and (MARKER in headers or OPERATION in headers)


def standing_of(reply: str) -> Standing:
    """Read `$JS.ACK[.domain.account].stream.consumer.attempt.sequence.order.time.pending`."""
    tokens = reply.split(".")
    shift = 0 if len(tokens) == 9 else 2  # noqa: PLR2004 - the short form has nine tokens
    attempt, sequence, order, nanoseconds, pending = tokens[4 + shift : 9 + shift]
    return Standing(
        attempt=int(attempt),
        sequence=int(sequence),
        order=int(order),
        at=EPOCH + timedelta(microseconds=int(nanoseconds) // 1000),
        pending=int(pending),
    )


def delivered(
    subject: str, standing: Standing, headers: Mapping[str, str] | None, data: bytes
) -> Message:
    """Return the message a consumer delivered."""
    return Message(
        sequence=standing.sequence,
        at=standing.at,
        subject=subject,
        headers=shown(headers),
        data=data,
        gone=is_marker(headers),
    )


class Stored(Struct, frozen=True):
    """A message as the stream's leader shows it."""

    subject: str
    seq: int
    time: str
    data: str = ""
    hdrs: str = ""


def read_stored(stored: Stored) -> Message:
    """Return the message a leader read gave."""
    headers = _parse(b64decode(stored.hdrs))
    return Message(
        sequence=stored.seq,
        at=parse_instant(stored.time),
        subject=stored.subject,
        headers=shown(headers),
        data=b64decode(stored.data),
        gone=is_marker(headers),
    )


def _parse(raw: bytes) -> dict[str, str]:
    lines = raw.decode("utf-8", "replace").split("\r\n")[1:]
    pairs = (line.partition(":") for line in lines if line)
    return {name.strip(): value.strip() for name, _, value in pairs}
