"""What is kept of an object's metadata, and what never enters."""

from datetime import UTC, datetime

import pytest

from services.watcher.translate.metadata import changed_by, meta_of, version_of
from shared.events.objects import Meta, Owner

RAW: dict[str, object] = {
    "metadata": {
        "name": "demo-head",
        "namespace": "prod",
        "uid": "u-1",
        "resourceVersion": "42",
        "generation": 3,
        "labels": {"ray.io/node-type": "head"},
        "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
            "ray.io/ft-enabled": "true",
        },
        "ownerReferences": [
            {"kind": "RayCluster", "name": "demo", "uid": "u-0", "controller": True},
            {"kind": "Thing", "name": "other", "uid": "u-9"},
        ],
        "finalizers": ["ray.io/gcs-ft-redis-cleanup-finalizer"],
        "creationTimestamp": "2030-01-01T12:00:00Z",
        "deletionTimestamp": "2030-01-01T12:00:01Z",
    }
}


def managed(*entries: tuple[str, str, str]) -> dict[str, object]:
    fields = [
        {"manager": manager, "time": time, "subresource": subresource, "fieldsV1": {"f:spec": {}}}
        for manager, time, subresource in entries
    ]
    return {"metadata": {"managedFields": fields}}


def test_keeps_what_decisions_need_and_drops_the_last_applied_copy() -> None:
    assert meta_of(RAW) == Meta(
        name="demo-head",
        namespace="prod",
        uid="u-1",
        resource_version=42,
        generation=3,
        labels={"ray.io/node-type": "head"},
        annotations={"ray.io/ft-enabled": "true"},
        owners=(
            Owner(kind="RayCluster", name="demo", uid="u-0", controller=True),
            Owner(kind="Thing", name="other", uid="u-9"),
        ),
        finalizers=("ray.io/gcs-ft-redis-cleanup-finalizer",),
        created_at=datetime(2030, 1, 1, 12, tzinfo=UTC),
        deleted_at=datetime(2030, 1, 1, 12, 0, 1, tzinfo=UTC),
    )


def test_an_object_of_nulls_and_nonsense_is_read_as_empty() -> None:
    raw = {
        "metadata": {
            "name": "odd",
            "labels": None,
            "annotations": 3,
            "ownerReferences": [None, "x"],
            "creationTimestamp": "yesterday",
        }
    }

    assert meta_of(raw) == Meta(name="odd", namespace="", uid="", resource_version=0)


@pytest.mark.parametrize(
    ("text", "version"), [("42", 42), ("", None), ("v42", None), ("-1", None), ("\u0664", None)]
)
def test_a_version_is_a_plain_number(text: str, version: int | None) -> None:
    assert version_of({"metadata": {"resourceVersion": text}}) == version


@pytest.mark.parametrize(
    ("raw", "manager"),
    [
        (managed(), ""),
        (managed(("kubectl", "2030-01-01T12:00:00Z", "")), "kubectl"),
        (
            managed(
                ("autoscaler", "2030-01-01T12:00:05Z", ""), ("kubectl", "2030-01-01T12:00:00Z", "")
            ),
            "autoscaler",
        ),
        (
            managed(
                ("kubectl", "2030-01-01T12:00:00Z", ""),
                ("heliograph", "2030-01-01T12:00:09Z", "status"),
            ),
            "kubectl",
        ),
    ],
    ids=["nobody", "one", "the newest", "not who wrote the status"],
)
def test_names_who_changed_it_last(raw: dict[str, object], manager: str) -> None:
    assert changed_by(raw) == manager


def owning(*entries: tuple[str, str]) -> dict[str, object]:
    """Managers of one and the same second, each with the field that it owns something of."""
    fields = [
        {"manager": manager, "time": "2030-01-01T12:00:00Z", "fieldsV1": {owned: {}}}
        for manager, owned in entries
    ]
    return {"metadata": {"managedFields": fields}}


@pytest.mark.parametrize(
    ("raw", "manager"),
    [
        (owning(("heliograph", "f:metadata"), ("kubectl", "f:spec")), "kubectl"),
        (owning(("kubectl", "f:spec"), ("heliograph", "f:metadata")), "kubectl"),
        (owning(("autoscaler", "f:spec"), ("kubectl", "f:spec")), "autoscaler or kubectl"),
        (owning(("a", "f:metadata"), ("b", "f:metadata")), "a or b"),
        (owning(("kubectl", "f:spec"), ("kubectl", "f:spec")), "kubectl"),
        ({"metadata": {"managedFields": [{"manager": "a"}, {"manager": "b"}]}}, "a or b"),
    ],
    ids=["who wrote", "in any order", "two who wrote", "none who wrote", "twice the same", "bare"],
)
def test_within_one_second_nobody_is_credited_who_may_not_have_been(
    raw: dict[str, object], manager: str
) -> None:
    assert changed_by(raw) == manager
