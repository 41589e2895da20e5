"""The way from outside to the dashboard.

Annotations of the RayCluster are the user's way to talk to their ingress controller, so all of
them are passed on, except the one that names the class: it has a field of its own.
"""

from services.reconciler.manifests.labels import head_service_labels
from services.reconciler.manifests.names import check_name, head_service_name
from services.reconciler.manifests.owners import metadata_of
from services.reconciler.manifests.services import head_ports
from shared.kernel.manifests import thawed
from shared.resources import labels as words
from shared.resources.options import IngressOptions
from shared.resources.raycluster import RayCluster

_DASHBOARD = "dashboard"
_DASHBOARD_PORT = 8265


def ingress_name(cluster: RayCluster) -> str:
    """Return the name of the ingress."""
    return check_name(f"{cluster.name}-head-ingress")


def ingress_labels(cluster: RayCluster) -> dict[str, str]:
    """Return the labels of the ingress: the head service's, but for the type of node."""
    labels = head_service_labels(cluster, {})
    return {key: value for key, value in labels.items() if key != words.NODE_TYPE}


def ingress_annotations(cluster: RayCluster) -> dict[str, str]:
    """Return the annotations of the ingress."""
    given = cluster.annotations
    return {key: value for key, value in given.items() if key != words.INGRESS_CLASS}


def dashboard_port(cluster: RayCluster) -> int:
    """Return the port of the head service that leads to the dashboard."""
    return head_ports(cluster).get(_DASHBOARD, _DASHBOARD_PORT)


def ingress_spec(cluster: RayCluster) -> dict[str, object]:
    """Return what the ingress does: one rule that leads to the dashboard."""
    options = cluster.head.ingress_options or IngressOptions.model_validate({})
    port = dashboard_port(cluster)
    path = {
        "path": options.path or "/",
        "pathType": options.path_type or "Prefix",
        "backend": {"service": {"name": head_service_name(cluster), "port": {"number": port}}},
    }
    rule: dict[str, object] = {"http": {"paths": [path]}}
    if options.host:
        rule["host"] = options.host
    spec: dict[str, object] = {"rules": [rule]}
    if words.INGRESS_CLASS in cluster.annotations:
        spec["ingressClassName"] = cluster.annotations[words.INGRESS_CLASS]
    if options.tls:
        spec["tls"] = [thawed(entry) for entry in options.tls]
    return spec


def ingress(cluster: RayCluster) -> dict[str, object]:
    """Return the manifest of the ingress."""
    metadata = metadata_of(cluster, ingress_name(cluster), ingress_labels(cluster))
    if annotations := ingress_annotations(cluster):
        metadata["annotations"] = annotations
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": metadata,
        "spec": ingress_spec(cluster),
    }
