"""The store's claim: its defaults, and what the user may say instead."""

import pytest

from services.reconciler.manifests.owners import owner_reference
from services.reconciler.manifests.volumes import claim_spec, storage_claim
from shared.resources.raycluster import RayCluster
from tests.support.rayclusters import cluster


def wanting(**storage: object) -> RayCluster:
    return cluster(gcsFaultToleranceOptions={"backend": "rocksdb", "storage": storage})


def test_the_claim_has_defaults_and_belongs_to_the_cluster() -> None:
    """Checklist 83: one writer, 1Gi, any class, owned by the RayCluster."""
    wanted = cluster(gcsFaultToleranceOptions={"backend": "rocksdb"})

    assert storage_claim(wanted) == {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "demo-gcs-pvc",
            "namespace": "lab",
            "labels": {"ray.io/cluster": "demo"},
            "ownerReferences": [owner_reference(wanted)],
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }


def test_the_users_wishes_replace_the_defaults() -> None:
    wish = wanting(size="5Gi", accessModes=["ReadWriteMany"], storageClassName="fast")

    assert claim_spec(wish) == {
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "5Gi"}},
        "storageClassName": "fast",
    }


def test_an_empty_class_is_a_wish_too() -> None:
    assert claim_spec(wanting(storageClassName=""))["storageClassName"] == ""


@pytest.mark.parametrize(("policy", "owned"), [("Retain", False), ("DeleteWithCluster", True)])
def test_a_claim_that_shall_outlive_the_cluster_has_no_owner(policy: str, owned: bool) -> None:
    metadata = storage_claim(wanting(deletionPolicy=policy))["metadata"]

    assert isinstance(metadata, dict)
    assert ("ownerReferences" in metadata) == owned
