"""Sets of fields, as managedFields tells who owns what.

A field is a path of elements in Kubernetes' own spelling: `f:spec`, `k:{"name":"head"}` for an item
of a keyed list, `v:"x"` for a value in a set. A set of fields is a plain frozenset of paths,
written as nested objects (`FieldsV1`) only at the edge. Read next: serverside.py.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from sandbox.objects import Object
from sandbox.patches.shapes import KEY_DEFAULTS, Names, Shape, Shapes

Field: TypeAlias = tuple[str, ...]
Fields: TypeAlias = frozenset[Field]

UNOWNED: Fields = frozenset(
    (
        ("f:apiVersion",),
        ("f:kind",),
        ("f:metadata",),
        *(
            ("f:metadata", f"f:{name}")
            for name in (
                "name",
                "namespace",
                "uid",
                "resourceVersion",
                "generation",
                "creationTimestamp",
                "deletionTimestamp",
                "deletionGracePeriodSeconds",
                "managedFields",
                "selfLink",
            )
        ),
    )
)


def mentioned(obj: Mapping[str, Any], shapes: Shapes) -> Fields:
    """List the fields that an object speaks of: values, items, keys of maps, and what is empty.

    A list of items that is empty speaks of nothing, and neither does an object for what is in it.
    """
    return frozenset(_walk(obj, (), (), shapes))


def element_of(item: Any, shape: Shape) -> str:
    """Name an item of a list that merges item by item."""
    if shape.merges == "map" and isinstance(item, Mapping):
        return key_element(item, shape.keys)
    return value_element(item)


def with_named(fields: Fields, shapes: Shapes) -> Fields:
    """Add the fields that hold these, as far as they are fields of a type and not keys of a map."""
    found = set(fields)
    for field in fields:
        path: Names = ()
        for end, element in enumerate(field[:-1], start=1):
            if element.startswith("f:"):
                path = (*path, element[2:])
                if shapes.declares(path):
                    found.add(field[:end])
    return frozenset(found)


def key_element(item: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    """Name an item of a keyed list; a missing key counts with its default."""
    named = {key: item.get(key, KEY_DEFAULTS.get(key)) for key in keys}
    present = {key: value for key, value in named.items() if value is not None}
    return "k:" + json.dumps(present, sort_keys=True, separators=(",", ":"))


def value_element(value: object) -> str:
    """Name a value of a set."""
    return "v:" + json.dumps(value, sort_keys=True, separators=(",", ":"))


@lru_cache(maxsize=4096)
def written(fields: Fields) -> Object:
    """Write a set of fields as `FieldsV1`; equal sets share one value, which nobody may change."""
    tree: Object = {}
    for field in sorted(fields):
        node = tree
        for element in field[:-1]:
            node = node.setdefault(element, {})
        node.setdefault(field[-1], {})
    return _with_dots(tree, fields, ())


def read(tree: Mapping[str, Any], above: Field = ()) -> Fields:
    """Read `FieldsV1` back."""
    found: set[Field] = set()
    for element, below in tree.items():
        if element == ".":
            found.add(above)
        elif below:
            found |= read(below, (*above, element))
        else:
            found.add((*above, element))
    return frozenset(found)


def spelled(field: Field) -> str:
    """Spell a field for people: `.spec.containers[name="head"].image`."""
    text = ""
    for element in field:
        sort, rest = element[0], element[2:]
        if sort == "f":
            text += f".{rest}"
        elif sort == "v":
            text += f"[={rest}]"
        else:
            keys = json.loads(rest)
            text += "[" + ",".join(f"{k}={json.dumps(v)}" for k, v in keys.items()) + "]"
    return text


def _with_dots(tree: Object, fields: Fields, above: Field) -> Object:
    out: Object = {".": {}} if tree and above in fields else {}
    for element, below in tree.items():
        out[element] = _with_dots(below, fields, (*above, element))
    return out


def _walk(value: object, field: Field, path: Names, shapes: Shapes) -> Iterator[Field]:
    if isinstance(value, Mapping) and not shapes.whole(path):
        for name, below in value.items():
            here, names = (*field, f"f:{name}"), (*path, name)
            yield from _walk(below, here, names, shapes)
            if below is None or below == {} or not shapes.declares(names):
                yield here
    elif isinstance(value, list) and (shape := shapes.of_list(path)).merges != "atomic":
        for item in value:
            here = (*field, element_of(item, shape))
            yield here
            if shape.merges == "map" and not shape.items_whole:
                yield from _walk(item, here, path, shapes)
    elif value is not None:
        yield field
