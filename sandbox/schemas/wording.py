"""Problems with an object, worded as the API server words them.

Each becomes a `Cause` of the refusal: `reason` and `field` for programs, `message` for people.
Read next: validation.py, which finds them.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import jsonschema_rs

from sandbox.errors import Cause

Path: TypeAlias = tuple[str | int, ...]

ROOT = "<nil>"
_SHOULD: Mapping[str, str] = {
    "minimum": "should be greater than or equal to {}",
    "maximum": "should be less than or equal to {}",
    "exclusiveMinimum": "should be greater than {}",
    "exclusiveMaximum": "should be less than {}",
    "multipleOf": "should be a multiple of {}",
    "minLength": "should be at least {} chars long",
    "minItems": "should have at least {} items",
    "minProperties": "should have at least {} properties",
    "pattern": "should match '{}'",
    "uniqueItems": "shouldn't contain duplicates",
}
_MUST: Mapping[str, str] = {
    "anyOf": "must validate at least one schema (anyOf)",
    "oneOf": "must validate one and only one schema (oneOf)",
    "not": "must not validate the schema (not)",
}


def field_path(path: Path) -> str:
    """Spell a path as `spec.groups[0].name`; the root is `<nil>`, as the API server has it."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".") or ROOT


def invalid(field: str, value: object, detail: str) -> Cause:
    """Refuse a value for a reason of its own."""
    message = f"Invalid value: {spelled(value)}: {detail}"
    return Cause(reason="FieldValueInvalid", field=field, message=message)


def duplicate(field: str, value: object) -> Cause:
    """Refuse a value that stands in the list already."""
    message = f"Duplicate value: {spelled(value)}"
    return Cause(reason="FieldValueDuplicate", field=field, message=message)


def spelled(value: object) -> str:
    """Spell a value as the API server does in messages: JSON without blanks."""
    return json.dumps(value, separators=(",", ":"), default=str)


def all_worded(error: jsonschema_rs.ValidationError) -> Iterator[Cause]:
    """Translate one finding; where no alternative fits, also what the first one lacks."""
    keyword = error.kind.name
    if keyword not in _MUST:
        yield worded(error)
        return
    where = field_path(tuple(error.instance_path))
    told = f'"{where}" {_MUST[keyword]}'
    groups = getattr(error.kind, "context", None) or []
    if keyword == "oneOf":
        fitting = sum(not group for group in groups)
        told += f". Found {f'{fitting} valid alternatives' if fitting else 'none valid'}"
    yield invalid(ROOT, "", told)
    if groups and all(groups):
        for each in groups[0]:
            yield from all_worded(each)


def worded(error: jsonschema_rs.ValidationError) -> Cause:
    """Translate one finding of the JSON Schema library."""
    path = tuple(error.instance_path)
    keyword = error.kind.name
    special = _SPECIAL.get(keyword)
    if special is not None:
        return special(path, error.instance, error.kind.value)
    where = field_path(path)
    if keyword in _SHOULD:
        told = _SHOULD[keyword].format(error.kind.value)
        return invalid(where, error.instance, f"{where} in body {told}")
    return invalid(where, error.instance, f'"{where}" {error.message}')


def type_name(value: object) -> str:
    """Name the JSON type of a value."""
    names = {bool: "boolean", str: "string", int: "integer", float: "number", list: "array"}
    return "null" if value is None else names.get(type(value), "object")


def _required(path: Path, _instance: Any, name: Any) -> Cause:
    field = field_path((*path, name))
    return Cause(reason="FieldValueRequired", field=field, message="Required value")


def _wrong_type(path: Path, instance: Any, wanted: Any) -> Cause:
    field = field_path(path)
    names = [kind for kind in wanted if kind != "null"]
    kinds = "integer,string" if set(names) == {"integer", "string"} else ",".join(names)
    found = spelled(type_name(instance))
    told = f"{field} in body must be of type {kinds}: {found}"
    return Cause(
        reason="FieldValueTypeInvalid", field=field, message=f"Invalid value: {found}: {told}"
    )


def _unsupported(path: Path, instance: Any, options: Any) -> Cause:
    choices = ", ".join(spelled(option) for option in options if option is not None)
    message = f"Unsupported value: {spelled(instance)}: supported values: {choices}"
    return Cause(reason="FieldValueNotSupported", field=field_path(path), message=message)


def _too_long(path: Path, _instance: Any, limit: Any) -> Cause:
    message = f"Too long: may not be more than {limit} bytes"
    return Cause(reason="FieldValueTooLong", field=field_path(path), message=message)


def _too_many(path: Path, instance: Any, limit: Any) -> Cause:
    message = f"Too many: {len(instance)}: must have at most {limit} items"
    return Cause(reason="FieldValueTooMany", field=field_path(path), message=message)


_SPECIAL: Mapping[str, Callable[[Path, Any, Any], Cause]] = {
    "required": _required,
    "type": _wrong_type,
    "enum": _unsupported,
    "maxLength": _too_long,
    "maxItems": _too_many,
    "maxProperties": _too_many,
}
