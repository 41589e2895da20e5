"""What a controller wants, as an HTTP call that an ordinary client may make. Pure.

Inside the sandbox a kubelet may replace a whole pod. Outside there are separate doors: binding a
pod, its annotations, its status. Invariant: one change becomes one call, for the first door whose
part differs; what is left to do is asked for again once the first has been seen. Every call names
the resourceVersion or uid it was decided on, so that a stale one is refused. Read next:
`running.py`.
"""

from typing import Any, Literal, TypeAlias

import msgspec

from sandbox.controllers.world import Change, CreateObject, PutObject, PutStatus, RemoveObject
from sandbox.objects import Object, dig, metadata, name_of, namespace_of

Method: TypeAlias = Literal["POST", "PUT", "PATCH", "DELETE"]

JSON = "application/json"
MERGE_PATCH = "application/merge-patch+json"


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One request."""

    method: Method
    path: str
    body: Object
    content_type: str = JSON


def call_for(change: Change, seen: Object | None) -> Call | None:
    """Return the call for a change of an object last seen so; none if nothing is left to do."""
    match change:
        case CreateObject(plural=plural, object=obj):
            return Call(method="POST", path=_collection(plural, namespace_of(obj)), body=obj)
        case PutStatus(plural=plural, object=obj):
            return _status(plural, obj)
        case RemoveObject():
            return _removal(change)
        case PutObject(plural=plural, object=obj):
            return None if seen is None else _first_difference(plural, obj, seen)


def _first_difference(plural: str, wanted: Object, seen: Object) -> Call | None:
    if dig(wanted, "spec.nodeName") and not dig(seen, "spec.nodeName"):
        return _binding(plural, wanted)
    if metadata(wanted).get("annotations") != metadata(seen).get("annotations"):
        return _annotations(plural, wanted)
    if wanted.get("status") != seen.get("status"):
        return _status(plural, wanted)
    return None


def _binding(plural: str, pod: Object) -> Call:
    """Bind a pod; the API server takes the annotations over with it."""
    told = {**_version(pod), "name": name_of(pod), "namespace": namespace_of(pod)}
    annotations = metadata(pod).get("annotations") or {}
    node = {"apiVersion": "v1", "kind": "Node", "name": dig(pod, "spec.nodeName")}
    return Call(
        method="POST",
        path=f"{_place(plural, pod)}/binding",
        body={
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {**told, "annotations": annotations},
            "target": node,
        },
    )


def _annotations(plural: str, wanted: Object) -> Call:
    annotations = metadata(wanted).get("annotations") or {}
    return Call(
        method="PATCH",
        path=_place(plural, wanted),
        body={"metadata": {**_version(wanted), "annotations": annotations}},
        content_type=MERGE_PATCH,
    )


def _status(plural: str, obj: Object) -> Call:
    return Call(method="PUT", path=f"{_place(plural, obj)}/status", body=obj)


def _removal(change: RemoveObject) -> Call:
    options: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "gracePeriodSeconds": change.grace_seconds,
        "propagationPolicy": change.propagation,
        "preconditions": {"uid": change.uid},
    }
    path = f"{_collection(change.plural, change.namespace or '')}/{change.name}"
    return Call(method="DELETE", path=path, body=options)


def _version(obj: Object) -> Object:
    return {key: metadata(obj)[key] for key in ("uid", "resourceVersion") if key in metadata(obj)}


def _place(plural: str, obj: Object) -> str:
    return f"{_collection(plural, namespace_of(obj))}/{name_of(obj)}"


def _collection(plural: str, namespace: str) -> str:
    """Return the path of a core resource: nodes and pods are all that is cared for here."""
    return f"/api/v1/namespaces/{namespace}/{plural}" if namespace else f"/api/v1/{plural}"
