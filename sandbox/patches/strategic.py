"""Strategic merge patch: a merge patch whose lists merge by key, with directives for the rest.

`$patch` replaces or deletes, `$retainKeys` drops sibling keys, `$deleteFromPrimitiveList/x` takes
values out, `$setElementOrder/x` orders. No directive ever ends up in the object. Only built-in
kinds have it; the keys are in shapes.py. Read next: serverside.py.
"""

from collections.abc import Mapping
from typing import Any

from sandbox.errors import ApiError
from sandbox.objects import Object, copy_of
from sandbox.patches.shapes import Names, Shapes

_ORDER = "$setElementOrder/"
_WITHOUT = "$deleteFromPrimitiveList/"


def strategic_merge_patch(current: Object, patch: object, shapes: Shapes) -> Object:
    """Merge `patch` into a copy of `current`."""
    if not isinstance(patch, Mapping):
        raise ApiError.bad_request("error decoding patch: a merge patch must be a JSON object")
    return _object(copy_of(current), patch, (), shapes)


def _object(current: Object, patch: Mapping[str, Any], path: Names, shapes: Shapes) -> Object:
    match patch.get("$patch", "merge"):
        case "merge":
            merged = _retained(current, patch)
        case "replace":
            merged = {}
        case "delete":
            return {}
        case other:
            raise ApiError.bad_request(f"Unknown patch type found: {other}")
    for name, value in patch.items():
        if not name.startswith("$"):
            _set_field(merged, name, value, (*path, name), shapes)
    _follow_directives(merged, patch, path, shapes)
    return merged


def _follow_directives(
    merged: Object, patch: Mapping[str, Any], path: Names, shapes: Shapes
) -> None:
    for name, value in patch.items():
        if name.startswith(_WITHOUT):
            _take_out(merged, name.removeprefix(_WITHOUT), value)
        elif name.startswith(_ORDER):
            field = name.removeprefix(_ORDER)
            _put_in_order(merged, field, value, _key(shapes, (*path, field)))


def _retained(current: Object, patch: Mapping[str, Any]) -> Object:
    keep = patch.get("$retainKeys")
    if keep is None:
        return current
    if not isinstance(keep, list):
        raise ApiError.bad_request("invalid patch format of retainKeys")
    return {name: value for name, value in current.items() if name in keep}


def _set_field(merged: Object, name: str, value: object, path: Names, shapes: Shapes) -> None:
    before = merged.get(name)
    if value is None:
        merged.pop(name, None)
    elif isinstance(value, Mapping):
        merged[name] = _object(before if isinstance(before, dict) else {}, value, path, shapes)
    elif isinstance(value, list):
        merged[name] = _list(before if isinstance(before, list) else [], value, path, shapes)
    else:
        merged[name] = value


def _list(before: list[Any], patch: list[Any], path: Names, shapes: Shapes) -> list[Any]:
    shape = shapes.of_list(path)
    if shape.merges == "atomic":
        return list(copy_of(patch))
    if shape.merges == "set":
        return before + [value for value in patch if value not in before]
    if not all(isinstance(item, Mapping) for item in patch):
        raise ApiError.bad_request(f"items of {path[-1]} must be objects")
    plain = [item for item in patch if item.get("$patch", "merge") == "merge"]
    if any(item.get("$patch") == "replace" for item in patch):
        return [_object({}, item, path, shapes) for item in plain]
    key = shape.keys[0]
    gone = [_key_value(item, key) for item in patch if item.get("$patch") == "delete"]
    merged = [item for item in before if item.get(key) not in gone]
    for item in plain:
        _merge_item(merged, item, key, path, shapes)
    return merged


def _merge_item(
    merged: list[Any], item: Mapping[str, Any], key: str, path: Names, shapes: Shapes
) -> None:
    value = _key_value(item, key)
    for index, old in enumerate(merged):
        if old.get(key) == value:
            merged[index] = _object(old, item, path, shapes)
            return
    merged.append(_object({}, item, path, shapes))


def _key_value(item: Mapping[str, Any], key: str) -> object:
    if key not in item:
        raise ApiError.bad_request(f"map: {dict(item)} does not contain declared merge key: {key}")
    return item[key]


def _key(shapes: Shapes, path: Names) -> str | None:
    shape = shapes.of_list(path)
    return shape.keys[0] if shape.merges == "map" else None


def _take_out(merged: Object, name: str, values: object) -> None:
    if not isinstance(values, list):
        raise ApiError.bad_request("invalid patch format of primitive list")
    if isinstance(merged.get(name), list):
        merged[name] = [value for value in merged[name] if value not in values]


def _put_in_order(merged: Object, name: str, order: object, key: str | None) -> None:
    """Sort the items that `order` names; the others keep their places."""
    if not isinstance(order, list):
        raise ApiError.bad_request("invalid patch format of setElementOrder list")
    items = merged.get(name)
    if not isinstance(items, list):
        return
    names = [item.get(key) if isinstance(item, Mapping) else item for item in items]
    wanted = [item.get(key) if isinstance(item, Mapping) else item for item in order]
    places = [index for index, value in enumerate(names) if value in wanted]
    chosen = sorted(places, key=lambda index: wanted.index(names[index]))
    for place, index in zip(places, [items[index] for index in chosen], strict=True):
        items[place] = index
