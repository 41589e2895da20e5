"""The services of a RayService: one leads to the head, one to whatever serves.

They keep their names and addresses while clusters come and go: only the selector moves. What the
user wrote for the serve service counts, except for what makes it lead to the right pods.
"""

from collections.abc import Mapping

from services.reconciler.manifests.names import check_label
from services.reconciler.manifests.owners import metadata_of
from services.reconciler.manifests.rayservice.cluster import origin, owner_reference
from services.reconciler.manifests.services import head_service, serve_ports
from services.reconciler.manifests.settings import ManifestSettings
from shared.aggregates.rayservice import head_service_name, serve_service_name
from shared.aggregates.service_routes import serve_service_of
from shared.kernel.manifests import (
    Raw,
    annotations_of,
    entries_at,
    labels_of,
    mapping_at,
    text_at,
    texts_at,
    thawed,
)
from shared.resources import labels as words
from shared.resources.raycluster import RayCluster
from shared.resources.rayservice import RayService

NO_PORT = (
    "Please specify a port named 'serve' (or with the prefix 'serve-', e.g. 'serve-grpc') in the "
    "Ray head container; otherwise, the Kubernetes service for Ray Serve will not be created."
)

_ADDRESS = ("clusterIP", "clusterIPs")
"""What a service keeps while it lives."""
_OPTIONAL = (
    "allocateLoadBalancerNodePorts",
    "externalIPs",
    "externalName",
    "externalTrafficPolicy",
    "healthCheckNodePort",
    "internalTrafficPolicy",
    "loadBalancerClass",
    "loadBalancerIP",
    "loadBalancerSourceRanges",
    "publishNotReadyAddresses",
    "sessionAffinity",
    "sessionAffinityConfig",
    "trafficDistribution",
    "type",
)
"""What else may stand in a service's spec; families of addresses stay unless others are wished."""


def taking_requests(cluster: str) -> dict[str, str]:
    """Return the labels of the pods of a cluster that take requests."""
    return {words.CLUSTER: cluster, words.SERVE: "true"}


def service_of_head(
    service: RayService, cluster: RayCluster, settings: ManifestSettings
) -> dict[str, object]:
    """Return the service that leads to the head of a cluster."""
    spec = thawed(mapping_at(head_service(cluster, settings), "spec"))
    spec["selector"] = texts_at(spec, "selector") | {words.APP_NAME: words.APP}
    given = cluster.head.head_service
    annotations = annotations_of(given) if given is not None else {}
    labels = origin(service.name) | {
        words.NODE_TYPE: words.HEAD,
        words.IDENTIFIER: check_label(f"{service.name}-{words.HEAD}"),
    }
    return _service(service, head_service_name(service.name), labels, annotations, spec)


def service_of_serve(service: RayService, cluster: RayCluster) -> dict[str, object]:
    """Return the service that leads to what a cluster serves."""
    given = service.spec.serve_service or {}
    spec = thawed(mapping_at(given, "spec"))
    spec["ports"] = _ports(cluster, given)
    spec["selector"] = taking_requests(cluster.name)
    kind = text_at(given, "spec", "type") or cluster.head.service_type
    if kind:
        spec["type"] = kind
    labels = labels_of(given) | origin(service.name) | {words.SERVE: f"{service.name}-serve"}
    return _service(service, serve_service_name(service), labels, annotations_of(given), spec)


def service_of_cluster(service: RayService, cluster: RayCluster) -> dict[str, object]:
    """Return the service that leads to what one cluster serves, and goes with it."""
    labels = origin(cluster.name) | {
        words.SERVE: f"{cluster.name}-serve",
        words.OF_RAYSERVICE: service.name,
    }
    spec: dict[str, object] = {
        "ports": _ports(cluster, {}),
        "selector": taking_requests(cluster.name),
    }
    if cluster.head.service_type:
        spec["type"] = cluster.head.service_type
    metadata = metadata_of(cluster, serve_service_of(cluster.name), labels)
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


def replacing(wished: Raw, selector: Mapping[str, str]) -> dict[str, object]:
    """Return the merge patch after which nothing of a former spec is left but its address.

    What is there and no longer wished is taken away by name: a patch leaves alone what it does not
    speak of. `selector` is the one that is there.
    """
    spec = {key: value for key, value in thawed(wished).items() if key not in _ADDRESS}
    former = dict.fromkeys(selector, None)
    return dict.fromkeys(_OPTIONAL, None) | spec | {"selector": former | texts_at(spec, "selector")}


def can_serve(service: RayService, cluster: RayCluster, *, alone: bool = False) -> bool:
    """Whether there is a port that serves, or a service that the user wrote.

    A service for this cluster `alone` is never the user's.
    """
    written = service.spec.serve_service is not None and not alone
    return written or bool(serve_ports(cluster))


def _ports(cluster: RayCluster, given: Raw) -> list[dict[str, object]]:
    """Return the ports that serve; the user's own count where the names are the same."""
    written = {text_at(port, "name"): thawed(port) for port in entries_at(given, "spec", "ports")}
    found = serve_ports(cluster)
    if not found:
        return list(written.values())
    return [written.get(name) or {"name": name, "port": port} for name, port in found.items()]


def _service(
    service: RayService,
    name: str,
    labels: dict[str, str],
    annotations: dict[str, str],
    spec: dict[str, object],
) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": name,
            "namespace": service.namespace,
            "labels": labels,
            **({"annotations": dict(annotations)} if annotations else {}),
            "ownerReferences": [owner_reference(service)],
        },
        "spec": spec,
    }
