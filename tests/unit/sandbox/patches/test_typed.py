"""What is applied must be readable by its types, before anybody owns anything."""

from typing import Any

import pytest

from sandbox.errors import ApiError
from sandbox.patches.shapes import Shapes
from sandbox.patches.typed import check_typed
from sandbox.schemas.structural import compile_schema

GROUPS = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    "items": {"type": "object", "properties": {"name": {"type": "string"}}},
}
SPEC = {
    "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
    "groups": GROUPS,
    "bare": {"type": "object"},
    "open": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "limits": {"type": "object", "additionalProperties": {"type": "integer"}},
}
CUSTOM = Shapes(
    compile_schema(
        {"type": "object", "properties": {"spec": {"type": "object", "properties": SPEC}}}
    )
)


def read(**spec: Any) -> str:
    """Read an object; return what is wrong with it."""
    meta = {"name": "w", "namespace": "n", "labels": {"a": "b"}}
    obj = {"apiVersion": "x.io/v1", "kind": "Widget", "metadata": meta, "spec": spec}
    try:
        check_typed(obj, CUSTOM)
    except ApiError as error:
        start = "failed to create typed patch object (n/w; x.io/v1, Kind=Widget): "
        return str(error).removeprefix(start)
    return ""


def test_takes_what_is_declared_and_what_is_left_open() -> None:
    spec = {
        "tags": ["a", "b"],
        "groups": [{"name": "a"}, {"name": "b"}],
        "bare": {"x": 1},
        "open": {"x": {"y": 1}},
        "limits": {"x": 1},
    }

    assert read(**spec) == ""


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"tags": ["a", "b", "a"]}, '.spec.tags: duplicate entries for key [="a"]'),
        (
            {"groups": [{"name": "a"}, {"name": "a"}]},
            '.spec.groups: duplicate entries for key [name="a"]',
        ),
        ({"typo": 1}, ".spec.typo: field not declared in schema"),
        (
            {"groups": [{"name": "a", "typo": 1}]},
            '.spec.groups[name="a"].typo: field not declared in schema',
        ),
    ],
)
def test_names_what_cannot_be_read(spec: dict[str, Any], told: str) -> None:
    assert read(**spec) == told


def test_lists_several_problems() -> None:
    told = '.spec.tags: duplicate entries for key [="a"]'

    assert read(tags=["a", "a", "a"]) == f"errors:\n  {told}\n  {told}"


def test_built_in_kinds_are_held_to_their_lists() -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "a"}, {"name": "a"}]},
    }

    with pytest.raises(
        ApiError, match=r"\(/p; /v1, Kind=Pod\): .spec.containers: duplicate"
    ) as refused:
        check_typed(pod, Shapes())
    assert refused.value.code == 500
