"""A structural schema as a tree of small values, read once from the CRD's OpenAPI document.

Structural means: every field is spelled out in `properties`, `items` or `additionalProperties`;
`anyOf` and its kin only narrow values down. So one walk of this tree is enough to prune, to default
and to know how a list merges. Read next: pruning.py, defaulting.py.
"""

from collections.abc import Mapping
from typing import Any

import msgspec


class Absent(msgspec.Struct, frozen=True):
    """Stands for "no default", since null is a default too."""


ABSENT = Absent()


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One place in an object, and what may stand there."""

    type: str = ""
    format: str = ""
    properties: Mapping[str, "Node"] = msgspec.field(default_factory=dict)
    items: "Node | None" = None
    values: "Node | None" = None
    nullable: bool = False
    preserves: bool = False
    embedded: bool = False
    default: Any = ABSENT
    list_type: str = "atomic"
    list_keys: tuple[str, ...] = ()
    map_type: str = "granular"
    defaulted: tuple[str, ...] = ()

    @property
    def specifies(self) -> bool:
        """Whether anything is known about the fields below."""
        return bool(self.properties) or self.items is not None or self.values is not None


def reach(root: Node, path: tuple[str, ...]) -> Node | None:
    """Find the node for a path of field names; lists are stepped through, not named."""
    node: Node | None = root
    for name in path:
        while node is not None and node.items is not None:
            node = node.items
        if node is None:
            return None
        node = node.properties.get(name, node.values)
    return node


def read_node(schema: Mapping[str, Any]) -> Node:
    """Read one schema and everything below it."""
    properties = {name: read_node(below) for name, below in schema.get("properties", {}).items()}
    items = read_node(schema["items"]) if isinstance(schema.get("items"), Mapping) else None
    extra = schema.get("additionalProperties")
    values = read_node(extra) if isinstance(extra, Mapping) else None
    return Node(
        type=schema.get("type", ""),
        format=schema.get("format", ""),
        properties=properties,
        items=items,
        values=values,
        nullable=bool(schema.get("nullable", False)),
        preserves=bool(schema.get("x-kubernetes-preserve-unknown-fields", False)) or extra is True,
        embedded=bool(schema.get("x-kubernetes-embedded-resource", False)),
        default=schema.get("default", ABSENT),
        list_type=schema.get("x-kubernetes-list-type", "atomic"),
        list_keys=tuple(schema.get("x-kubernetes-list-map-keys", ())),
        map_type=schema.get("x-kubernetes-map-type", "granular"),
        defaulted=tuple(name for name, node in properties.items() if node.default is not ABSENT),
    )
