"""One change becomes one call that an ordinary client may make, and a stale one can be refused."""

from typing import Any

from sandbox.controllers.world import CreateObject, PutObject, PutStatus, RemoveObject
from sandbox.objects import Object
from sandbox.outside.calls import Call, call_for

PLACE = "/api/v1/namespaces/ray/pods/head"
MARKED = {"sandbox.heliograph.dev/seen-at": "2025-01-01T00:00:00.000000+00:00"}


def pod(
    *, node: str = "", annotations: Object | None = None, phase: str = "Pending"
) -> dict[str, Any]:
    meta = {"name": "head", "namespace": "ray", "uid": "u1", "resourceVersion": "7"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**meta, **({"annotations": annotations} if annotations else {})},
        "spec": {"nodeName": node} if node else {},
        "status": {"phase": phase},
    }


def put(wanted: Object, seen: Object | None) -> Call | None:
    return call_for(PutObject(plural="pods", object=wanted), seen)


def test_binds_first_and_takes_the_annotations_along() -> None:
    wanted = pod(node="sandbox", annotations=MARKED, phase="Running")

    assert put(wanted, pod()) == Call(
        method="POST",
        path=f"{PLACE}/binding",
        body={
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {
                "name": "head",
                "namespace": "ray",
                "uid": "u1",
                "resourceVersion": "7",
                "annotations": MARKED,
            },
            "target": {"apiVersion": "v1", "kind": "Node", "name": "sandbox"},
        },
    )


def test_annotates_before_it_reports() -> None:
    wanted = pod(node="sandbox", annotations=MARKED, phase="Running")

    assert put(wanted, pod(node="sandbox")) == Call(
        method="PATCH",
        path=PLACE,
        body={"metadata": {"uid": "u1", "resourceVersion": "7", "annotations": MARKED}},
        content_type="application/merge-patch+json",
    )


def test_reports_when_nothing_else_differs() -> None:
    wanted = pod(node="sandbox", annotations=MARKED, phase="Running")

    assert put(wanted, pod(node="sandbox", annotations=MARKED)) == Call(
        method="PUT", path=f"{PLACE}/status", body=wanted
    )


def test_asks_for_nothing_that_is_so_already_or_whose_object_is_gone() -> None:
    same = pod(node="sandbox", annotations=MARKED)

    assert (put(same, same), put(same, None)) == (None, None)


def test_a_status_goes_through_its_own_door() -> None:
    node = {"metadata": {"name": "sandbox"}, "status": {"conditions": []}}

    assert call_for(PutStatus(plural="nodes", object=node), None) == Call(
        method="PUT", path="/api/v1/nodes/sandbox/status", body=node
    )


def test_a_new_object_is_posted_to_its_collection() -> None:
    node = {"metadata": {"name": "sandbox"}}

    assert call_for(CreateObject(plural="nodes", object=node), None) == Call(
        method="POST", path="/api/v1/nodes", body=node
    )


def test_removes_only_the_object_that_was_meant() -> None:
    change = RemoveObject(plural="pods", namespace="ray", name="head", uid="u1")

    assert call_for(change, None) == Call(
        method="DELETE",
        path=PLACE,
        body={
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "gracePeriodSeconds": 0,
            "propagationPolicy": "Background",
            "preconditions": {"uid": "u1"},
        },
    )
