"""The way from outside to the dashboard on OpenShift: a route instead of an ingress.

All annotations of the RayCluster are passed on: they are the user's way to talk to the router.
"""

from services.reconciler.manifests.ingress import dashboard_port, ingress_labels
from services.reconciler.manifests.names import head_service_name, route_name
from services.reconciler.manifests.owners import metadata_of
from shared.resources.raycluster import RayCluster


def route(cluster: RayCluster) -> dict[str, object]:
    """Return the manifest of the route."""
    metadata = metadata_of(cluster, route_name(cluster), ingress_labels(cluster))
    if cluster.annotations:
        metadata["annotations"] = dict(cluster.annotations)
    return {
        "apiVersion": "route.openshift.io/v1",
        "kind": "Route",
        "metadata": metadata,
        "spec": {
            "to": {"kind": "Service", "name": head_service_name(cluster), "weight": 100},
            "port": {"targetPort": dashboard_port(cluster)},
            "wildcardPolicy": "None",
        },
    }
