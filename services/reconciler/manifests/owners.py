"""Who owns what we make, so that Kubernetes removes it with its owner."""

from collections.abc import Mapping

from shared.resources.raycluster import KIND, RayCluster
from shared.resources.resource import GROUP, VERSION


def owner_reference(cluster: RayCluster) -> dict[str, object]:
    """Return the reference that makes the cluster the controller of an object."""
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": KIND,
        "name": cluster.name,
        "uid": cluster.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def metadata_of(cluster: RayCluster, name: str, labels: Mapping[str, str]) -> dict[str, object]:
    """Return the metadata of an object that the cluster controls."""
    return {
        "name": name,
        "namespace": cluster.namespace,
        "labels": dict(sorted(labels.items())),
        "ownerReferences": [owner_reference(cluster)],
    }
