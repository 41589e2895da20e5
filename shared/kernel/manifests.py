"""Typed look-ups in raw Kubernetes objects.

A raw object is what the API server sent: nested mappings and lists of which nothing is certain.
These functions answer in one type each and treat a missing or ill-typed part as absent, so that
no caller has to ask twice. They never change what they are given. `thawed` makes a copy that may
be changed. Resources that users write have models of their own: `shared.resources`.
"""

from collections.abc import Mapping, Sequence
from typing import TypeGuard

Raw = Mapping[str, object]

_NOTHING: Raw = {}
_FIELDS = (dict, Mapping)
_LISTS = (list, tuple, Sequence)
"""What is nearly always met stands first: asking for a protocol is slow."""


def is_raw(value: object) -> TypeGuard[Raw]:
    """Whether this is an object of fields, as JSON knows it."""
    return isinstance(value, _FIELDS)


def value_at(raw: object, *path: str | int) -> object:
    """Whatever stands at the end of the path; None if the path breaks off."""
    found = raw
    for step in path:
        if type(found) is dict and type(step) is str:
            found = found.get(step)
        elif found is None:
            return None
        elif isinstance(step, str):
            if not isinstance(found, _FIELDS):
                return None
            found = found.get(step)
        elif isinstance(found, Sequence) and not isinstance(found, str) and step < len(found):
            found = found[step]
        else:
            return None
    return found


def mapping_at(raw: object, *path: str | int) -> Raw:
    """Return the fields at the end of the path; empty if there are none."""
    found = value_at(raw, *path)
    return found if is_raw(found) else _NOTHING


def text_at(raw: object, *path: str | int) -> str:
    """Return the text at the end of the path; empty if there is none."""
    found = value_at(raw, *path)
    return found if isinstance(found, str) else ""


def integer_at(raw: object, *path: str | int) -> int | None:
    """Return the whole number at the end of the path."""
    found = value_at(raw, *path)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def flag_at(raw: object, *path: str | int) -> bool | None:
    """Return the true or false at the end of the path; absent stays None."""
    found = value_at(raw, *path)
    return found if isinstance(found, bool) else None


def values_at(raw: object, *path: str | int) -> tuple[object, ...]:
    """Return the list at the end of the path; empty if there is none."""
    found = value_at(raw, *path)
    if not found or isinstance(found, str) or not isinstance(found, _LISTS):
        return ()
    return tuple(found)


def entries_at(raw: object, *path: str | int) -> tuple[Raw, ...]:
    """Return the objects in the list at the end of the path."""
    return tuple([entry for entry in values_at(raw, *path) if isinstance(entry, _FIELDS)])


def words_at(raw: object, *path: str | int) -> tuple[str, ...]:
    """Return the texts in the list at the end of the path."""
    return tuple(word for word in values_at(raw, *path) if isinstance(word, str))


def texts_at(raw: object, *path: str | int) -> dict[str, str]:
    """Return the fields at the end of the path whose values are text, such as labels."""
    found = mapping_at(raw, *path)
    return {key: value for key, value in found.items() if isinstance(value, str)}


def named(entries: Sequence[Raw], name: str) -> Raw | None:
    """Return the first entry of that name: containers, volumes, ports, variables all have one."""
    return next((entry for entry in entries if entry.get("name") == name), None)


def name_of(raw: Raw) -> str:
    """Return the object's name."""
    return text_at(raw, "metadata", "name")


def namespace_of(raw: Raw) -> str:
    """Return the object's namespace; empty for what has none."""
    return text_at(raw, "metadata", "namespace")


def uid_of(raw: Raw) -> str:
    """Return the object's uid."""
    return text_at(raw, "metadata", "uid")


def labels_of(raw: Raw) -> dict[str, str]:
    """Return the object's labels."""
    return texts_at(raw, "metadata", "labels")


def annotations_of(raw: Raw) -> dict[str, str]:
    """Return the object's annotations."""
    return texts_at(raw, "metadata", "annotations")


def controller_of(raw: Raw) -> Raw | None:
    """Return the owner reference that controls the object, if any does."""
    owners = entries_at(raw, "metadata", "ownerReferences")
    return next((owner for owner in owners if owner.get("controller") is True), None)


def thawed(raw: Raw) -> dict[str, object]:
    """Copy the object so deeply that changing the copy cannot be noticed elsewhere."""
    return {key: _thawed_value(value) for key, value in raw.items()}


def _thawed_value(value: object) -> object:
    if isinstance(value, str):
        return value
    if isinstance(value, _FIELDS):
        return {key: _thawed_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_thawed_value(inner) for inner in value]
    return value
