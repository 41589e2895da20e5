"""Reviews as the API server sends them."""

from typing import Any

from msgspec import json

CONTAINER = {"name": "ray", "image": "ray"}


def cluster(name: str = "one", *, groups: tuple[str, ...] = (), **metadata: Any) -> dict[str, Any]:
    """Return a RayCluster as it would be stored."""
    group = {"rayStartParams": {}, "template": {"spec": {"containers": [CONTAINER]}}}
    sizes = {"replicas": 0, "minReplicas": 0, "maxReplicas": 9, "numOfHosts": 1}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": name, "namespace": "default", **metadata},
        "spec": {
            "headGroupSpec": group,
            "workerGroupSpecs": [{"groupName": word, **sizes, **group} for word in groups],
        },
    }


def review(
    raw: dict[str, Any] | None, *, kind: str = "RayCluster", operation: str = "CREATE", **more: Any
) -> bytes:
    """Return a review of an object."""
    request = {
        "uid": "u-1",
        "kind": {"group": "ray.io", "version": "v1", "kind": kind},
        "resource": {"group": "ray.io", "version": "v1", "resource": f"{kind.lower()}s"},
        "operation": operation,
        "namespace": "default",
        "userInfo": {"username": "somebody"},
        "object": raw,
        "oldObject": None,
        "dryRun": False,
        **more,
    }
    whole = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    return json.encode(whole)
