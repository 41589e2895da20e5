"""Headers, sizes and what the server tells in its own words."""

from base64 import b64encode
from datetime import UTC, datetime, timedelta

import pytest

from shared.bus.errors import EntryTooLargeError
from shared.bus.wire import (
    MARGIN,
    PAYLOAD_LIMIT,
    Standing,
    Stored,
    check_size,
    headers_of,
    read_stored,
    standing_of,
    whole_seconds,
)
from shared.ports.event_log import Entry, Message, Schedule

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def test_writes_every_promise_as_a_header() -> None:
    entry = Entry(
        subject="timer.1.a.b.c.t",
        id="the-id",
        data=b"",
        fence=7,
        headers={"Ray-RV": "3"},
        ttl=timedelta(seconds=1.2),
        schedule=Schedule(due_at=NOON, target="fire.1.a.b.c.t"),
    )

    assert headers_of(entry) == {
        "Ray-RV": "3",
        "Nats-Msg-Id": "the-id",
        "Nats-Expected-Last-Subject-Sequence": "7",
        "Nats-TTL": "2s",
        "Nats-Schedule": "@at 2030-01-01T12:00:00.000000Z",
        "Nats-Schedule-Target": "fire.1.a.b.c.t",
        "Nats-Schedule-TTL": "3600s",
    }


def test_writes_no_header_that_was_not_asked_for() -> None:
    assert headers_of(Entry(subject="s", id="", data=b"")) == {}


@pytest.mark.parametrize(("asked", "given"), [(0.1, 1), (1, 1), (1.001, 2), (3, 3)])
def test_counts_ttls_in_whole_seconds_and_never_too_short(asked: float, given: int) -> None:
    assert whole_seconds(timedelta(seconds=asked)) == given


def test_headers_count_for_the_size() -> None:
    fits = Entry(subject="s", id="", data=b"x" * (PAYLOAD_LIMIT - MARGIN - 6))

    check_size(fits, {"a": "b"})
    with pytest.raises(EntryTooLargeError):
        check_size(fits, {"a": "bc"})


@pytest.mark.parametrize("prefix", ["$JS.ACK", "$JS.ACK.domain.account"])
def test_reads_where_a_delivered_message_stands(prefix: str) -> None:
    nanoseconds = int(NOON.timestamp()) * 10**9 + 5_000
    tail = ".token" if "domain" in prefix else ""

    standing = standing_of(f"{prefix}.RAYLOG.executor.2.41.17.{nanoseconds}.3{tail}")

    at = NOON + timedelta(microseconds=5)
    assert standing == Standing(attempt=2, sequence=41, order=17, at=at, pending=3)


def test_shows_own_headers_and_the_id_and_hides_the_servers() -> None:
    raw = b"NATS/1.0\r\nRay-RV: 3\r\nNats-Msg-Id: i\r\nNats-TTL: 3s\r\n\r\n"
    stored = Stored(
        subject="s",
        seq=5,
        time="2030-01-01T12:00:00.123456789Z",
        data=b64encode(b"body").decode(),
        hdrs=b64encode(raw).decode(),
    )

    assert read_stored(stored) == Message(
        sequence=5,
        at=NOON + timedelta(microseconds=123456),
        subject="s",
        headers={"Ray-RV": "3", "Nats-Msg-Id": "i"},
        data=b"body",
    )


@pytest.mark.parametrize("header", [b"Nats-Marker-Reason: MaxAge", b"KV-Operation: DEL"])
def test_knows_a_marker(header: bytes) -> None:
    hdrs = b64encode(b"NATS/1.0\r\n" + header + b"\r\n\r\n").decode()

    assert read_stored(Stored(subject="s", seq=1, time="2030-01-01T12:00:00Z", hdrs=hdrs)).gone
