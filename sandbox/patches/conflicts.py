"""What server-side apply says when it would change a field of somebody else.

One cause per field, so that clients can show each; one sentence for people. Read next:
serverside.py.
"""

from collections.abc import Sequence
from itertools import groupby

import msgspec

from sandbox.errors import ApiError
from sandbox.patches.fieldsets import Field, spelled
from sandbox.patches.ownership import Entry


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
    groups = [
        _sentence(name, [spelled(conflict.field) for conflict in group])
        for name, group in groupby(ordered, key=lambda conflict: _named(conflict.entry))
    ]
    count = f"{len(causes)} conflict{'s' if len(causes) > 1 else ''}"
    message = f"Apply failed with {count}: " + "\n".join(groups)
    return ApiError(409, "Conflict", message, {"causes": causes})


def _place(field: Field) -> tuple[tuple[bool, str], ...]:
    """Put what an object holds itself before what is held further below."""
    return tuple((end < len(field), element) for end, element in enumerate(field, start=1))


def _named(entry: Entry) -> str:
    name = f'"{entry.manager}"'
    if entry.subresource:
        name += f' with subresource "{entry.subresource}"'
    return f"{name} using {entry.version}" if entry.operation == "Update" else name


def _sentence(name: str, fields: list[str]) -> str:
    if len(fields) == 1:
        return f"conflict with {name}: {fields[0]}"
    return f"conflicts with {name}:\n" + "\n".join(f"- {field}" for field in fields)
