"""Server-side apply: each manager owns the fields it applied, and only those.

What is applied is laid over what is there; what the manager applied before and no longer speaks of
goes, unless somebody else owns it too; where that changes a field of another manager, there is a
conflict. Applying the same twice changes nothing, not even a time. Other writers are tracked in
tracking.py. Read next: merging.py and comparing.py for the two steps, fieldsets.py for the sets,
ownership.py for how managedFields is read and written.
"""

from collections.abc import Mapping
from typing import Any

from sandbox.errors import ApiError
from sandbox.objects import Object, copy_of, metadata, with_metadata
from sandbox.patches.comparing import compare
from sandbox.patches.conflicts import Conflict, refusal
from sandbox.patches.fieldsets import UNOWNED, Fields, mentioned, with_named
from sandbox.patches.merging import laid_over, taken_out
from sandbox.patches.ownership import Entry, FieldOwner, Ownership, owners_of, with_owners
from sandbox.patches.shapes import Shapes
from sandbox.patches.typed import check_typed
from sandbox.schemas.builtin import without_empty


def server_side_apply(
    current: Object, applied: object, owner: FieldOwner, shapes: Shapes
) -> Object:
    """Apply a configuration for its owner; `current` is {} where the object is new."""
    if not isinstance(applied, Mapping):
        raise ApiError.bad_request("error decoding YAML: an applied object must be a mapping")
    if metadata(applied).get("managedFields"):
        raise ApiError.bad_request("metadata.managedFields must be nil")
    check_typed(applied, shapes)
    owners = owners_of(current)
    mine = owner.entry("Apply", str(applied.get("apiVersion", "")))
    before, said = owners.fields(mine), mentioned(applied, shapes)
    owners = owners.holding(mine, said)
    made = laid_over(current, applied, (), shapes)
    if before:
        made = _without_unsaid(made, before, owners.all_fields(), shapes)
    change = compare(current, made, shapes)
    conflicts = _conflicts(owners, mine, change.touched)
    if conflicts and not owner.force:
        raise refusal(conflicts)
    left = owners.without(change.touched | change.removed).holding(mine, said - UNOWNED)
    at = "" if _same(made, current) else owner.at
    if shapes.schema is not None:
        return with_owners(_kept(made), left, before=current, at=at, writer=mine)
    made = without_empty(shapes.builtin, _decoded(made))
    after = with_owners(made, left, before=current, at=at, writer=mine)
    if _same(made, current) and owners_of(after) == owners_of(current):
        return with_owners(made, left, before=current, at="", writer=mine)
    return after


def _without_unsaid(merged: Object, before: Fields, owned: Fields, shapes: Shapes) -> Object:
    """Take out what the manager applied before, and put back what anybody owns now.

    A place may also have gone because everything in it went: it comes back unless it was applied.
    """
    there = with_named(mentioned(merged, shapes), shapes)
    last = with_named(before, shapes)
    rest = with_named(mentioned(taken_out(merged, last, shapes), shapes), shapes)
    with_owned = taken_out(merged, there - (rest | with_named(owned, shapes)), shapes)
    gone = there - with_named(mentioned(with_owned, shapes), shapes)
    return taken_out(merged, gone & last, shapes)


def _conflicts(owners: Ownership, mine: Entry, touched: Fields) -> tuple[Conflict, ...]:
    return tuple(
        Conflict(entry=entry, field=field)
        for entry, fields in owners.others(mine)
        for field in sorted(fields & touched)
    )


def _kept(obj: Object) -> Object:
    """Copy a custom object: nulls stay for its schema to judge, and are blanks in metadata."""
    blank: Object = {name: {} for name, value in metadata(obj).items() if value is None}
    copy: Object = copy_of(with_metadata(obj, **blank))
    return copy


def _decoded(obj: Mapping[str, Any]) -> Object:
    """Copy an object of a built-in kind: its types know no nulls, and no empty metadata."""
    out = {
        name: _decoded(value) if isinstance(value, Mapping) else copy_of(value)
        for name, value in obj.items()
        if value is not None
    }
    if isinstance(out.get("metadata"), Mapping):
        out["metadata"] = {name: value for name, value in out["metadata"].items() if value}
    return out


def _same(one: Object, other: Object) -> bool:
    """Tell whether two objects differ in nothing but their owners."""
    return with_metadata(one, managedFields=None) == with_metadata(other, managedFields=None)
