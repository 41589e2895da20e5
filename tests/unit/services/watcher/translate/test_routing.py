"""Whom an object concerns."""

import pytest

from services.watcher.translate.routing import concerned
from shared.kernel.keys import ResourceKey

DEMO = ResourceKey(kind="raycluster", namespace="prod", name="demo")


def owned(**reference: object) -> dict[str, object]:
    controller = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "name": "demo"}
    references = [{**controller, "controller": True, **reference}]
    return {"metadata": {"name": "pod", "namespace": "prod", "ownerReferences": references}}


@pytest.mark.parametrize(
    ("kind", "raw", "keys"),
    [
        ("raycluster", {"metadata": {"name": "demo", "namespace": "prod"}}, (DEMO,)),
        ("pod", owned(), (DEMO,)),
        ("service", owned(apiVersion="ray.io/v1alpha1"), (DEMO,)),
        ("pod", owned(controller=False), ()),
        ("pod", owned(kind="Job"), ()),
        ("pod", owned(apiVersion="elsewhere.io/v1"), ()),
        ("pod", owned(apiVersion="v1"), ()),
        ("pod", owned(name=""), ()),
        ("pod", {"metadata": {"name": "pod", "labels": {"ray.io/cluster": "demo"}}}, ()),
    ],
    ids=[
        "a resource concerns itself",
        "a pod its controller",
        "any version of the group",
        "an owner that does not control",
        "another kind of owner",
        "another group",
        "the core group",
        "an owner without a name",
        "a label is no owner",
    ],
)
def test_an_object_concerns_who_controls_it(
    kind: str, raw: dict[str, object], keys: tuple[ResourceKey, ...]
) -> None:
    assert concerned(kind, raw) == keys
