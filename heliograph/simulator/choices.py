"""What may stand at a place of a question, told where something else stands there. Pure.

Invariant: a refusal begins with the path as it stands in the file, and ends with what would do.
"""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from msgspec import Struct, inspect

LISTED_MAX = 12
CLOSE_MAX = 3
_STEP = re.compile(r"\.([^.\[\]]+)|\[([^\]]+)\]")
_WRONG = re.compile(r"Invalid enum value (.+)")
_STRANGE = re.compile(r"Object contains unknown field `(.+)`")
_SOMEWHERE = "..."
"""How msgspec names an entry of a mapping."""


def choices(wanted: str, known: Iterable[str]) -> str:
    """Say what there is instead; of many, those that are close."""
    names = tuple(known)
    close = get_close_matches(wanted, names, n=CLOSE_MAX)
    if len(names) <= LISTED_MAX:
        return f"there is {', '.join(names) or 'none'}"
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"there is {', '.join(names[:LISTED_MAX])} and {len(names) - LISTED_MAX} more"


def placed(message: str, document: object, shape: type[Struct]) -> str:
    """Say what msgspec says of a document, its place first, as a path: `pods[0].fate: ...`."""
    words, _, place = message.partition(" - at `$")
    steps = [name or f"[{entry}]" for name, entry in _STEP.findall(place.rstrip("`"))]
    found = _type_at(shape, steps)
    path = _path(steps, document, found)
    if (wrong := _WRONG.fullmatch(words)) and isinstance(found, inspect.LiteralType):
        named = ", ".join(str(value) for value in found.values if value)
        return f"{path}: {wrong[1]} is none of {named}"
    if (strange := _STRANGE.fullmatch(words)) and isinstance(found, inspect.StructType):
        where = f"{path}.{strange[1]}" if path else strange[1]
        fields = (field.encode_name for field in found.fields)
        return f"{where}: there is no such field ({choices(strange[1], fields)})"
    return f"{path}: {words}" if path else words


def _type_at(shape: type[Struct], steps: Iterable[str]) -> inspect.Type | None:
    found: inspect.Type | None = inspect.type_info(shape)
    for step in steps:
        match found:
            case inspect.StructType():
                fields = {field.encode_name: field.type for field in found.fields}
                found = fields.get(step)
            case inspect.VarTupleType():
                found = found.item_type
            case inspect.DictType():
                found = found.value_type
            case _:
                return None
    return found


def _path(steps: Iterable[str], document: object, found: inspect.Type | None) -> str:
    path, value = "", document
    for step in steps:
        listed = step.startswith("[")
        name = step.strip("[]")
        if name == _SOMEWHERE:
            listed, name = False, _entry(value, found)
        value = _below(value, name)
        path += f"[{name}]" if listed else f".{name}" if name else ""
    return path.removeprefix(".")


def _entry(value: object, found: inspect.Type | None) -> str:
    """Return the first entry of a mapping that is none of the choices; nothing if unknown."""
    if not isinstance(value, Mapping) or not isinstance(found, inspect.LiteralType):
        return ""
    return next((str(key) for key, one in value.items() if one not in found.values), "")


def _below(value: object, name: str) -> object:
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, list) and name.isdigit() and int(name) < len(value):
        return value[int(name)]
    return None
