"""Lifecycle events on the wire: another library reads them as we do, in both modes."""

from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import msgspec
import pytest
from cloudevents.core.bindings.http import HTTPMessage, from_binary, from_structured
from cloudevents.core.formats.json import JSONFormat
from hypothesis import given
from hypothesis import strategies as st

from shared.events.cloudevents import (
    Circumstances,
    CloudEvent,
    Mode,
    Written,
    cloud_event,
    is_event,
    life_in,
    read,
    write,
)
from shared.events.lifecycle import EVENTS, LifeTold
from shared.kernel.keys import ResourceKey

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
KEY = ResourceKey(kind="rayjob", namespace="team-a", name="train")
MODES: tuple[Mode, ...] = get_args(Mode)
TOLD = LifeTold(what="failed", number=7, data={"because": 'it said "100 %" and ended: über'})
ALL = [(kind, what) for kind, events in EVENTS.items() for what in events]

texts = st.text(min_size=1, max_size=30)
moments = st.datetimes(
    min_value=datetime(1970, 1, 2),  # noqa: DTZ001 - the strategy adds the zone
    max_value=datetime(2999, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
mappings = st.dictionaries(st.text(max_size=8), values, max_size=4)
whats = st.sampled_from(ALL)


def circumstances(key: ResourceKey = KEY, at: datetime = NOON, uid: str = "u-1") -> Circumstances:
    return Circumstances(
        key=key,
        uid=uid,
        id="0123456789abcdef",
        at=at,
        recorded_at=at + timedelta(milliseconds=3),
        based_on=41,
        code="heliograph/0.1.0",
    )


def foreign(written: Written, mode: Mode) -> tuple[dict[str, Any], Any]:
    """Read a message with the library; attributes and data."""
    message = HTTPMessage(headers=dict(written.headers), body=written.body)
    reader = from_structured if mode == "structured" else from_binary
    event = reader(message, JSONFormat())
    return dict(event.get_attributes()), event.get_data()


def attributes_of(event: CloudEvent) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(event)
    return {**{name: plain[name] for name in plain if name != "data"}, "time": event.time}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("kind", "what"), ALL)
def test_another_library_reads_every_event_as_the_same(kind: str, what: str, mode: Mode) -> None:
    told = LifeTold(what=what, number=7, data=TOLD.data)
    key = ResourceKey(kind=kind, namespace="team-a", name="first")
    event = cloud_event(told, circumstances(key))

    attributes, data = foreign(write(event, mode), mode)

    assert attributes == attributes_of(event)
    assert data == told.data
    assert attributes["type"] == f"io.heliograph.{kind}.{what}.v1"
    assert attributes["source"] == f"/apis/ray.io/v1/namespaces/team-a/{kind}s"


@given(
    event=whats, place=st.tuples(texts, texts), uid=st.text(max_size=9), at=moments, data=mappings
)
@pytest.mark.parametrize("mode", MODES)
def test_any_text_comes_back_as_it_was(
    mode: Mode,
    event: tuple[str, str],
    place: tuple[str, str],
    uid: str,
    at: datetime,
    data: dict[str, object],
) -> None:
    kind, what = event
    key = ResourceKey(kind=kind, namespace=place[0], name=place[1])
    told = LifeTold(what=what, number=7, data=data)
    sent = cloud_event(told, circumstances(key, at, uid))

    written = write(sent, mode)
    heard = read(written.headers, written.body)

    assert heard == sent
    assert life_in(heard) == told
    assert is_event(written.headers)
    assert all(value.isascii() and value.isprintable() for value in written.headers.values())


@given(name=texts, data=mappings)
@pytest.mark.parametrize("mode", MODES)
def test_another_library_reads_any_text_as_we_do(
    mode: Mode, name: str, data: dict[str, object]
) -> None:
    key = ResourceKey(kind="rayjob", namespace="team-a", name=name)
    event = cloud_event(LifeTold(what="failed", number=1, data=data), circumstances(key))

    attributes, read_data = foreign(write(event, mode), mode)

    assert (attributes["subject"], read_data) == (name, data)


def test_structured_mode_is_told_by_its_content_type() -> None:
    written = write(cloud_event(TOLD, circumstances()), "structured")

    assert written.headers == {"Content-Type": "application/cloudevents+json"}
    assert msgspec.json.decode(written.body)["data"] == TOLD.data


def test_binary_mode_has_every_attribute_in_a_header_of_its_own() -> None:
    key = ResourceKey(kind="rayjob", namespace="team-a", name='a "b" 100% ü')
    written = write(cloud_event(TOLD, circumstances(key)), "binary")

    assert written.headers == {
        "Content-Type": "application/json",
        "ce-specversion": "1.0",
        "ce-id": "0123456789abcdef",
        "ce-source": "/apis/ray.io/v1/namespaces/team-a/rayjobs",
        "ce-type": "io.heliograph.rayjob.failed.v1",
        "ce-subject": "a%20%22b%22%20100%25%20%C3%BC",
        "ce-time": "2030-01-01T12:00:00Z",
        "ce-datacontenttype": "application/json",
        "ce-dataschema": "urn:heliograph:rayjob:failed:v1",
        "ce-sequence": "000000000007",
        "ce-partitionkey": "rayjob/team-a/a%20%22b%22%20100%25%20%C3%BC",
        "ce-resourceuid": "u-1",
        "ce-basedon": "41",
        "ce-codeversion": "heliograph/0.1.0",
        "ce-recordedtime": "2030-01-01T12:00:00.003000Z",
    }
    assert msgspec.json.decode(written.body) == TOLD.data


def test_header_names_and_media_types_are_read_in_any_case() -> None:
    event = cloud_event(TOLD, circumstances())
    binary, structured = write(event, "binary"), write(event, "structured")
    shouted = {name.upper(): value for name, value in binary.headers.items()}
    varied = {"content-type": "Application/CloudEvents+JSON; charset=UTF-8"}

    assert is_event(shouted)
    assert read(shouted, binary.body) == event
    assert is_event(varied)
    assert read(varied, structured.body) == event


def test_quoted_values_of_older_writers_are_understood() -> None:
    written = write(cloud_event(TOLD, circumstances()), "binary")
    quoted = {**written.headers, "ce-subject": r'"a \"b\" %41"'}

    assert read(quoted, written.body).subject == 'a "b" A'


def test_a_header_that_is_not_utf8_is_refused() -> None:
    written = write(cloud_event(TOLD, circumstances()), "binary")

    with pytest.raises(ValueError, match="utf-8"):
        read({**written.headers, "ce-subject": "%C0%A0"}, written.body)


def test_a_message_without_the_marks_is_no_event() -> None:
    assert not is_event({"Nats-Msg-Id": "1", "Content-Type": "application/json"})


def test_the_sequence_sorts_as_text() -> None:
    numbers = [1, 9, 10, 99, 100, 123_456]
    told = [
        cloud_event(LifeTold(what="ready", number=n, data={}), circumstances()) for n in numbers
    ]

    assert [int(event.sequence) for event in sorted(told, key=lambda one: one.sequence)] == numbers
