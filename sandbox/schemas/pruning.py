"""Drops the fields of an object that its schema does not know, and says which they were.

Lists keep their length: an item is never dropped, only fields within it. A value of the wrong type
is left as it is, for validation to complain about. Read next: nodes.py.
"""

from collections.abc import Mapping
from typing import Any

from sandbox.objects import copy_of
from sandbox.schemas.nodes import Node

ROOT_FIELDS = ("apiVersion", "kind", "metadata")
_FIELDS = (dict, Mapping)
_ANYTHING = Node(preserves=True)
_NOTHING = Node()


def pruned(root: Node, obj: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Copy the object without unknown fields; name the fields that were dropped."""
    dropped: list[str] = []
    copy = _object(root, obj, "", dropped)
    return copy, tuple(dropped)


def _value(node: Node, value: object, path: str, dropped: list[str]) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, _FIELDS):
        return _object(node, value, path, dropped)
    if isinstance(value, list):
        items = node.items or (_ANYTHING if node.preserves else _NOTHING)
        return [_value(items, item, f"{path}[{i}]", dropped) for i, item in enumerate(value)]
    return value


def _object(node: Node, value: Mapping[str, Any], path: str, dropped: list[str]) -> dict[str, Any]:
    if node.preserves and not node.specifies and not node.embedded:
        return {name: copy_of(below) for name, below in value.items()}
    kept: dict[str, Any] = {}
    for name, below in value.items():
        where = f"{path}.{name}" if path else name
        child = _child(node, name)
        if child is None:
            dropped.append(where)
        else:
            kept[name] = _value(child, below, where, dropped)
    return kept


def _child(node: Node, name: str) -> Node | None:
    known = node.properties.get(name, node.values)
    if node.embedded and name in ROOT_FIELDS:
        return known if known is not None and known.specifies else _ANYTHING
    if known is not None:
        return known
    return _ANYTHING if node.preserves else None
