"""The fields of built-in kinds, as trees: what is unknown there is dropped, and told.

The table `builtin_types.json` is made from the API server's own description by
`python -m tools.generate_conformance types`: types by name, fields by name, and for each field
nothing (a value), a type, or a type in brackets (a list) or braces (a map) of it.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from sandbox.objects import Object
from sandbox.schemas.nodes import Node

ANYTHING = Node(preserves=True)
WRITE_EMPTY_LISTS = frozenset(
    ("rbac.authorization.k8s.io", "discovery.k8s.io", "apiextensions.k8s.io")
)
Types = Mapping[str, Mapping[str, str]]


class Table(msgspec.Struct, frozen=True):
    """All types, and which of them each kind is."""

    kinds: Mapping[str, str]
    types: Types


def builtin_node(obj: Object) -> Node:
    """Return the fields of an object's kind; anything goes where the kind is not described."""
    return _node_of(str(obj.get("apiVersion", "")), str(obj.get("kind", "")))


@cache
def _node_of(api_version: str, kind: str) -> Node:
    name = _table().kinds.get(f"{api_version}/{kind}")
    return _node(name) if name else ANYTHING


@cache
def _table() -> Table:
    data = files("sandbox.schemas").joinpath("builtin_types.json").read_bytes()
    return msgspec.json.decode(data, type=Table)


@cache
def _node(name: str) -> Node:
    fields: Mapping[str, Any] | None = _table().types.get(name)
    if not fields:
        return ANYTHING
    return Node(type="object", properties={field: _field(kind) for field, kind in fields.items()})


def _field(kind: str) -> Node:
    if kind.startswith("["):
        return Node(type="array", items=_field(kind[1:-1]))
    if kind.startswith("{"):
        return Node(type="object", values=_field(kind[1:-1]))
    return _node(kind) if kind else ANYTHING


def without_empty(node: Node, obj: Object) -> Object:
    """Copy an object without its empty maps and lists: typed as they are, they are not written.

    An empty object of a type stays. Kinds that write some of their empty lists are left alone.
    """
    if str(obj.get("apiVersion", "")).partition("/")[0] in WRITE_EMPTY_LISTS:
        return obj
    filled: Object = _filled(node, obj)
    return filled


def _filled(node: Node | None, value: Any) -> Any:
    if node is None:
        return value
    if isinstance(value, dict):
        kept = (
            value.items()
            if node.values is not None
            else (
                (name, below)
                for name, below in value.items()
                if not _empty(node.properties.get(name), below)
            )
        )
        return {
            name: _filled(node.properties.get(name, node.values), below) for name, below in kept
        }
    if isinstance(value, list):
        return [_filled(node.items, item) for item in value]
    return value


def _empty(node: Node | None, value: Any) -> bool:
    if node is None or value is None:
        return False
    return value in ({}, []) and (node.values is not None or node.items is not None)
