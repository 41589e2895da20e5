"""Sets of owned fields: which fields an object sets, and how they are written down."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sandbox.patches.fieldsets import leaves, read, spelled, written
from sandbox.patches.shapes import Shapes

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


def test_names_each_field_that_can_have_an_owner() -> None:
    container = ("f:spec", "f:containers", 'k:{"name":"c"}')
    port = (*container, "f:ports", 'k:{"containerPort":80,"protocol":"TCP"}')

    assert leaves(POD, Shapes()) == {
        ("f:metadata", "f:labels", "f:a"): "b",
        ("f:metadata", "f:finalizers", 'v:"x/y"'): "x/y",
        container: None,
        (*container, "f:name"): "c",
        (*container, "f:image"): "i",
        port: None,
        (*port, "f:containerPort"): 80,
        ("f:spec", "f:tolerations"): [{"key": "k"}],
        ("f:spec", "f:nodeSelector"): {"disk": "fast"},
        ("f:spec", "f:securityContext"): {},
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
