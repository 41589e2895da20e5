"""Sets of owned fields: which fields an object sets, and how they are written down."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sandbox.patches.fieldsets import (
    UNOWNED,
    mentioned,
    read,
    spelled,
    with_named,
    written,
)
from sandbox.patches.shapes import Shapes
from sandbox.schemas.builtin import builtin_node

elements = st.sampled_from(["f:a", "f:b", 'k:{"name":"x"}', 'v:"y"'])
fields = st.frozensets(st.lists(elements, min_size=1, max_size=4).map(tuple), max_size=8)

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "n", "labels": {"a": "b"}, "finalizers": ["x/y"]},
    "spec": {
        "containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80}]}],
        "tolerations": [{"key": "k"}],
        "nodeSelector": {"disk": "fast"},
        "securityContext": {},
    },
}
PODS = Shapes(builtin=builtin_node(POD))


def test_names_each_field_that_an_object_speaks_of() -> None:
    container = ("f:spec", "f:containers", 'k:{"name":"c"}')
    port = (*container, "f:ports", 'k:{"containerPort":80,"protocol":"TCP"}')

    assert mentioned(POD, PODS) - UNOWNED == {
        ("f:metadata", "f:labels", "f:a"),
        ("f:metadata", "f:finalizers", 'v:"x/y"'),
        container,
        (*container, "f:name"),
        (*container, "f:image"),
        port,
        (*port, "f:containerPort"),
        ("f:spec", "f:tolerations"),
        ("f:spec", "f:nodeSelector"),
        ("f:spec", "f:securityContext"),
    }


def test_an_empty_list_of_items_speaks_of_nothing_and_a_key_of_itself() -> None:
    odd = {"spec": {"containers": [], "volumes": None}, "data": {"x": {"y": 1}}}

    assert mentioned(odd, PODS) == {
        ("f:spec", "f:volumes"),
        ("f:data",),
        ("f:data", "f:x"),
        ("f:data", "f:x", "f:y"),
    }


def test_adds_the_fields_that_hold_others_but_no_keys_of_maps() -> None:
    label = ("f:metadata", "f:labels", "f:a")
    image = ("f:spec", "f:containers", 'k:{"name":"c"}', "f:image")

    assert with_named(frozenset((label, image)), PODS) == {
        label,
        label[:1],
        label[:2],
        image,
        image[:1],
        image[:2],
    }


def test_writes_fields_as_kubernetes_does() -> None:
    item = ("f:spec", "f:containers", 'k:{"name":"c"}')

    assert written(frozenset((item, (*item, "f:name"), ("f:spec", "f:x")))) == {
        "f:spec": {
            "f:containers": {'k:{"name":"c"}': {".": {}, "f:name": {}}},
            "f:x": {},
        }
    }


@given(fields)
def test_what_is_written_reads_back(these: frozenset[tuple[str, ...]]) -> None:
    assert read(written(these)) == these


def test_spells_fields_for_people() -> None:
    assert [
        spelled(("f:spec", "f:replicas")),
        spelled(("f:spec", "f:containers", 'k:{"name":"c"}', "f:image")),
        spelled(("f:metadata", "f:finalizers", 'v:"x"')),
    ] == [".spec.replicas", '.spec.containers[name="c"].image', '.metadata.finalizers[="x"]']
