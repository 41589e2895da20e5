"""The few protobuf bodies that kubectl insists on: of what it creates, and of what it asks.

Namespaces, config maps, secrets, accounts, roles and bindings; and what one may do. `kubectl create
namespace` and its kin send protobuf and do not fall back to JSON. Pure. Each form lists the fields
we read; invariant: a field with content that is not listed refuses the whole body (415), so nothing
is lost silently.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from sandbox.errors import ApiError
from sandbox.objects import Object

MAGIC = b"k8s\x00"
ACCEPTED = ("application/json", "application/yaml")
MAPS = frozenset(("texts", "blobs"))
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

Shape: TypeAlias = Literal["text", "flag", "texts", "blobs", "words"]
Form: TypeAlias = Mapping[int, tuple[str, "Shape | Form | Many"]]


class Many(Struct, frozen=True):
    """A list of messages of one form."""

    form: Form


METADATA: Form = {
    1: ("name", "text"),
    2: ("generateName", "text"),
    3: ("namespace", "text"),
    11: ("labels", "texts"),
    12: ("annotations", "texts"),
}
RULE: Form = {
    1: ("verbs", "words"),
    2: ("apiGroups", "words"),
    3: ("resources", "words"),
    4: ("resourceNames", "words"),
    5: ("nonResourceURLs", "words"),
}
SUBJECT: Form = {
    1: ("kind", "text"),
    2: ("apiGroup", "text"),
    3: ("name", "text"),
    4: ("namespace", "text"),
}
REFERENCE: Form = {1: ("apiGroup", "text"), 2: ("kind", "text"), 3: ("name", "text")}
ROLE: Form = {1: ("metadata", METADATA), 2: ("rules", Many(RULE))}
BINDING: Form = {
    1: ("metadata", METADATA),
    2: ("subjects", Many(SUBJECT)),
    3: ("roleRef", REFERENCE),
}
ASKED: Form = {
    1: ("namespace", "text"),
    2: ("verb", "text"),
    3: ("group", "text"),
    4: ("version", "text"),
    5: ("resource", "text"),
    6: ("subresource", "text"),
    7: ("name", "text"),
}
PATH: Form = {1: ("path", "text"), 2: ("verb", "text")}
RBAC, REVIEWS = "rbac.authorization.k8s.io/v1", "authorization.k8s.io/v1"
FORMS: Mapping[tuple[str, str], Form] = {
    ("v1", "Namespace"): {1: ("metadata", METADATA)},
    ("v1", "ServiceAccount"): {1: ("metadata", METADATA)},
    ("v1", "ConfigMap"): {
        1: ("metadata", METADATA),
        2: ("data", "texts"),
        3: ("binaryData", "blobs"),
        4: ("immutable", "flag"),
    },
    ("v1", "Secret"): {
        1: ("metadata", METADATA),
        2: ("data", "blobs"),
        3: ("type", "text"),
        4: ("stringData", "texts"),
        5: ("immutable", "flag"),
    },
    (RBAC, "Role"): ROLE,
    (RBAC, "ClusterRole"): ROLE,
    (RBAC, "RoleBinding"): BINDING,
    (RBAC, "ClusterRoleBinding"): BINDING,
    (REVIEWS, "SelfSubjectAccessReview"): {
        1: ("metadata", METADATA),
        2: ("spec", {1: ("resourceAttributes", ASKED), 2: ("nonResourceAttributes", PATH)}),
    },
}
TYPE: Form = {1: ("apiVersion", "text"), 2: ("kind", "text")}


def read_object(data: bytes) -> Object:
    """Read a body; raises `ApiError` (415) if it is not one of the known forms."""
    try:
        return _read(data)
    except (IndexError, UnicodeDecodeError) as error:
        raise ApiError.unsupported_media_type(ACCEPTED) from error


def _read(data: bytes) -> Object:
    if not data.startswith(MAGIC):
        raise ApiError.unsupported_media_type(ACCEPTED)
    parts = dict(_fields(data[len(MAGIC) :]))
    named = _message(_bytes(parts.get(1, b"")), TYPE)
    form = FORMS.get((named.get("apiVersion", ""), named.get("kind", "")))
    if form is None:
        raise ApiError.unsupported_media_type(ACCEPTED)
    return {**named, **_message(_bytes(parts.get(2, b"")), form)}


def _message(data: bytes, form: Form) -> Object:
    read: Object = {}
    for number, value in _fields(data):
        if number not in form:
            _require_empty(value)
            continue
        name, shape = form[number]
        if isinstance(shape, str) and shape in MAPS:
            read.setdefault(name, {}).update(_entry(_bytes(value), blob=shape == "blobs"))
        elif isinstance(shape, Many):
            read.setdefault(name, []).append(_message(_bytes(value), shape.form))
        elif shape == "words":
            read.setdefault(name, []).append(_bytes(value).decode())
        elif found := _value(value, shape):
            read[name] = found
    return read


def _value(value: int | bytes, shape: "Shape | Form") -> Any:
    if shape == "text":
        return _bytes(value).decode()
    if shape == "flag":
        return bool(value)
    return _message(_bytes(value), shape) if isinstance(shape, Mapping) else None


def _entry(data: bytes, *, blob: bool) -> dict[str, str]:
    pair = dict(_fields(data))
    key, value = _bytes(pair.get(1, b"")).decode(), _bytes(pair.get(2, b""))
    return {key: b64encode(value).decode() if blob else value.decode()}


def _require_empty(value: int | bytes) -> None:
    """Accept what a client sends for an unset field: zero, or messages of nothing."""
    if isinstance(value, int):
        if value:
            raise ApiError.unsupported_media_type(ACCEPTED)
        return
    for _, inner in _fields(value):
        _require_empty(inner)


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise ApiError.unsupported_media_type(ACCEPTED)
    return value


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        number, wire = tag >> 3, tag & 7
        if wire == VARINT:
            value, position = _varint(data, position)
            yield number, value
            continue
        size, position = _size(data, position, wire)
        if position + size > len(data):
            raise ApiError.unsupported_media_type(ACCEPTED)
        yield number, data[position : position + size]
        position += size


def _size(data: bytes, position: int, wire: int) -> tuple[int, int]:
    if wire == BYTES:
        return _varint(data, position)
    if wire == FIXED64:
        return 8, position
    if wire == FIXED32:
        return 4, position
    raise ApiError.unsupported_media_type(ACCEPTED)


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value, shift = 0, 0
    while data[position] & 0x80:
        value |= (data[position] & 0x7F) << shift
        shift += 7
        position += 1
    return value | data[position] << shift, position + 1
