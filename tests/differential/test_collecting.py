"""What a cluster holds is told whole, and what merely waits to be collected is known as such."""

from typing import Any

from tests.differential.collecting import ownerless


def owned(name: str, kind: str, uid: str) -> dict[str, Any]:
    """An object with an owner."""
    return {"metadata": {"name": name, "ownerReferences": [{"kind": kind, "uid": uid}]}}


CLUSTER: dict[str, Any] = {"metadata": {"name": "a", "uid": "u1"}}


def test_what_has_its_owner_is_not_ownerless() -> None:
    assert ownerless({"rayclusters": [CLUSTER], "pods": [owned("p", "RayCluster", "u1")]}) == []


def test_what_lost_its_owner_waits_to_be_collected() -> None:
    assert ownerless({"rayclusters": [], "pods": [owned("p", "RayCluster", "u1")]}) == ["p"]


def test_owners_that_nobody_looks_at_do_not_count() -> None:
    assert ownerless({"pods": [owned("p", "Node", "u9"), {"metadata": {"name": "q"}}]}) == []
