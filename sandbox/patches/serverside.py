"""Server-side apply: each manager owns the fields it applied, and only those.

Applying sets the given fields, removes those the manager applied before and no longer does (unless
someone else owns them too), and conflicts where it would change a field of another manager.
Applying the same twice changes nothing, not even a time. Other writers are tracked in
tracking.py. Read next: fieldsets.py for the sets, ownership.py for how managedFields is read and
written.
"""

from collections.abc import Mapping
from typing import Any

from sandbox.errors import ApiError
from sandbox.objects import Object, copy_of, metadata, with_metadata
from sandbox.patches.conflicts import Conflict, refusal
from sandbox.patches.fieldsets import Field, Fields, key_element, leaves, value_element
from sandbox.patches.ownership import Entry, FieldOwner, Ownership, owners_of, with_owners
from sandbox.patches.shapes import Names, Shapes
from sandbox.patches.typed import check_typed

METADATA: Field = ("f:metadata",)


def server_side_apply(
    current: Object, applied: object, owner: FieldOwner, shapes: Shapes
) -> Object:
    """Apply a configuration for its owner; `current` is {} where the object is new."""
    if not isinstance(applied, Mapping):
        raise ApiError.bad_request("error decoding YAML: an applied object must be a mapping")
    if metadata(applied).get("managedFields"):
        raise ApiError.bad_request("metadata.managedFields must be nil")
    check_typed(applied, shapes)
    wanted = leaves(applied, shapes)
    present = leaves(current, shapes)
    owners = owners_of(current)
    mine = owner.entry("Apply", str(applied.get("apiVersion", "")))
    conflicts = _conflicts(owners, mine, wanted, present)
    if conflicts and not owner.force:
        raise refusal(conflicts)
    before = owners.fields(mine)
    taken = frozenset(conflict.field for conflict in conflicts)
    owners = owners.without(taken).holding(mine, frozenset(wanted))
    dropped = before - _with_parents(owners.all_fields())
    merged = _merged(current, applied, (), shapes)
    remaining = _without(merged, dropped, (), (), shapes)
    if shapes.schema is not None:
        remaining = _with_nulls(remaining, merged, frozenset(wanted), ())
    moved = not _same(remaining, current)
    return with_owners(remaining, owners, before=current, at=owner.at if moved else "")


def _with_parents(fields: Fields) -> Fields:
    """Add what holds these fields: nobody may drop an object for which others own a part."""
    return frozenset(field[:end] for field in fields for end in range(1, len(field) + 1))


def _with_nulls(left: Object, merged: Object, said: Fields, field: Field) -> Object:
    """Put null where a custom object lost everything in an object that was said to be empty.

    So does the API server, which then refuses the null unless the schema allows it; in metadata
    it counts as blank.
    """
    out = dict(left)
    for name, value in merged.items():
        here = (*field, f"f:{name}")
        kept = left.get(name)
        if isinstance(value, Mapping) and isinstance(kept, Mapping):
            out[name] = _with_nulls(dict(kept), dict(value), said, here)
        elif isinstance(value, Mapping) and value and here in said:
            out[name] = {} if field == METADATA else None
    return out


def _same(one: Object, other: Object) -> bool:
    """Tell whether two objects differ in nothing but their owners."""
    return with_metadata(one, managedFields=None) == with_metadata(other, managedFields=None)


def _conflicts(
    owners: Ownership, mine: Entry, wanted: Mapping[Field, Any], present: Mapping[Field, Any]
) -> tuple[Conflict, ...]:
    return tuple(
        Conflict(entry=entry, field=field)
        for entry, fields in owners.others(mine)
        for field in sorted(fields & wanted.keys())
        if field in present and present[field] != wanted[field]
    )


def _merged(current: object, applied: Mapping[str, Any], path: Names, shapes: Shapes) -> Object:
    merged: Object = copy_of(current) if isinstance(current, Mapping) else {}
    for name, value in applied.items():
        here = (*path, name)
        if isinstance(value, Mapping) and not shapes.whole(here):
            merged[name] = _merged(merged.get(name), value, here, shapes)
        elif isinstance(value, list):
            merged[name] = _merged_list(merged.get(name), value, here, shapes)
        else:
            merged[name] = copy_of(value)
    return merged


def _merged_list(before: object, applied: list[Any], path: Names, shapes: Shapes) -> list[Any]:
    shape = shapes.of_list(path)
    if shape.merges == "atomic" or not isinstance(before, list):
        return list(copy_of(applied))
    if shape.merges == "set":
        return before + [value for value in applied if value not in before]
    merged = list(before)
    places = {key_element(item, shape.keys): index for index, item in enumerate(before)}
    for item in applied:
        index = places.get(key_element(item, shape.keys))
        if index is None:
            merged.append(copy_of(item))
        else:
            merged[index] = _merged(merged[index], item, path, shapes)
    return merged


def _without(obj: Object, dropped: Fields, field: Field, path: Names, shapes: Shapes) -> Object:
    """Copy an object without the dropped fields, and without objects that this empties."""
    kept: Object = {}
    for name, value in obj.items():
        here, names = (*field, f"f:{name}"), (*path, name)
        if here in dropped:
            continue
        left = _remaining(value, dropped, here, names, shapes)
        if left or not value or left == value:
            kept[name] = left
    return kept


def _remaining(value: Any, dropped: Fields, field: Field, path: Names, shapes: Shapes) -> Any:
    if not any(gone[: len(field)] == field for gone in dropped):
        return value
    if isinstance(value, Mapping):
        return _without(dict(value), dropped, field, path, shapes)
    if not isinstance(value, list):
        return value
    shape = shapes.of_list(path)
    kept = []
    for item in value:
        if shape.merges == "map":
            element = (*field, key_element(item, shape.keys))
            if element not in dropped:
                kept.append(_without(item, dropped, element, path, shapes))
        elif (*field, value_element(item)) not in dropped:
            kept.append(item)
    return kept
