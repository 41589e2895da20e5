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


FRUIT = ResourceKey(kind="rayservice", namespace="prod", name="fruit")
OF_FRUIT = ResourceKey(kind="raycluster", namespace="prod", name="fruit-x2b4c")


def labelled(raw: dict[str, object], **labels: str) -> dict[str, object]:
    """The object with labels; `of`, `crd` and `cr` stand for their long names."""
    names = {
        "of": "heliograph.dev/rayservice",
        "crd": "ray.io/originated-from-crd",
        "cr": "ray.io/originated-from-cr-name",
    }
    metadata = raw["metadata"]
    assert isinstance(metadata, dict)
    told = {names[name]: text for name, text in labels.items()}
    return {"metadata": {**metadata, "labels": told}}


@pytest.mark.parametrize(
    ("kind", "labels", "keys"),
    [
        ("service", {"crd": "RayService", "of": "fruit"}, (OF_FRUIT, FRUIT)),
        ("service", {"crd": "RayService"}, (OF_FRUIT, FRUIT)),
        ("service", {"crd": "RayCluster"}, (OF_FRUIT,)),
        ("service", {}, (OF_FRUIT,)),
        ("pod", {"crd": "RayService"}, (OF_FRUIT,)),
        ("endpointslice", {"crd": "RayService", "cr": "fruit-x2b4c", "of": "fruit"}, (FRUIT,)),
        ("endpointslice", {"crd": "RayService", "cr": "fruit"}, (FRUIT,)),
    ],
    ids=[
        "the serve service of one cluster",
        "one that KubeRay made",
        "one that the cluster made itself",
        "the head service of a cluster",
        "a pod of a cluster",
        "a slice of a cluster's own service",
        "a slice of the service's own service",
    ],
)
def test_the_serve_service_of_a_cluster_concerns_its_rayservice(
    kind: str, labels: dict[str, str], keys: tuple[ResourceKey, ...]
) -> None:
    assert concerned(kind, labelled(owned(name="fruit-x2b4c"), **labels)) == keys
