"""The claim on which an embedded store keeps the head's state.

A claim that shall outlive the cluster has no owner: Kubernetes would remove it with its owner.
"""

from services.reconciler.manifests.names import storage_claim_name
from services.reconciler.manifests.owners import metadata_of
from shared.resources.labels import CLUSTER
from shared.resources.options import GcsStorage
from shared.resources.raycluster import RayCluster

_SIZE = "1Gi"
_ACCESS_MODES = ("ReadWriteOnce",)


def storage_of(cluster: RayCluster) -> GcsStorage:
    """Return what the user wrote about the claim; nothing is as good as an empty block."""
    options = cluster.spec.gcs_fault_tolerance_options
    given = options.storage if options else None
    return given or GcsStorage.model_validate({})


def outlives(cluster: RayCluster) -> bool:
    """Whether the claim stays when the cluster goes."""
    return storage_of(cluster).deletion_policy == "Retain"


def claim_spec(cluster: RayCluster) -> dict[str, object]:
    """Return what the claim asks for."""
    storage = storage_of(cluster)
    size = _SIZE if storage.size is None else str(storage.size)
    spec: dict[str, object] = {
        "accessModes": list(storage.access_modes or _ACCESS_MODES),
        "resources": {"requests": {"storage": size}},
    }
    if storage.storage_class_name is not None:
        spec["storageClassName"] = storage.storage_class_name
    return spec


def storage_claim(cluster: RayCluster) -> dict[str, object]:
    """Return the claim's manifest."""
    metadata = metadata_of(cluster, storage_claim_name(cluster), {CLUSTER: cluster.name})
    if outlives(cluster):
        del metadata["ownerReferences"]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": claim_spec(cluster),
    }
