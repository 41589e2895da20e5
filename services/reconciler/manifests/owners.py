"""Who owns what we make, so that Kubernetes removes it with its owner."""

from shared.resources.raycluster import GROUP, KIND, VERSION, RayCluster


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
