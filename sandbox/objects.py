"""Raw Kubernetes objects: plain JSON dictionaries and the few ways we look into them.

Invariant of the whole sandbox: an object that was stored or handed out is never changed again;
whoever wants another one makes a copy. Read next: store.py.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

from msgspec import to_builtins

Object: TypeAlias = dict[str, Any]

_FIELDS = (dict, Mapping)
"""What has fields; nearly all are dictionaries, and asking for a protocol is slow."""


def copy_of(value: Any) -> Any:
    """Copy JSON, sharing only what cannot change."""
    return to_builtins(value, enc_hook=_fields)


def _fields(value: Any) -> Object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


def metadata(obj: Mapping[str, Any]) -> Object:
    """Return the object's metadata, or nothing in a dictionary."""
    found = obj.get("metadata")
    return found if isinstance(found, dict) else {}


def name_of(obj: Mapping[str, Any]) -> str:
    """Return the object's name, empty if it has none."""
    return str(metadata(obj).get("name") or "")


def namespace_of(obj: Mapping[str, Any]) -> str:
    """Return the object's namespace, empty if it has none."""
    return str(metadata(obj).get("namespace") or "")


def with_metadata(obj: Object, **changes: Any) -> Object:
    """Return the object with these metadata fields set, or dropped where the value is None."""
    merged = {**metadata(obj), **changes}
    kept = {key: value for key, value in merged.items() if value is not None}
    return {**obj, "metadata": kept}


def dig(obj: object, path: str) -> Any:
    """Follow a path of field names such as `spec.replicas`; None where it ends early."""
    found: object = obj
    for step in path.strip(".").split("."):
        if found is None or not isinstance(found, _FIELDS):
            return None
        found = found.get(step)
    return found


def bury(obj: Object, path: str, value: Any) -> Object:
    """Return the object with the value at a path of field names."""
    head, _, rest = path.strip(".").partition(".")
    if not rest:
        return {**obj, head: value}
    inner = obj.get(head)
    return {**obj, head: bury(inner if isinstance(inner, dict) else {}, rest, value)}


def rows(obj: object, path: str) -> Iterator[Object]:
    """Yield the dictionaries of the list at a path; nothing where there is none."""
    found = dig(obj, path)
    if isinstance(found, list):
        yield from (item for item in found if isinstance(item, dict))


def timestamp(moment: datetime) -> str:
    """Print a moment as metadata does: UTC, whole seconds."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment(text: str) -> datetime:
    """Read a timestamp as metadata has it."""
    return datetime.fromisoformat(text)


def go_type(value: object) -> str:
    """Name the JSON type of a value as the real decoder does."""
    if isinstance(value, bool):
        return "bool"
    names: dict[type, str] = {list: "array", str: "string", int: "number", float: "number"}
    return "object" if isinstance(value, Mapping) else names.get(type(value), "null")
