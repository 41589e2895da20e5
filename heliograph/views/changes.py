"""Two values compared, field by field. Pure.

Entries of lists are the same entry if they have the same name, or else the same place. Text of many
lines is not told, only that it changed. What may be secret is redacted before, by who compares.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

_NAMES = ("groupName", "name", "type")


class Change(Struct, frozen=True, kw_only=True):
    """One field that differs; None stands for a field that is not there."""

    path: str
    old: object
    new: object


def changes(old: object, new: object, path: str = "") -> Iterator[Change]:
    """Yield what differs between two plain values, in the order of the new one."""
    if old == new:
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in {**new, **old}:
            yield from changes(old.get(key), new.get(key), f"{path}.{key}" if path else str(key))
    elif _listed(old) and _listed(new):
        before, after = _entries(old, new)
        for name in {**after, **before}:
            yield from changes(before.get(name), after.get(name), f"{path}[{name}]")
    else:
        yield Change(path=path, old=old, new=new)


def words_of(change: Change) -> str:
    """Say one change in a line."""
    old, new = change.old, change.new
    if _structured(old) or _structured(new):
        verb = "added" if old is None else "removed" if new is None else "changed"
        return f"{change.path} {verb}"
    if _long(old) or _long(new):
        return f"{change.path} changed"
    return f"{change.path}: {_plain(old)} -> {_plain(new)}"


def _listed(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _entries(old: object, new: object) -> tuple[dict[str, object], dict[str, object]]:
    """Return the entries of two lists under names that fit together."""
    before = list(old) if isinstance(old, Sequence) else []
    after = list(new) if isinstance(new, Sequence) else []
    if len(before) != len(after):
        for key in _NAMES:
            named = _by(before, key), _by(after, key)
            if named[0] is not None and named[1] is not None:
                return named[0], named[1]
    return _numbered(before), _numbered(after)


def _numbered(entries: Sequence[object]) -> dict[str, object]:
    return {str(index): entry for index, entry in enumerate(entries)}


def _by(entries: Sequence[object], key: str) -> dict[str, object] | None:
    found: dict[str, object] = {
        str(entry[key]): entry for entry in entries if isinstance(entry, Mapping) and key in entry
    }
    return found if len(found) == len(entries) else None


def _structured(value: object) -> bool:
    return isinstance(value, Mapping) or _listed(value)


def _long(value: object) -> bool:
    return isinstance(value, str) and "\n" in value


def _plain(value: object) -> str:
    return "none" if value is None else str(value)
