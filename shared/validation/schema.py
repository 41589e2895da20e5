"""What the API server would refuse because of the schema, and what it would silently drop.

Reading (`shared.resources.reading`) looks at our own fields; here everything is looked at that the
custom resource definition describes, down to the last field of a pod template. Types, required
fields, words and least numbers are asked for, and fields that nobody knows are told: kubectl
refuses them, other tools lose them without a word.
"""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from shared.kernel.manifests import Raw, is_raw, mapping_at, values_at, words_at
from shared.resources.problem import Problem
from shared.resources.reading import path_text

Steps = tuple[str | int, ...]
Problems = Iterator[Problem]

_INT_OR_STRING = "x-kubernetes-int-or-string"
_OPEN = "x-kubernetes-preserve-unknown-fields"
_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (Mapping,),
    "array": (list, tuple),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}
_WORDS = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


def schema_problems(schema: Raw, value: object, steps: Steps, reason: str) -> Problems:
    """Compare a value with its schema; null counts as absent."""
    if value is None:
        return
    fault = _fault(schema, value)
    if fault is not None:
        yield Problem(path=path_text(steps), message=fault[0], reason=reason, hint=fault[1])
    elif is_raw(value):
        yield from _fields(schema, value, steps, reason)
    elif isinstance(value, list | tuple):
        items = mapping_at(schema, "items")
        for index, inner in enumerate(value):
            yield from schema_problems(items, inner, (*steps, index), reason)


def _fields(schema: Raw, value: Raw, steps: Steps, reason: str) -> Problems:
    for name in words_at(schema, "required"):
        if value.get(name) is None:
            yield Problem(path=path_text((*steps, name)), message="is required", reason=reason)
    known, extra = mapping_at(schema, "properties"), mapping_at(schema, "additionalProperties")
    closed = bool(known) and not extra and schema.get(_OPEN) is not True
    for name, inner in value.items():
        if name in known or extra:
            below = mapping_at(known, name) or extra
            yield from schema_problems(below, inner, (*steps, name), reason)
        elif closed:
            yield _unknown(name, known, (*steps, name), reason)


def _unknown(name: str, known: Raw, steps: Steps, reason: str) -> Problem:
    close = get_close_matches(name, known, n=1)
    advice = f"did you mean {close[0]}? " if close else ""
    hint = f"{advice}kubectl refuses a field that is not known, other tools drop it"
    return Problem(path=path_text(steps), message="is not known", reason=reason, hint=hint)


def _fault(schema: Raw, value: object) -> tuple[str, str] | None:
    """Return what is wrong with the value itself, and what helps."""
    kind = "" if schema.get(_INT_OR_STRING) is True else str(schema.get("type", ""))
    if kind and not _is_a(kind, value):
        quoted = kind == "string" and isinstance(value, bool | int | float)
        return f"should be {_WORDS.get(kind, kind)}", "write it in quotes" if quoted else ""
    words = values_at(schema, "enum")
    if words and value not in words:
        return f"should be one of {', '.join(map(str, words))}", ""
    least = schema.get("minimum")
    if isinstance(least, int) and isinstance(value, int | float) and value < least:
        return f"should be {least} or more", ""
    return None


def _is_a(kind: str, value: object) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(kind, (object,)))
