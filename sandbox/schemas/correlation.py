"""What stood in a place before: the old value that belongs to a new one.

Fields belong together by name; items of a keyed list by their keys; items of other lists have no
past, because nobody can tell which of them is which. Read next: judging.py, validation.py.
"""

from collections.abc import Mapping
from typing import Any

from sandbox.schemas.nodes import ABSENT, Node


class Past:
    """The old value of one place; `known` is false where there is none."""

    def __init__(self, node: Node | None, value: Any = ABSENT) -> None:
        self._node = node
        self.value = value

    @property
    def known(self) -> bool:
        """Whether there was a value, and not a null."""
        return self.value is not ABSENT and self.value is not None

    def field(self, name: str) -> "Past":
        """Step to a field."""
        node = self._node
        child = None if node is None else node.properties.get(name, node.values)
        atomic = node is not None and node.map_type == "atomic"
        if atomic or not isinstance(self.value, Mapping) or name not in self.value:
            return Past(child)
        return Past(child, self.value[name])

    def item(self, new: Any) -> "Past":
        """Step to the item that has the same keys as a new one."""
        node = self._node
        items = None if node is None else node.items
        if node is None or node.list_type != "map" or not isinstance(self.value, list):
            return Past(items)
        wanted = _keys(node, new)
        return Past(items, next((old for old in self.value if _keys(node, old) == wanted), ABSENT))


def past_at(root: Node, old: Any, new: Any, path: tuple[str | int, ...]) -> Past:
    """Follow a path of the new value into the old one."""
    past = Past(root, old)
    for step in path:
        if isinstance(step, int):
            new = new[step]
            past = past.item(new)
        else:
            new = new.get(step)
            past = past.field(str(step))
    return past


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    """Follow a path that exists."""
    for step in path:
        value = value[step]
    return value


def _keys(node: Node, item: Any) -> dict[str, Any] | None:
    if not isinstance(item, Mapping):
        return None
    found = {}
    for key in node.list_keys:
        known = node.items.properties.get(key) if node.items is not None else None
        usual = None if known is None or known.default is ABSENT else known.default
        found[key] = item.get(key, usual)
    return found
