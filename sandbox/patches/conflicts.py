"""What server-side apply says when it would change a field of somebody else.

One cause per field, so that clients can show each; one sentence for people. Read next:
serverside.py.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TypeAlias

import msgspec

from sandbox.errors import ApiError
from sandbox.patches.fieldsets import Field, spelled
from sandbox.patches.ownership import Entry

Rank: TypeAlias = tuple[tuple[int, str, float], ...]


class Conflict(msgspec.Struct, frozen=True, kw_only=True):
    """A field, and the manager that holds it with another value."""

    entry: Entry
    field: Field


def refusal(conflicts: Sequence[Conflict]) -> ApiError:
    """Word a 409 for all conflicts at once."""
    ordered = sorted(conflicts, key=lambda each: (_named(each.entry), _place(each.field)))
    causes = [
        {
            "reason": "FieldManagerConflict",
            "message": f"conflict with {_named(conflict.entry)}",
            "field": spelled(conflict.field),
        }
        for conflict in ordered
    ]
    if len(causes) == 1:
        told = f"1 conflict: {causes[0]['message']}: {causes[0]['field']}"
    else:
        groups = groupby(ordered, key=lambda conflict: _named(conflict.entry))
        told = f"{len(causes)} conflicts: " + "\n".join(_several(*group) for group in groups)
    message = f"Apply failed with {told}"
    return ApiError(409, "Conflict", message, {"causes": causes})


def _place(field: Field) -> tuple[tuple[bool, str, Rank], ...]:
    """Put what an object holds itself before what is held further below."""
    return tuple(
        (end < len(field), element[:2], _rank(element))
        for end, element in enumerate(field, start=1)
    )


def _rank(element: str) -> Rank:
    """Order fields by name, entries of lists by their keys or values: numbers as numbers."""
    sort, text = element[:2], element[2:]
    if sort == "f:":
        return ((1, text, 0),)
    held = msgspec.json.decode(text)
    values = [held[key] for key in sorted(held)] if isinstance(held, dict) else [held]
    return tuple(
        (0, "", one) if isinstance(one, int | float) else (1, str(one), 0) for one in values
    )


def _named(entry: Entry) -> str:
    name = f'"{entry.manager}"'
    if entry.subresource:
        name += f' with subresource "{entry.subresource}"'
    return f"{name} using {entry.version}" if entry.operation == "Update" else name


def _several(name: str, conflicts: Iterable[Conflict]) -> str:
    """Name what one manager holds; also a single field, if it is not the only conflict."""
    fields = (spelled(conflict.field) for conflict in conflicts)
    return f"conflicts with {name}:\n" + "\n".join(f"- {field}" for field in fields)
