"""The Secret that holds a cluster's token: everything about it but the token.

The executor draws the value when it makes the Secret; no value passes through here.
"""

from services.reconciler.manifests.names import auth_secret_name
from services.reconciler.manifests.owners import metadata_of
from shared.resources.labels import CLUSTER
from shared.resources.raycluster import RayCluster

AUTH_KEYS = ("auth_token",)


def auth_secret(cluster: RayCluster) -> dict[str, object]:
    """Return the manifest of the token's Secret, without the token."""
    metadata = metadata_of(cluster, auth_secret_name(cluster), {CLUSTER: cluster.name})
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata}
