"""Resources made up from their own schema, for tests of what an API server takes.

`valid(schema)` draws a value that a structural schema allows, down to the pod templates.
`mutated(schema, value)` breaks one place of it on purpose and tells which. Names are plain words,
so that our paths and those of the API server are spelled alike.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import strategies as st
from msgspec import Struct

from shared.kernel.manifests import Raw, is_raw, mapping_at, text_at, values_at, words_at

Value = Any
Path = tuple[str | int, ...]

WORDS = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=8)
LETTERS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8)
TEXTS = WORDS | st.sampled_from(["", "Ünïcode ✓", "a b\n", "{}", "0"])
NUMBERS = st.integers(-4, 400) | st.floats(0, 1000, width=32)
QUANTITIES = st.sampled_from(["500m", "2Gi", "1", "0", ".5", "1e3", 4, 0])
MANAGERS = ("ray.io/kuberay-operator", "kueue.x-k8s.io/multikueue")
RULES = "x-kubernetes-validations"
SHALLOW = 5
"""Down to here there is always something: small resources would test the same few fields."""
DEEPEST = 10


class Broken(Struct, frozen=True, kw_only=True):
    """A value of which one place was broken."""

    value: Value
    place: str
    how: str


def valid(schema: Raw, depth: int = 0) -> st.SearchStrategy[Value]:
    """Draw what the schema allows."""
    if "x-kubernetes-int-or-string" in schema:
        return QUANTITIES if "pattern" in schema else st.integers(1, 65535) | WORDS
    if "enum" in schema:
        return st.sampled_from(values_at(schema, "enum"))
    match schema.get("type"):
        case "array":
            return _lists(schema, depth)
        case "object":
            return (
                _maps(schema, depth)
                if "additionalProperties" in schema
                else _objects(schema, depth)
            )
        case _:
            return _scalars(schema)


def _scalars(schema: Raw) -> st.SearchStrategy[Value]:
    match schema.get("type"):
        case "boolean":
            return st.booleans()
        case "number":
            return NUMBERS
        case "integer":
            lowest = schema.get("minimum", -5)
            return st.integers(lowest if isinstance(lowest, int) else -5, 2**31 - 1)
        case _:
            return _texts(schema)


def _maps(schema: Raw, depth: int) -> st.SearchStrategy[dict[str, Value]]:
    values = valid(mapping_at(schema, "additionalProperties"), depth + 1)
    return st.dictionaries(WORDS, values, max_size=2)


def _texts(schema: Raw) -> st.SearchStrategy[str]:
    if schema.get("format") == "date-time":
        return st.just("2030-01-01T12:00:00Z")
    if RULES in schema and "self in" in str(schema[RULES]):
        return st.sampled_from(MANAGERS)
    return LETTERS if "pattern" in schema or "minLength" in schema else TEXTS


@st.composite
def _lists(draw: st.DrawFn, schema: Raw, depth: int) -> list[Value]:
    items = mapping_at(schema, "items")
    lowest = 1 if "minItems" in schema or depth < SHALLOW else 0
    drawn = draw(st.lists(valid(items, depth + 1), min_size=lowest, max_size=2))
    keys = words_at(schema, "x-kubernetes-list-map-keys")
    if schema.get("x-kubernetes-list-type") == "set":
        return list(dict.fromkeys(drawn))
    return list({_key(items, keys, each): each for each in drawn}.values()) if keys else drawn


def _key(items: Raw, keys: tuple[str, ...], item: Raw) -> tuple[object, ...]:
    defaults = mapping_at(items, "properties")
    return tuple(item.get(key, mapping_at(defaults, key).get("default")) for key in keys)


@st.composite
def _objects(draw: st.DrawFn, schema: Raw, depth: int) -> dict[str, Value]:
    fields = mapping_at(schema, "properties")
    needed = [
        key for key in words_at(schema, "required") if "default" not in mapping_at(fields, key)
    ]
    others = sorted(fields.keys() - {*needed})
    most = min(len(others), 3 if depth < DEEPEST else 0)
    least = min(most, 2 if depth < SHALLOW else 0)
    chosen = st.lists(st.sampled_from(others), min_size=least, max_size=most, unique=True)
    more = draw(chosen) if most else []
    keys = _allowed(draw, schema, [*needed, *more])
    return {key: draw(valid(mapping_at(fields, key), depth + 1)) for key in keys}


def _allowed(draw: st.DrawFn, schema: Raw, keys: list[str]) -> list[str]:
    """Choose among fields as the rules of the schema demand."""
    rules = str(schema.get(RULES, ""))
    if "has(self.onSuccess)" in rules:
        return draw(st.sampled_from([["deletionRules"], ["onSuccess", "onFailure"]]))
    if "has(self.jobStatus)" in rules:
        one = draw(st.sampled_from(["jobStatus", "jobDeploymentStatus"]))
        return [one, *(key for key in keys if key == "ttlSeconds")]
    return keys


@st.composite
def mutated(draw: st.DrawFn, schema: Raw, value: Value, root: str = "spec") -> Broken:
    """Break one place of a value, so that the schema allows it no more."""
    ways: dict[str, list[tuple[Path, Value, Path]]] = {}
    for path, said in _places(schema, value, ()):
        for how, wrong, further in (*_wrong(said), *_gone_or_surplus(said, _at(value, path))):
            ways.setdefault(how, []).append((path, wrong, further))
    how = draw(st.sampled_from(sorted(ways)))
    path, wrong, further = draw(st.sampled_from(ways[how]))
    return Broken(value=_with(value, path, wrong), place=_spelled(root, (*path, *further)), how=how)


def _gone_or_surplus(said: Raw, found: Value) -> Iterator[tuple[str, Value, Path]]:
    if not isinstance(found, dict) or "properties" not in said:
        return
    yield "unknown field", {**found, "surprise": 1}, ("surprise",)
    defaults = mapping_at(said, "properties")
    for key in words_at(said, "required"):
        if key in found and "default" not in mapping_at(defaults, key):
            left = {name: inner for name, inner in found.items() if name != key}
            yield "missing field", left, (key,)


def _wrong(said: Raw) -> Iterator[tuple[str, Value, Path]]:
    if "x-kubernetes-int-or-string" in said:
        yield "wrong type", {"a": "b"}, ()
        return
    wrong: Mapping[str, tuple[Value, ...]] = {
        "string": (3, {"a": "b"}, ["a"], True),
        "integer": ("many", 1.5, {"a": "b"}, 2**40),
        "number": ("much", True),
        "boolean": ("yes", 1),
        "object": ("text", 3, ["a"]),
        "array": ("text", {"a": "b"}, 3),
    }
    fitting = [each for each in wrong[text_at(said, "type")] if _is_wrong(said, each)]
    yield from (("wrong type", each, ()) for each in fitting)
    if "enum" in said:
        yield "unknown word", "Nonsense", ()
    if "minimum" in said:
        yield "too small", -1, ()
    if RULES in said and said.get("type") == "string" and "self in" in str(said[RULES]):
        yield "unknown manager", "somebody", ()


def _is_wrong(said: Raw, value: Value) -> bool:
    return not (value == 2**40 and said.get("format") == "int64")


def _places(schema: Raw, value: Value, path: Path) -> Iterator[tuple[Path, Raw]]:
    yield path, schema
    if is_raw(value):
        extra = mapping_at(schema, "additionalProperties")
        for key, inner in value.items():
            yield from _places(mapping_at(schema, "properties", key) or extra, inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _places(mapping_at(schema, "items"), inner, (*path, index))


def _at(value: Value, path: Path) -> Value:
    for step in path:
        value = value[step]
    return value


def _with(value: Value, path: Path, new: Value) -> Value:
    if not path:
        return new
    copied: Value = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = _with(value[path[0]], path[1:], new)
    return copied


def _spelled(root: str, path: Path) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return root + "".join(steps)
