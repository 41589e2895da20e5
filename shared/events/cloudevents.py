"""Lifecycle events as CloudEvents 1.0 on NATS, and back.

Structured mode: the whole event is the body, its content type `application/cloudevents+json`.
Binary mode: the attributes are `ce-` headers, percent-encoded, and the body is the data alone. A
reader need not know which one was chosen. As the NATS binding wants it, header names and media
types are read in any case, quoted values are understood, and what is not UTF-8 is refused.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Literal

import msgspec
from msgspec import Struct

from shared.events.lifecycle import LifeTold, type_of
from shared.kernel.keys import ResourceKey

Mode = Literal["structured", "binary"]
CONTENT_TYPE = "Content-Type"
STRUCTURED_TYPE = "application/cloudevents+json"
_STRUCTURED = "application/cloudevents"
_ATTRIBUTE = "ce-"
_PERCENTS = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
JSON_TYPE = "application/json"
SPEC_VERSION = "1.0"
DIGITS = 12

_ENCODER = msgspec.json.Encoder(order="deterministic")
_QUOTED = re.compile(r"\\(.)")


class CloudEvent(Struct, frozen=True, kw_only=True):
    """An event with its attributes; the last six are extensions.

    `sequence` orders the events of one resource (`partitionkey`), as text of equal length.
    """

    specversion: str
    id: str
    source: str
    type: str
    subject: str
    time: datetime
    datacontenttype: str
    dataschema: str
    sequence: str
    partitionkey: str
    resourceuid: str
    basedon: str
    codeversion: str
    recordedtime: datetime
    data: dict[str, object]


class Written(Struct, frozen=True):
    """An event as one message."""

    headers: Mapping[str, str]
    body: bytes


class Circumstances(Struct, frozen=True, kw_only=True):
    """What an event needs beside itself: whose it is, when and by which code it is told."""

    key: ResourceKey
    uid: str
    id: str
    at: datetime
    recorded_at: datetime
    based_on: int
    code: str


_DECODER = msgspec.json.Decoder(CloudEvent)
PLURALS: Mapping[str, str] = MappingProxyType(
    {
        "raycluster": "rayclusters",
        "rayjob": "rayjobs",
        "rayservice": "rayservices",
        "raycronjob": "raycronjobs",
    }
)


def cloud_event(told: LifeTold, about: Circumstances) -> CloudEvent:
    """Return an event with all its attributes."""
    key = about.key
    plural = PLURALS.get(key.kind, key.kind)
    return CloudEvent(
        specversion=SPEC_VERSION,
        id=about.id,
        source=f"/apis/ray.io/v1/namespaces/{escaped(key.namespace)}/{escaped(plural)}",
        type=type_of(key.kind, told.what),
        subject=key.name,
        time=about.at,
        datacontenttype=JSON_TYPE,
        dataschema=f"urn:heliograph:{key.kind}:{told.what}:v1",
        sequence=str(told.number).zfill(DIGITS),
        partitionkey=str(key),
        resourceuid=about.uid,
        basedon=str(about.based_on),
        codeversion=about.code,
        recordedtime=about.recorded_at,
        data=told.data,
    )


def write(event: CloudEvent, mode: Mode) -> Written:
    """Put an event on the wire."""
    if mode == "structured":
        return Written({CONTENT_TYPE: STRUCTURED_TYPE}, _ENCODER.encode(event))
    attributes = msgspec.to_builtins(event)
    headers = {
        f"{_ATTRIBUTE}{name}": escaped(str(value))
        for name, value in attributes.items()
        if name != "data"
    }
    return Written({CONTENT_TYPE: event.datacontenttype, **headers}, _ENCODER.encode(event.data))


def is_event(headers: Mapping[str, str]) -> bool:
    """Tell whether a message is a CloudEvent, in either mode."""
    told = _lowered(headers)
    return _structured(told) or f"{_ATTRIBUTE}specversion" in told


def read(headers: Mapping[str, str], body: bytes) -> CloudEvent:
    """Read an event from the wire; raise `msgspec.MsgspecError` or `ValueError` if it is none."""
    told = _lowered(headers)
    if _structured(told):
        return _DECODER.decode(body)
    attributes = {
        name.removeprefix(_ATTRIBUTE): unescaped(_unquoted(value))
        for name, value in told.items()
        if name.startswith(_ATTRIBUTE)
    }
    content_type = told.get(CONTENT_TYPE.lower(), JSON_TYPE)
    raw = {"datacontenttype": content_type, **attributes, "data": msgspec.json.decode(body)}
    return msgspec.convert(raw, CloudEvent)


def life_in(event: CloudEvent) -> LifeTold:
    """Return the lifecycle event that a CloudEvent carries."""
    what = event.type.split(".")[-2]
    return LifeTold(what=what, number=int(event.sequence), data=event.data)


def _lowered(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value.strip() for name, value in headers.items()}


def escaped(text: str) -> str:
    """Return a text as a header holds it: printable ASCII without quotes, the rest as `%XX`."""
    return "".join(
        chr(byte) if 0x21 <= byte <= 0x7E and byte not in b'"%' else f"%{byte:02X}"  # noqa: PLR2004 - the printable ones
        for byte in text.encode()
    )


def unescaped(text: str) -> str:
    """Undo `escaped`; raise ValueError for what is not UTF-8."""
    return _PERCENTS.sub(lambda found: bytes.fromhex(found[0].replace("%", "")).decode(), text)


def _structured(lowered: Mapping[str, str]) -> bool:
    return lowered.get(CONTENT_TYPE.lower(), "").lower().startswith(_STRUCTURED)


def _unquoted(value: str) -> str:
    """Return a value without the quotes and escapes that older writers put around it."""
    if len(value) > 1 and value[0] == value[-1] == '"':
        return _QUOTED.sub(r"\1", value[1:-1])
    return value
