"""Schemas of the Kubernetes objects that stand inside ours.

`shared.resources.kubernetes` has them as text, one type after another; here they are spelled out,
on demand and once: services read resources all day and never need a schema. Models only name the
type they hold, with `stands_for`; `shared.resources.schema` puts the schema in its place.
"""

import json
from functools import cache

from shared.kernel.invariants import invariant
from shared.kernel.manifests import Raw, is_raw, mapping_at
from shared.resources.kubernetes import TYPES

Schema = dict[str, object]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "object", "additionalProperties": TEXT}
OBJECT: Schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
QUANTITY: Schema = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "pattern": (
        r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
        r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
    ),
    "x-kubernetes-int-or-string": True,
}
METADATA: Schema = {
    "type": "object",
    "properties": {
        "annotations": TEXTS,
        "finalizers": {"type": "array", "items": TEXT},
        "labels": TEXTS,
        "name": TEXT,
        "namespace": TEXT,
    },
}
"""What a template may say about the objects made from it; all else the API server prunes."""

_STANDS_FOR = "x-stands-for"


def stands_for(name: str) -> Schema:
    """Return the mark of a type of Kubernetes, to be put in a model."""
    return {"type": "object", _STANDS_FOR: name}


def spelled_out(schema: Raw) -> Raw:
    """Put the type of Kubernetes in the place of its mark; the words beside the mark win."""
    name = schema.get(_STANDS_FOR)
    if not isinstance(name, str):
        return schema
    return {**of_type(name), **{key: said for key, said in schema.items() if key != _STANDS_FOR}}


@cache
def of_type(name: str) -> Raw:
    """Return the whole schema of a type of Kubernetes."""
    found = mapping_at(_types(), name)
    invariant(bool(found), "a type that a model names is in the table")
    return _resolved(found)


@cache
def _types() -> Raw:
    found: Raw = json.loads(TYPES)
    return found


def _resolved(schema: Raw) -> Raw:
    other = schema.get("$type")
    if isinstance(other, str):
        return of_type(other)
    return {key: _resolved(value) if is_raw(value) else value for key, value in schema.items()}
