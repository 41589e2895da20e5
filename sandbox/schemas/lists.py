"""Lists that are sets or maps hold no two equal items.

Kubernetes marks such lists with `x-kubernetes-list-type`; a map's items are told apart by the
fields in `x-kubernetes-list-map-keys`. Read next: validation.py.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.errors import Cause
from sandbox.schemas.nodes import Node
from sandbox.schemas.wording import duplicate, field_path


def duplicates(node: Node, items: list[Any], path: tuple[str | int, ...]) -> Iterator[Cause]:
    """Yield one problem for each item that repeats an earlier one."""
    if node.list_type not in {"set", "map"}:
        return
    seen: set[str] = set()
    for index, item in enumerate(items):
        identity = _identity(node, item)
        text = json.dumps(identity, sort_keys=True)
        if text in seen:
            yield duplicate(field_path((*path, index)), identity)
        seen.add(text)


def _identity(node: Node, item: object) -> object:
    """Say what tells this item from others; a missing key counts with its default."""
    if node.list_type == "set" or not isinstance(item, Mapping):
        return item
    return {key: item[key] for key in node.list_keys if key in item}
