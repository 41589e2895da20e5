"""Reads an applied object as its types say, before anything is merged.

Where items of a set or of a keyed list repeat, where an item has no key, and where a field is not
declared, the API server gives up at once: it could not tell who owns what. Read next:
serverside.py.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.errors import ApiError
from sandbox.objects import metadata
from sandbox.patches.fieldsets import Field, key_element, spelled, value_element
from sandbox.patches.shapes import KEY_DEFAULTS, Names, Shape, Shapes
from sandbox.schemas.nodes import Node
from sandbox.schemas.pruning import ROOT_FIELDS


def check_typed(applied: Mapping[str, Any], shapes: Shapes) -> None:
    """Raise `ApiError` (500, as the API server does) if the object cannot be read."""
    root = shapes.schema.root if shapes.schema else None
    problems = list(_problems(applied, (), (), shapes, root))
    if not problems:
        return
    meta = metadata(applied)
    version = str(applied.get("apiVersion", ""))
    about = f"{meta.get('namespace', '')}/{meta.get('name', '')}; "
    about += f"{version if '/' in version else f'/{version}'}, Kind={applied.get('kind', '')}"
    told = problems[0] if len(problems) == 1 else "errors:\n  " + "\n  ".join(problems)
    raise ApiError(500, "", f"failed to create typed patch object ({about}): {told}")


def _problems(
    value: object, field: Field, path: Names, shapes: Shapes, node: Node | None
) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, below in value.items():
            here = (*field, f"f:{name}")
            if node is not None and not _declares(node, name):
                yield f"{spelled(here)}: field not declared in schema"
                continue
            child = node and node.properties.get(name, node.values)
            yield from _problems(below, here, (*path, name), shapes, child)
    elif isinstance(value, list):
        shape = shapes.of_list(path)
        items = node.items if node else None
        if shape.merges == "atomic":
            for item in value:
                yield from _problems(item, field, path, shapes, items)
        else:
            yield from _repeated(value, field, shape)
            for item in value:
                yield from _problems(item, (*field, _element(item, shape)), path, shapes, items)


def _repeated(items: list[Any], field: Field, shape: Shape) -> Iterator[str]:
    seen: set[str] = set()
    for index, item in enumerate(items):
        if shape.merges == "map" and not _keyed(item, shape.keys):
            listed = " ".join(f'"{key}"' for key in shape.keys)
            yield (
                f"{spelled(field)}: element {index}: associative list with keys has an element "
                f"that omits all key fields [{listed}] "
                "(and doesn't have default values for any key fields)"
            )
            continue
        element = _element(item, shape)
        if element in seen:
            yield f"{spelled(field)}: duplicate entries for key {spelled((element,))}"
        seen.add(element)


def _keyed(item: object, keys: tuple[str, ...]) -> bool:
    if not isinstance(item, Mapping):
        return False
    return any(key in item or key in KEY_DEFAULTS for key in keys)


def _element(item: Any, shape: Shape) -> str:
    if shape.merges == "map" and isinstance(item, Mapping):
        return key_element(item, shape.keys)
    return value_element(item)


def _declares(node: Node, name: str) -> bool:
    """Whether a field may stand here; a place that says nothing about its fields takes all."""
    if node.preserves or not node.specifies or (node.embedded and name in ROOT_FIELDS):
        return True
    return name in node.properties or node.values is not None
