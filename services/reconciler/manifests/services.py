"""The services of a cluster: made once and not kept in step, later changes do not reach them.

The head service is the one name under which nodes, jobs and people find the head: headless by
default, and published before the head is ready, because workers wait for it. One that the user
wrote keeps everything but its selector and namespace. By the headless worker service the hosts of
a replica find each other. The serve service reaches head and workers alike, and shows only the
ports that serve.
"""

from services.reconciler.manifests.labels import head_service_labels
from services.reconciler.manifests.names import head_service_name
from services.reconciler.manifests.owners import metadata_of
from services.reconciler.manifests.pods.ports import METRICS, METRICS_PORT
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.manifests import (
    Raw,
    annotations_of,
    entries_at,
    integer_at,
    labels_of,
    mapping_at,
    text_at,
    thawed,
)
from shared.resources import labels as words
from shared.resources.predicates import ray_container
from shared.resources.raycluster import KIND, RayCluster

_DEFAULT_PORTS = {
    "client": 10001,
    "gcs-server": 6379,
    "dashboard": 8265,
    METRICS: METRICS_PORT,
    "serve": 8000,
}
_SERVE = "serve"


def head_service(cluster: RayCluster, settings: ManifestSettings) -> dict[str, object]:
    """Return the head service's manifest, with its name."""
    labels = head_service_labels(cluster, labels_of(cluster.head.template))
    given = cluster.head.head_service
    if given is None:
        metadata = _metadata(cluster, labels, dict(cluster.spec.head_service_annotations))
        spec = _own_spec(cluster, settings)
    else:
        annotations = annotations_of(given) | dict(cluster.spec.head_service_annotations)
        own = thawed(mapping_at(given, "metadata"))
        metadata = own | _metadata(cluster, labels_of(given) | labels, annotations)
        spec = _users_spec(cluster, given)
    spec["selector"] = dict(labels)
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def head_ports(cluster: RayCluster) -> dict[str, int]:
    """Return the ports of the head by name: those its container declares, or Ray's usual ones."""
    declared: dict[str, int] = {}
    for port in entries_at(ray_container(cluster.head), "ports"):
        number = integer_at(port, "containerPort") or 0
        declared[text_at(port, "name") or f"{number}-port"] = number
    return {METRICS: METRICS_PORT, **(declared or _DEFAULT_PORTS)}


def headless_service_name(cluster: RayCluster) -> str:
    """Return the name of the service by which hosts find each other."""
    return f"{cluster.name}-headless"


def serve_service_name(cluster: RayCluster) -> str:
    """Return the name of the service for Ray Serve."""
    return f"{cluster.name}-serve-svc"


def headless_service(cluster: RayCluster) -> dict[str, object]:
    """Return the manifest of the service by which hosts find each other; it has no ports."""
    labels = {words.HEADLESS_SERVICE: cluster.name}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata_of(cluster, headless_service_name(cluster), labels),
        "spec": {
            "clusterIP": "None",
            "type": "ClusterIP",
            "publishNotReadyAddresses": True,
            "selector": {words.CLUSTER: cluster.name, words.NODE_TYPE: words.WORKER},
        },
    }


def serve_service(cluster: RayCluster) -> dict[str, object]:
    """Return the manifest of the service for Ray Serve."""
    labels = {
        words.ORIGINATED_FROM_NAME: cluster.name,
        words.ORIGINATED_FROM_CRD: KIND,
        words.SERVE: f"{cluster.name}-serve",
    }
    ports = [{"name": name, "port": number} for name, number in serve_ports(cluster).items()]
    spec: dict[str, object] = {"ports": ports, "selector": {words.CLUSTER: cluster.name}}
    if cluster.head.service_type:
        spec["type"] = cluster.head.service_type
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata_of(cluster, serve_service_name(cluster), labels),
        "spec": spec,
    }


def serve_ports(cluster: RayCluster) -> dict[str, int]:
    """Return the ports of the head that serve: `serve` and what begins with `serve-`."""
    return {
        name: number
        for name, number in sorted(head_ports(cluster).items())
        if name == _SERVE or name.startswith(f"{_SERVE}-")
    }


def _own_spec(cluster: RayCluster, settings: ManifestSettings) -> dict[str, object]:
    kind = cluster.head.service_type or ""
    spec: dict[str, object] = {"ports": _service_ports(cluster)}
    if kind:
        spec["type"] = kind
    if kind in ("", "ClusterIP") and not settings.head_cluster_ip_service:
        spec |= {"clusterIP": "None", "publishNotReadyAddresses": True}
    return spec


def _users_spec(cluster: RayCluster, given: Raw) -> dict[str, object]:
    spec = thawed(mapping_at(given, "spec"))
    own = [thawed(port) for port in entries_at(given, "spec", "ports")]
    spec["ports"] = [*own, *_service_ports(cluster)]
    if not spec.get("type") and cluster.head.service_type:
        spec["type"] = cluster.head.service_type
    return spec


def _service_ports(cluster: RayCluster) -> list[dict[str, object]]:
    ports = sorted(head_ports(cluster).items())
    return [{"name": name, "port": number, "appProtocol": "tcp"} for name, number in ports]


def _metadata(
    cluster: RayCluster, labels: dict[str, str], annotations: dict[str, str]
) -> dict[str, object]:
    metadata = metadata_of(cluster, head_service_name(cluster), labels)
    return metadata | ({"annotations": annotations} if annotations else {})
