"""What lies between two values of one object, field by field, as owners of fields count it.

An object or a list that merges item by item is looked into; it counts itself only where it comes
or goes. If both sides are empty it is one value, so that nothing and null stay apart.
Read next: tracking.py and serverside.py.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from sandbox.patches.fieldsets import Field, Fields, element_of
from sandbox.patches.shapes import Names, Shape, Shapes


class _Nothing(Struct, frozen=True):
    """Stands for a value that is not there at all: null is a value."""


NOTHING = _Nothing()


class Comparison(Struct):
    """The fields that came, went, and have another value."""

    added: set[Field] = field(default_factory=set)
    removed: set[Field] = field(default_factory=set)
    modified: set[Field] = field(default_factory=set)

    @property
    def touched(self) -> Fields:
        """What the newer value says otherwise, or first."""
        return frozenset(self.added | self.modified)


def compare(old: Mapping[str, Any], new: Mapping[str, Any], shapes: Shapes) -> Comparison:
    """Compare two values of one object."""
    found = Comparison()
    _compare(old, new, (), (), shapes, found)
    return found


def _compare(
    old: Any, new: Any, field: Field, path: Names, shapes: Shapes, found: Comparison
) -> None:
    if _inside(old, new, Mapping) and not shapes.whole(path):
        _compare_objects(old, new, field, path, shapes, found)
    elif _inside(old, new, list) and (shape := shapes.of_list(path)).merges != "atomic":
        _compare_lists(_grouped(old, shape), _grouped(new, shape), field, path, shapes, found)
    elif old is not NOTHING and new is not NOTHING:
        if old != new or isinstance(old, bool) is not isinstance(new, bool):
            found.modified.add(field)
        return
    if field and old is NOTHING:
        found.added.add(field)
    elif field and new is NOTHING:
        found.removed.add(field)


def _inside(old: Any, new: Any, sort: type[Any]) -> bool:
    """Whether there is something to look into; nothing and null count as empty."""
    sides = [side for side in (old, new) if side is not NOTHING and side is not None]
    return any(sides) and all(isinstance(side, sort) for side in sides)


def _compare_objects(
    old: Any, new: Any, field: Field, path: Names, shapes: Shapes, found: Comparison
) -> None:
    before = old if isinstance(old, Mapping) else {}
    after = new if isinstance(new, Mapping) else {}
    for name in before.keys() | after.keys():
        was, now = before.get(name, NOTHING), after.get(name, NOTHING)
        _compare(was, now, (*field, f"f:{name}"), (*path, name), shapes, found)


def _grouped(items: Any, shape: Shape) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for item in items if isinstance(items, list) else ():
        groups.setdefault(element_of(item, shape), []).append(item)
    return groups


def _compare_lists(
    old: dict[str, list[Any]],
    new: dict[str, list[Any]],
    field: Field,
    path: Names,
    shapes: Shapes,
    found: Comparison,
) -> None:
    """Compare items; those that repeat have one owner together."""
    whole = shapes.of_list(path).items_whole
    for element in old.keys() | new.keys():
        here = (*field, element)
        were, are = old.get(element, []), new.get(element, [])
        if len(were) > 1 and len(are) > 1:
            if were != are:
                found.modified.add(here)
            continue
        was = were[0] if len(were) == 1 else NOTHING
        now = are[0] if len(are) == 1 or (are and len(were) > 1) else NOTHING
        if whole:
            _compare_whole(was, now, here, found)
        elif not (was is NOTHING and now is NOTHING):
            _compare(was, now, here, path, shapes, found)
        if len(were) > 1:
            found.removed.add(here)
        elif len(are) > 1:
            found.added.add(here)


def _compare_whole(was: Any, now: Any, field: Field, found: Comparison) -> None:
    if was is NOTHING:
        found.added.add(field)
    elif now is NOTHING:
        found.removed.add(field)
    elif was != now:
        found.modified.add(field)
