"""Bytes and records: equal values give equal bytes, and what cannot be read says so by name."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.actions.outcomes import AlreadySo, Done, Gone, Occupied, Overtaken, Refused, Unknown
from shared.events.codec import UnreadableRecordError, decode, encode
from shared.events.decisions import Answered, SettingsUsed
from shared.events.envelope import SCHEMA, Body, Envelope, Record
from shared.events.objects import Meta, ObjectGone, ResourceSeen
from shared.events.records import KindListed, StatusWritten, TimerFired
from shared.ports.event_log import Message
from tests.support.builders import KEY, NOON, UID

SUBJECT = "ray.41.raycluster.prod.demo.act"

WORDS = st.text(max_size=20)
NUMBERS = st.integers(min_value=0, max_value=2**53)
LABELS = st.dictionaries(WORDS, WORDS, max_size=4)
MOMENTS = st.datetimes(
    min_value=datetime(1971, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    max_value=datetime(2200, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
    timezones=st.just(UTC),
)
RAW = st.dictionaries(
    WORDS,
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**60), 2**60) | WORDS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)
METAS = st.builds(
    Meta,
    name=WORDS,
    namespace=WORDS,
    uid=WORDS,
    resource_version=NUMBERS,
    labels=LABELS,
    created_at=st.none() | MOMENTS,
    deleted_at=st.none() | MOMENTS,
)
OUTCOMES = st.one_of(
    st.builds(Done, uid=WORDS, resource_version=NUMBERS, deleting=st.booleans()),
    st.builds(AlreadySo, uid=WORDS, resource_version=NUMBERS),
    st.builds(Gone, resource_version=NUMBERS),
    st.builds(Refused, code=NUMBERS, reason=WORDS, message=WORDS),
    st.builds(Occupied, uid=WORDS, resource_version=NUMBERS, message=WORDS),
    st.builds(Overtaken, because=WORDS),
    st.builds(Unknown, error=WORDS),
)
BODIES: st.SearchStrategy[Body] = st.one_of(
    st.builds(ResourceSeen, meta=METAS, api_version=WORDS, spec=RAW, status=RAW),
    st.builds(ObjectGone, kind=WORDS, name=WORDS, uid=WORDS, resource_version=NUMBERS),
    st.builds(Answered, act=WORDS, outcomes=st.lists(OUTCOMES, max_size=4).map(tuple)),
    st.builds(SettingsUsed, digest=WORDS, settings=RAW),
    st.builds(StatusWritten, status=RAW, resource_version=NUMBERS, based_on=NUMBERS),
    st.builds(TimerFired, timer=WORDS, due_at=MOMENTS, act=NUMBERS),
    st.builds(
        KindListed,
        kind=WORDS,
        session=WORDS,
        number=NUMBERS,
        resource_version=NUMBERS,
        count=NUMBERS,
    ),
)


def envelope(body: Body) -> Envelope:
    return Envelope(
        schema=SCHEMA, id="record-1", body=body, code="1.0", written_at=NOON, key=KEY, uid=UID
    )


def message(data: bytes) -> Message:
    return Message(sequence=7, at=NOON, subject=SUBJECT, data=data)


def changed(**fields: object) -> bytes:
    """The bytes of an ordinary record with some fields changed."""
    raw = json.loads(
        encode(envelope(ObjectGone(kind="pod", name="w", uid="u", resource_version=1)))
    )
    return json.dumps(raw | fields).encode()


@given(BODIES)
def test_a_record_comes_back_as_it_was_written(body: Body) -> None:
    read = decode(message(encode(envelope(body))))

    assert read == Record(sequence=7, at=NOON, subject=SUBJECT, envelope=envelope(body))


@given(BODIES)
def test_reading_and_writing_again_gives_the_same_bytes(body: Body) -> None:
    written = encode(envelope(body))

    assert encode(decode(message(written)).envelope) == written


@given(st.permutations([("a", 1), ("b", 2), ("c", {"y": 1, "x": 2})]))
def test_the_order_in_which_a_mapping_was_filled_does_not_show(
    pairs: list[tuple[str, object]],
) -> None:
    body = StatusWritten(status=dict(pairs), resource_version=1, based_on=1)

    assert b'"status":{"a":1,"b":2,"c":{"x":2,"y":1}}' in encode(body)


def test_fields_keep_their_declared_order_and_defaults_are_left_out() -> None:
    body = ObjectGone(kind="pod", name="w", uid="u", resource_version=1)

    assert encode(envelope(body)) == (
        b'{"schema":1,"id":"record-1","body":{"type":"object_gone","kind":"pod","name":"w",'
        b'"uid":"u","resource_version":1},"code":"1.0","written_at":"2030-01-01T12:00:00Z",'
        b'"key":{"kind":"raycluster","namespace":"prod","name":"demo"},'
        b'"uid":"5f0c7f0e-0001-4000-8000-000000000001"}'
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json",
        b"[]",
        b"null",
        b"{}",
        b"\xff\xfe",
        changed(schema="1"),
        changed(schema=None),
        changed(schema=0),
        changed(schema=-1),
        changed(body={"type": "nobody_knows_this"}),
        changed(body={"type": "object_gone"}),
        changed(body=None),
        changed(written_at="yesterday"),
        changed(key={"kind": "raycluster"}),
    ],
)
def test_what_cannot_be_read_is_named_by_sequence_and_subject(data: bytes) -> None:
    with pytest.raises(UnreadableRecordError, match=f"^record 7 on {SUBJECT} cannot be read: "):
        decode(message(data))


def test_a_record_of_newer_code_is_not_guessed_at() -> None:
    with pytest.raises(UnreadableRecordError, match=r"has schema 2, this version reads up to 1$"):
        decode(message(changed(schema=SCHEMA + 1)))


def test_fields_that_newer_code_added_are_overlooked() -> None:
    assert decode(message(changed(novelty={"a": 1}))) == decode(message(changed()))


@given(st.binary(max_size=60))
def test_no_bytes_make_the_reader_raise_anything_else(data: bytes) -> None:
    with pytest.raises(UnreadableRecordError):
        decode(message(data))


@given(RAW)
def test_no_json_makes_the_reader_raise_anything_else(raw: Mapping[str, object]) -> None:
    with pytest.raises(UnreadableRecordError):
        decode(message(json.dumps({"schema": SCHEMA, **raw}).encode()))


def test_json_nested_too_deep_is_unreadable_and_nothing_worse() -> None:
    deep = b"[" * 2000 + b"]" * 2000
    body = b'{"type":"status_written","resource_version":1,"based_on":1,"status":{"a":%b}}' % deep
    data = b'{"schema":1,"id":"x","code":"","written_at":"2030-01-01T12:00:00Z","body":%b}' % body

    with pytest.raises(UnreadableRecordError, match="cannot be read"):
        decode(Message(sequence=1, at=NOON, subject="x", data=data))
