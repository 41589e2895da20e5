"""Finds what a schema refuses, and says it in the API server's words.

The CRD's schema is translated once into JSON Schema proper (`nullable` and int-or-string spelled
out) and checked by jsonschema_rs; what that library lets through and Kubernetes does not (int32
range, duplicates in sets and maps) is checked here and in lists.py. Read next: wording.py.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import jsonschema_rs

from sandbox.errors import Cause
from sandbox.schemas.correlation import at, past_at
from sandbox.schemas.formats import fits, unfit
from sandbox.schemas.lists import duplicates
from sandbox.schemas.nodes import ABSENT, Node
from sandbox.schemas.wording import ROOT, all_worded, field_path, invalid

_RANGES = {"int32": 31, "int64": 63}
_COPIED = [
    "type",
    "enum",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "required",
    "multipleOf",
]


class Validator(Protocol):
    """The part of a compiled JSON Schema that we use."""

    def iter_errors(self, instance: Any) -> Iterator[jsonschema_rs.ValidationError]:
        """Yield every error."""
        ...


def compile_validator(schema: Mapping[str, Any]) -> Validator:
    """Translate and compile the `openAPIV3Schema` of a CRD version."""
    return jsonschema_rs.Draft7Validator(translated(schema))


def translated(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Spell a structural schema as plain JSON Schema, draft 7."""
    out: dict[str, Any] = {key: schema[key] for key in _COPIED if key in schema}
    if schema.get("x-kubernetes-int-or-string"):
        out["type"] = ["integer", "string"]
    for key in ("allOf", "anyOf", "oneOf"):
        if key in schema:
            out[key] = [translated(part) for part in schema[key]]
    for key in ("not", "items", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            out[key] = translated(schema[key])
    if "properties" in schema:
        out["properties"] = {k: translated(v) for k, v in schema["properties"].items()}
    _spell_strictness(schema, out)
    return _or_null(out) if schema.get("nullable") else out


def _spell_strictness(schema: Mapping[str, Any], out: dict[str, Any]) -> None:
    """Turn OpenAPI's `exclusiveMinimum: true` into a limit of its own."""
    for limit, strict in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if schema.get(strict) is True and limit in out:
            out[strict] = out.pop(limit)


def find_problems(
    root: Node, validator: Validator, obj: Mapping[str, Any], old: Mapping[str, Any] | None = None
) -> tuple[Cause, ...]:
    """Find every problem, in the order of the object's fields, but none that was there before."""
    plain = tuple(
        cause
        for error in validator.iter_errors(obj)
        if old is None or not _stood(root, obj, old, tuple(error.instance_path))
        for cause in all_worded(error)
    )
    return (*plain, *_beyond(root, obj, ()))


def _stood(
    root: Node, obj: Mapping[str, Any], old: Mapping[str, Any], path: tuple[str | int, ...]
) -> bool:
    """Tell whether the refused value is the one that was there before."""
    past = past_at(root, old, obj, path)
    return past.value is not ABSENT and past.value == at(obj, path)


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    kinds = schema.get("type")
    if kinds is not None:
        listed = kinds if isinstance(kinds, list) else [kinds]
        schema["type"] = [*listed, "null"]
    if "enum" in schema and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]
    return schema


def _beyond(node: Node, value: object, path: tuple[str | int, ...]) -> Iterator[Cause]:
    """Check what JSON Schema cannot say."""
    if isinstance(value, Mapping):
        yield from _about_embedded(node, value, path)
        for name, below in value.items():
            child = node.properties.get(name, node.values)
            if child is not None:
                yield from _beyond(child, below, (*path, name))
    elif isinstance(value, list):
        yield from duplicates(node, value, path)
        for index, item in enumerate(value if node.items is not None else ()):
            yield from _beyond(node.items or node, item, (*path, index))
    elif node.type == "integer" and isinstance(value, int | float) and not isinstance(value, bool):
        yield from _out_of_range(node, value, path)
    elif node.type == "string" and isinstance(value, str) and not fits(node.format, value):
        yield unfit(field_path(path), value, node.format)


def _about_embedded(
    node: Node, value: Mapping[str, Any], path: tuple[str | int, ...]
) -> Iterator[Cause]:
    """Refuse an object within the object that does not say what it is."""
    if node.embedded:
        for name in ("apiVersion", "kind"):
            if not value.get(name):
                field = field_path((*path, name))
                yield Cause(reason="FieldValueRequired", field=field, message="Required value")


def _out_of_range(node: Node, value: float, path: tuple[str | int, ...]) -> Iterator[Cause]:
    """Refuse numbers that do not fit; the API server names their place in words only."""
    bits = _RANGES.get(node.format)
    outside = bits is not None and not -(1 << bits) <= value < (1 << bits)
    if outside or value % 1:
        form = f"with format {node.format}" if node.format else "(default format)"
        told = f"Checked value must be of type integer {form} in {field_path(path)}"
        yield invalid(ROOT, "", told)
