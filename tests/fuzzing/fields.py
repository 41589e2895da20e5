"""Every field that a user may write, walked out of the schema of a kind.

Objects, lists and leaves are fields alike: each can be left out, be empty, or hold something odd.
A list is entered at its first entry. Schemas of Kubernetes' own (pod templates, services) are too
deep to walk: of these come the points of `points.py` and a sample of leaves. Invariant: the same
seed gives the same fields in the same order.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, TypeAlias

from msgspec import Struct

from shared.resources.crd import spec_schema
from tests.fuzzing.points import POINTS

Schema: TypeAlias = Mapping[str, Any]
Path: TypeAlias = tuple[str | int, ...]
FOREIGN = {
    "template": POINTS["template"],
    "submitterPodTemplate": POINTS["template"],
    "headService": POINTS["service"],
    "serveService": POINTS["service"],
}
"""Where schemas of Kubernetes' own begin, with what is worth changing in them."""
SAMPLED = 12
"""So many other leaves of each foreign schema are changed, too."""
DEEPEST = 9
"""No deeper than so many steps below one of ours."""
CLUSTER_SPECS = frozenset({"rayClusterSpec", "rayClusterConfig"})


class Field(Struct, frozen=True, kw_only=True):
    """A place in a spec; `chosen` are values that somebody thought of, in place of any."""

    path: Path
    schema: Schema
    chosen: tuple[object, ...] = ()

    @property
    def name(self) -> str:
        """The path as people write it."""
        return dotted(self.path)


def dotted(path: Path) -> str:
    """Return a path as users and our messages write it, below `spec`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return f"spec{''.join(parts)}"


def fields_of(kind: str, seed: int, prefix: str = "") -> list[Field]:
    """Return every field of a kind, in an order of the seed; `prefix` narrows them by name."""
    chance = Random(f"fields {seed} {kind}")
    found = [one for one in _walk(spec_schema(kind), (), chance) if one.path]
    wanted = prefix if prefix.startswith("spec") else f"spec.{prefix}"
    chosen = [one for one in found if not prefix or one.name.startswith(wanted)]
    chance.shuffle(chosen)
    return chosen


def _walk(schema: Schema, path: Path, chance: Random) -> Iterator[Field]:
    yield Field(path=path, schema=schema)
    if path and path[-1] in FOREIGN:
        yield from _foreign(schema, path, chance)
        return
    yield from _inside(schema, path, chance)


def _inside(schema: Schema, path: Path, chance: Random) -> Iterator[Field]:
    for name, inner in sorted((schema.get("properties") or {}).items()):
        yield from _walk(inner, (*path, name), chance)
    if schema.get("type") == "array":
        yield from _walk(schema["items"], (*path, 0), chance)


def _foreign(schema: Schema, path: Path, chance: Random) -> Iterator[Field]:
    """Yield what was thought of, and some of the rest."""
    for below, values in FOREIGN[str(path[-1])]:
        yield Field(path=(*path, *below), schema=schema_at(schema, below), chosen=values)
    leaves = [one for one in _leaves(schema, path) if len(one.path) <= len(path) + DEEPEST]
    yield from chance.sample(leaves, min(SAMPLED, len(leaves)))


def _leaves(schema: Schema, path: Path) -> Iterator[Field]:
    inner = schema.get("properties")
    if inner:
        for name, each in sorted(inner.items()):
            yield from _leaves(each, (*path, name))
        return
    yield Field(path=path, schema=schema)
    if schema.get("type") == "array":
        yield from _leaves(schema["items"], (*path, 0))


def schema_at(schema: Schema, path: Path) -> Schema:
    """Return the schema of what lies below; raises KeyError where the schema knows nothing."""
    for part in path:
        if isinstance(part, int):
            schema = schema["items"]
        elif part in (schema.get("properties") or {}):
            schema = schema["properties"][part]
        else:
            schema = schema["additionalProperties"]
    return schema
