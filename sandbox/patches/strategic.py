"""Strategic merge patch: a merge patch whose lists merge by key, with directives for the rest.

`$patch` replaces or deletes, `$retainKeys` drops sibling keys, `$deleteFromPrimitiveList/x` takes
values out, `$setElementOrder/x` orders. No directive ever ends up in the object. Only built-in
kinds have it; the keys are in shapes.py. Read next: serverside.py.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sandbox.errors import ApiError
from sandbox.objects import Object, copy_of, go_type
from sandbox.patches.shapes import Names, Shapes

_ORDER = "$setElementOrder/"
_WITHOUT = "$deleteFromPrimitiveList/"


def strategic_merge_patch(current: Object, patch: object, shapes: Shapes) -> Object:
    """Merge `patch` into a copy of `current`."""
    if not isinstance(patch, Mapping):
        raise ApiError.bad_request(
            f"error decoding patch: json: cannot unmarshal {go_type(patch)} into Go value of type "
            "map[string]interface {}"
        )
    return _object(copy_of(current), patch, (), shapes)


def _object(current: Object, patch: Mapping[str, Any], path: Names, shapes: Shapes) -> Object:
    before = dict(current)
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
    _follow_directives(merged, before, patch, path, shapes)
    return merged


def _follow_directives(
    merged: Object, before: Object, patch: Mapping[str, Any], path: Names, shapes: Shapes
) -> None:
    for name, value in patch.items():
        if name.startswith(_WITHOUT):
            _take_out(merged, name.removeprefix(_WITHOUT), value)
        elif name.startswith(_ORDER):
            field = name.removeprefix(_ORDER)
            old = before.get(field)
            key = _key(shapes, (*path, field))
            _put_in_order(merged, field, value, key, old if isinstance(old, list) else [])


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
        return _placed(before, patch, lambda value: value)
    if not all(isinstance(item, Mapping) for item in patch):
        raise ApiError.bad_request(f"items of {path[-1]} must be objects")
    plain = [item for item in patch if item.get("$patch", "merge") == "merge"]
    if any(item.get("$patch") == "replace" for item in patch):
        return [_object({}, item, path, shapes) for item in plain]
    key = shape.keys[0]
    gone = [_key_value(item, key) for item in patch if item.get("$patch") == "delete"]
    kept = [item for item in before if item.get(key) not in gone]
    merged = list(kept)
    for item in plain:
        _merge_item(merged, item, key, path, shapes)
    mine = {_key_value(item, key) for item in plain}
    fresh = [item for item in merged if item.get(key) in mine]
    fresh.sort(key=lambda item: [_key_value(each, key) for each in plain].index(item.get(key)))
    return _placed(kept, fresh, lambda item: item.get(key))


def _placed(before: list[Any], patched: list[Any], name: Callable[[Any], Any]) -> list[Any]:
    """Order a merged list: as it was; what is new comes as early as the patch's order allows."""
    order = [name(item) for item in before]
    names = [name(item) for item in patched]
    rest = [item for item in before if name(item) not in names]
    merged: list[Any] = []
    for item in patched:
        if name(item) in order:
            place = order.index(name(item))
            while rest and order.index(name(rest[0])) < place:
                merged.append(rest.pop(0))
        merged.append(item)
    return merged + rest


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


def _put_in_order(
    merged: Object, name: str, order: object, key: str | None, before: list[Any]
) -> None:
    """Sort the items that `order` names; the others keep their places between them."""
    if not isinstance(order, list):
        raise ApiError.bad_request("invalid patch format of setElementOrder list")
    items = merged.get(name)
    if not isinstance(items, list):
        return

    def named(item: Any) -> Any:
        return item.get(key) if isinstance(item, Mapping) else item

    wanted = [named(item) for item in order]
    chosen = sorted(
        (item for item in items if named(item) in wanted),
        key=lambda item: wanted.index(named(item)),
    )
    left = [named(item) for item in items]
    there = [item for item in before if named(item) in left]
    others = [item for item in items if named(item) not in wanted and item not in there]
    merged[name] = _placed(there, chosen, named) + others
