"""Which lists merge by which keys, for built-in kinds and by a CRD's schema."""

import pytest

from sandbox.patches.shapes import ATOMIC, SET, Shape, Shapes
from sandbox.schemas.structural import compile_schema

SCHEMA = compile_schema(
    {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {
                    "groups": {
                        "type": "array",
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["name"],
                        "items": {
                            "type": "object",
                            "properties": {
                                "name": {"type": "string"},
                                "tags": {
                                    "type": "array",
                                    "x-kubernetes-list-type": "set",
                                    "items": {"type": "string"},
                                },
                                "ref": {
                                    "type": "object",
                                    "x-kubernetes-map-type": "atomic",
                                    "properties": {"name": {"type": "string"}},
                                },
                            },
                        },
                    },
                    "containers": {"type": "array", "items": {"type": "object"}},
                },
            }
        },
    }
)


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("spec.containers", Shape("map", ("name",))),
        ("spec.template.spec.initContainers", Shape("map", ("name",))),
        ("spec.containers.ports", Shape("map", ("containerPort", "protocol"))),
        ("spec.ports", Shape("map", ("port", "protocol"))),
        ("spec.ingress.ports", ATOMIC),
        ("ports", ATOMIC),
        ("spec.tolerations", ATOMIC),
        ("metadata.finalizers", SET),
    ],
)
def test_built_in_kinds_have_their_table(path: str, shape: Shape) -> None:
    assert Shapes().of_list(tuple(path.split("."))) == shape


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("spec.groups", Shape("map", ("name",))),
        ("spec.groups.tags", SET),
        ("spec.containers", ATOMIC),
        ("spec.unknown", ATOMIC),
        ("metadata.finalizers", SET),
        ("metadata.ownerReferences", Shape("map", ("uid",), items_whole=True)),
    ],
)
def test_custom_resources_follow_their_schema(path: str, shape: Shape) -> None:
    assert Shapes(SCHEMA).of_list(tuple(path.split("."))) == shape


def test_some_objects_are_one_value() -> None:
    assert [
        Shapes().whole(("spec", "selector")),
        Shapes().whole(("spec",)),
        Shapes().whole(()),
        Shapes(SCHEMA).whole(("spec", "groups", "ref")),
        Shapes(SCHEMA).whole(("spec", "groups")),
    ] == [True, False, False, True, False]
