"""A change of one field, and a spec with it.

Invariant: a spec is never changed in place. What lies above a field and is missing is made, with
the least that its schema asks for.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from msgspec import UNSET, Struct

from shared.resources.crd import spec_schema
from tests.fuzzing.fields import Path, Schema, dotted
from tests.fuzzing.values import example


class Change(Struct, frozen=True, kw_only=True):
    """A field gets a value; `UNSET` takes it away."""

    path: Path
    value: object

    @property
    def field(self) -> str:
        """The path as people write it."""
        return dotted(self.path)


def changed(kind: str, spec: Any, changes: Sequence[Change]) -> Any:
    """Return a spec with changes, made one after another."""
    for change in changes:
        spec = _put(spec_schema(kind), spec, change.path, change.value)
    return spec


def value_at(spec: object, path: Path) -> object:
    """Return what stands at a path; `UNSET` if nothing does."""
    for part in path:
        if isinstance(part, int):
            if not isinstance(spec, list) or len(spec) <= part:
                return UNSET
            spec = spec[part]
        elif not isinstance(spec, Mapping) or part not in spec:
            return UNSET
        else:
            spec = spec[part]
    return spec


def _put(schema: Schema, there: Any, path: Path, value: object) -> Any:
    if not path:
        return value
    part, below = path[0], path[1:]
    if isinstance(part, int):
        return _put_entry(schema, there, part, below, value)
    kept = dict(there) if isinstance(there, Mapping) else example(schema)
    if not below and value is UNSET:
        return {name: entry for name, entry in kept.items() if name != part}
    inner = (schema.get("properties") or {}).get(part) or schema["additionalProperties"]
    return {**kept, part: _put(inner, kept.get(part), below, value)}


def _put_entry(schema: Schema, there: Any, index: int, below: Path, value: object) -> list[Any]:
    kept = list(there) if isinstance(there, list) else []
    while len(kept) <= index:
        kept.append(example(schema["items"]))
    if not below and value is UNSET:
        return [*kept[:index], *kept[index + 1 :]]
    return [*kept[:index], _put(schema["items"], kept[index], below, value), *kept[index + 1 :]]


def as_patch(changes: Sequence[Change]) -> str:
    """Return changes as a YAML document that a person can read and apply by hand."""
    lines = [
        {"field": change.field, "remove": True}
        if change.value is UNSET
        else {"field": change.field, "value": change.value}
        for change in changes
    ]
    return yaml.safe_dump(lines, sort_keys=False, allow_unicode=True)
