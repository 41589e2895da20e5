"""Who owns which fields of an object: managedFields as a value.

An entry is a manager, its operation (Apply or Update), the API version it spoke and the subresource
it wrote through. An entry without fields is dropped; the time of an entry moves only when its
manager writes. Read next: serverside.py.
"""

from collections.abc import Iterator, Mapping
from typing import Literal, TypeAlias

import msgspec

from sandbox.objects import Object, metadata, with_metadata
from sandbox.patches.fieldsets import Fields, read, written

Operation: TypeAlias = Literal["Apply", "Update"]
UPDATERS_MAX = 10
ANCIENT = "ancient-changes"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """Whose fields these are."""

    manager: str
    operation: Operation
    version: str
    subresource: str = ""

    def same_owner(self, other: "Entry") -> bool:
        """Tell whether both speak for one owner; appliers do, whatever API version they spoke."""
        if self.operation == "Apply":
            other = msgspec.structs.replace(other, version=self.version)
        return self == other


class FieldOwner(msgspec.Struct, frozen=True, kw_only=True):
    """Who writes, at which moment (RFC 3339), and whether conflicts are overruled."""

    manager: str
    at: str
    force: bool = False
    subresource: str = ""

    def entry(self, operation: Operation, version: str) -> Entry:
        """Name the entry this writer has for an operation."""
        return Entry(
            manager=self.manager,
            operation=operation,
            version=version,
            subresource=self.subresource,
        )


class Ownership(msgspec.Struct, frozen=True):
    """All entries of one object with their fields."""

    held: Mapping[Entry, Fields]

    def fields(self, mine: Entry) -> Fields:
        """Return what this owner holds."""
        return frozenset[tuple[str, ...]]().union(
            *(fields for entry, fields in self.held.items() if entry.same_owner(mine))
        )

    def others(self, mine: Entry) -> Iterator[tuple[Entry, Fields]]:
        """Yield what everyone else holds."""
        return ((e, fields) for e, fields in self.held.items() if not e.same_owner(mine))

    def all_fields(self) -> Fields:
        """Return everything that has an owner."""
        return frozenset[tuple[str, ...]]().union(*self.held.values())

    def without(self, taken: Fields) -> "Ownership":
        """Take fields from everyone."""
        return Ownership({entry: fields - taken for entry, fields in self.held.items()})

    def holding(self, mine: Entry, fields: Fields) -> "Ownership":
        """Give one owner exactly these fields."""
        return Ownership({**dict(self.others(mine)), mine: fields})


def owners_of(obj: Mapping[str, object]) -> Ownership:
    """Read the managedFields of an object."""
    return Ownership({_entry(item): read(item.get("fieldsV1", {})) for item in _items(obj)})


def with_owners(
    obj: Object, owners: Ownership, *, before: Object, at: str, writer: Entry | None = None
) -> Object:
    """Write managedFields; only the time of the `writer` moves.

    Who lost fields to it has written nothing. Without a moment (`at`) no time moves: an entry that
    is new then has none.
    """
    old = {_entry(item): item for item in _items(before)}
    items = []
    for entry, fields in owners.held.items():
        if not fields:
            continue
        known = old.get(entry)
        tree = written(fields)
        moved = known is None or entry == writer
        stays = known.get("time", "") if known else ""
        items.append(_item(entry, tree, at if moved and at else stays))
    return with_items(obj, _capped(items))


def with_items(obj: Object, items: list[Object]) -> Object:
    """Write entries as they are told, in the order in which all are told."""
    told = sorted(items, key=lambda one: (one["operation"], one.get("time", ""), one["manager"]))
    return with_metadata(obj, managedFields=told or None)


def latest_items(obj: Object) -> dict[Entry, Object]:
    """Return the entries as they are told; of two for the same owner the last counts."""
    return {_entry(item): item for item in _items(obj)}


def item_of(entry: Entry, fields: Fields, at: str) -> Object:
    """Tell of one owner, since a moment or none."""
    return _item(entry, written(fields), at)


def _capped(items: list[Object]) -> list[Object]:
    """Put the oldest updaters together once there are too many, those of one version each."""
    updaters = [item for item in items if item["operation"] == "Update"]
    if len(updaters) <= UPDATERS_MAX:
        return items
    updaters.sort(key=lambda item: (item.get("time", ""), item["manager"]))
    left, surplus = list(items), len(updaters) - UPDATERS_MAX
    ancient: dict[str, Object] = {}
    for item in updaters:
        if not surplus:
            break
        version = item["apiVersion"]
        if version in ancient:
            left = [each for each in left if each not in (item, ancient[version])]
            together = read(item["fieldsV1"]) | read(ancient[version]["fieldsV1"])
            entry = Entry(manager=ANCIENT, operation="Update", version=version)
            left.append(_item(entry, written(together), item.get("time", "")))
            ancient[version] = left[-1]
            surplus -= 1
        else:
            ancient[version] = item
    return left


def _items(obj: Mapping[str, object]) -> list[Object]:
    return list(metadata(obj).get("managedFields") or ())


def _entry(item: Object) -> Entry:
    return Entry(
        manager=item.get("manager", ""),
        operation=item.get("operation", "Update"),
        version=item.get("apiVersion", ""),
        subresource=item.get("subresource", ""),
    )


def _item(entry: Entry, tree: Object, at: str) -> Object:
    item: Object = {
        "manager": entry.manager,
        "operation": entry.operation,
        "apiVersion": entry.version,
        **({"time": at} if at else {}),
        "fieldsType": "FieldsV1",
        "fieldsV1": tree,
    }
    return {**item, "subresource": entry.subresource} if entry.subresource else item
