"""Values for a field, made from its schema: what it allows, its edges, and what is beside them.

Nothing here knows what a field means; `known.py` does. `UNSET` leaves the field out. The API server
refuses some of these, and that is a good end.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET

from tests.fuzzing.fields import Field, Schema
from tests.fuzzing.known import known_values
from tests.fuzzing.points import CONTAINER, LONG

INT32 = 2**31 - 1
TEXTS = (
    "",
    "a",
    "0",
    "true",
    "null",
    "UPPER",
    "with space",
    " ",
    "-dash-",
    "under_score",
    "a/b",
    "ünïcode-☃",
    "line\nbreak",
    "{}",
    "%s{0}$(X)`y`",
    LONG,
)
NUMBERS = (0, 1, 2, -1, INT32, -INT32 - 1, INT32 + 1)
FRACTIONS = (0, 0.5, -0.5, 1e30, 3)
QUANTITIES = (1, 0, -1, "1", "0", "-1", "100m", "1.5Gi", "1e3", "0.0001", "9" * 25, "1Zi", "")
NEEDED: dict[str, Any] = {"groupName": "small", "containers": [CONTAINER]}
"""What must be there, and must make sense or nothing does."""
KEYS = ("a", "ray.io/cluster", "", "UPPER", "ü", "a b", LONG)


def values_for(field: Field, current: object) -> list[object]:
    """Return what to try, none of it what is there already."""
    found = field.chosen or known_values(field.path)
    if not found:
        found = (*_of_schema(field.schema, current), UNSET)
    return [one for one in found if one != current or type(one) is not type(current)] or [UNSET]


def example(schema: Schema) -> Any:
    """Return the least that a schema takes."""
    if "default" in schema:
        return schema["default"]
    if schema.get("enum"):
        return schema["enum"][0]
    if schema.get("x-kubernetes-int-or-string"):
        return "1"
    kind = schema.get("type")
    if kind == "object":
        inner = schema.get("properties") or {}
        return {
            name: NEEDED.get(name) or example(inner[name]) for name in schema.get("required") or ()
        }
    if kind == "array":
        return [example(schema["items"])] if schema.get("minItems") else []
    plain: dict[str, object] = {"integer": 1, "number": 1, "boolean": True}
    return plain.get(str(kind), "x")


def _of_schema(schema: Schema, current: object) -> Iterator[object]:
    if schema.get("enum"):
        yield from (*schema["enum"], "NoSuch", "")
    elif schema.get("x-kubernetes-int-or-string"):
        yield from QUANTITIES
    elif schema.get("type") == "boolean":
        yield from (True, False)
    elif schema.get("type") == "integer":
        yield from _integers(schema, current)
    elif schema.get("type") == "number":
        yield from FRACTIONS
    elif schema.get("type") == "array":
        yield from _lists(schema, current)
    elif schema.get("type") == "object":
        yield from _objects(schema)
    else:
        yield from TEXTS


def _integers(schema: Schema, current: object) -> Iterator[int]:
    yield from NUMBERS
    for edge in (schema.get("minimum"), schema.get("maximum")):
        if edge is not None:
            yield from (edge - 1, edge, edge + 1)
    if isinstance(current, int):
        yield from (current + 1, current - 1)


def _lists(schema: Schema, current: object) -> Iterator[object]:
    one = example(schema["items"])
    yield from ([], [one], [one, one])
    if isinstance(current, list) and current:
        yield from ([*current, *current], current[:-1], [*current, one])


def _objects(schema: Schema) -> Iterator[Mapping[str, object]]:
    yield {}
    inner = schema.get("additionalProperties")
    if inner:
        yield from ({key: example(inner)} for key in KEYS)
        yield from ({"a": value} for value in _of_schema(inner, None) if value is not UNSET)
    elif schema.get("properties"):
        yield example(schema)
