"""Lays what is applied over what is there, and takes fields out again.

Laying over never removes; taking out may leave a null where everything in an object or a list went
and nothing says that the place itself goes. So does the API server. Read next: serverside.py.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sandbox.objects import Object
from sandbox.patches.fieldsets import Fields, element_of, written
from sandbox.patches.shapes import Names, Shape, Shapes


def laid_over(live: Any, applied: Any, path: Names, shapes: Shapes) -> Any:
    """Merge; both are there, though they may be null."""
    if not live and not applied:
        return applied
    if _all(Mapping, live, applied) and not shapes.whole(path):
        return _objects(live or {}, applied or {}, path, shapes)
    if _all(list, live, applied) and (shape := shapes.of_list(path)).merges != "atomic":
        return _lists(live or [], applied or [], path, shape, shapes)
    return applied


def taken_out(obj: Object, fields: Fields, shapes: Shapes) -> Object:
    """Copy an object without some fields, and with nulls where they leave nothing."""
    return _taken(obj, written(fields), (), shapes) or {}


def _all(sort: type[Any], *values: Any) -> bool:
    return all(value is None or isinstance(value, sort) for value in values)


def _objects(
    live: Mapping[str, Any], applied: Mapping[str, Any], path: Names, shapes: Shapes
) -> Object:
    merged = dict(live)
    for name, value in applied.items():
        merged[name] = (
            laid_over(live[name], value, (*path, name), shapes) if name in live else value
        )
    return merged


def _lists(
    live: list[Any], applied: list[Any], path: Names, shape: Shape, shapes: Shapes
) -> list[Any]:
    """Merge in the order of what is applied; what is there besides stays where it was."""
    have = [element_of(item, shape) for item in live]
    want = [element_of(item, shape) for item in applied]
    said = dict(zip(want, applied, strict=True))
    held = {name: item for name, item in zip(have, live, strict=True) if have.count(name) == 1}
    merged = []
    for name, index in _order(have, want):
        if name not in said:
            merged.append(live[index])
        elif name in held and shape.merges == "map" and not shape.items_whole:
            merged.append(laid_over(held[name], said[name], path, shapes))
        else:
            merged.append(said[name])
    return merged


def _order(have: Sequence[str], want: Sequence[str]) -> list[tuple[str, int]]:
    """Name the items of the merged list, each with its place among those that are there."""
    out: list[tuple[str, int]] = []
    shared = [name for name in want if name in have]
    done: set[str] = set()
    left = right = 0
    while left < len(have) or right < len(want):
        name = have[left] if left < len(have) else ""
        later = bool(shared) and name in want and name != shared[0] and right < len(want)
        meets = bool(name) and right < len(want) and name == want[right]
        if name and name not in want:
            out.append((name, left))
            left += 1
        elif later and not meets:
            left += 1
        else:
            left += meets or name in done
            if right < len(want):
                out.append((want[right], right))
                done.add(want[right])
                if shared and shared[0] == want[right]:
                    shared.pop(0)
                right += 1
    return out


def _taken(value: Any, tree: Mapping[str, Any], path: Names, shapes: Shapes) -> Any:
    if isinstance(value, Mapping):
        return None if shapes.whole(path) else _object_without(value, tree, path, shapes)
    if not isinstance(value, list):
        return value
    shape = shapes.of_list(path)
    return None if shape.merges == "atomic" else _list_without(value, tree, path, shapes)


def _object_without(
    value: Mapping[str, Any], tree: Mapping[str, Any], path: Names, shapes: Shapes
) -> Object | None:
    kept: Object = {}
    for name, below in value.items():
        node = tree.get(f"f:{name}")
        if node is None:
            kept[name] = below
        elif not _goes(node):
            kept[name] = _taken(below, node, (*path, name), shapes)
    return kept or None


def _list_without(
    value: list[Any], tree: Mapping[str, Any], path: Names, shapes: Shapes
) -> list[Any] | None:
    shape = shapes.of_list(path)
    kept = []
    for item in value:
        node = tree.get(element_of(item, shape))
        if node is None:
            kept.append(item)
        elif not _goes(node):
            kept.append(_taken(item, node, path, shapes))
    return kept or None


def _goes(node: Mapping[str, Any]) -> bool:
    return not node or "." in node
