"""Fills in the defaults of a structural schema, and drops nulls that may not stand.

A null where null is not allowed counts as missing: the default takes its place, or it goes. Only
what was applied keeps a null that has no default: the API server then refuses it.
Defaults are filled in below values that exist (or were just defaulted), never below a field that is
absent and has no default itself. Read next: nodes.py.
"""

from collections.abc import Mapping
from typing import Any

from sandbox.objects import copy_of
from sandbox.schemas.nodes import ABSENT, Node


def defaulted(root: Node, obj: Mapping[str, Any], *, keep_nulls: bool = False) -> dict[str, Any]:
    """Copy the object with defaults filled in."""
    copy: dict[str, Any] = copy_of(obj)
    _fill(root, copy, keep_nulls=keep_nulls)
    return copy


def _fill(node: Node, value: object, *, keep_nulls: bool) -> None:
    if isinstance(value, dict):
        _fill_object(node, value, keep_nulls=keep_nulls)
    elif isinstance(value, list) and node.items is not None:
        _fill_list(node.items, value, keep_nulls=keep_nulls)


def _fill_object(node: Node, value: dict[str, Any], *, keep_nulls: bool) -> None:
    for name in node.defaulted:
        if name not in value:
            value[name] = copy_of(node.properties[name].default)
    for name in list(value):
        child = node.properties.get(name, node.values)
        if child is None:
            continue
        if value[name] is None and not child.nullable and not _bare(child):
            if child.default is ABSENT:
                if not keep_nulls:
                    del value[name]
                continue
            value[name] = copy_of(child.default)
        _fill(child, value[name], keep_nulls=keep_nulls)


def _fill_list(items: Node, value: list[Any], *, keep_nulls: bool) -> None:
    for index, item in enumerate(value):
        if item is None and not items.nullable and items.default is not ABSENT:
            value[index] = copy_of(items.default)
        _fill(items, value[index], keep_nulls=keep_nulls)


def _bare(node: Node) -> bool:
    """Whether the schema says nothing here but "keep it": then null is kept as well."""
    return node.preserves and not node.type
