"""What the autoscaler may do: read and resize its pods, read and change its RayCluster.

Account, role and binding carry names cut to what Kubernetes takes, and are looked for under those
same names. An account that the user named for the head is theirs to make; role and binding refer
to it all the same.
"""

from services.reconciler.manifests.names import autoscaler_account, check_name
from services.reconciler.manifests.owners import metadata_of
from shared.kernel.manifests import text_at
from shared.resources import labels as words
from shared.resources.raycluster import RayCluster
from shared.resources.resource import GROUP

_RBAC = "rbac.authorization.k8s.io"


def users_account(cluster: RayCluster) -> str:
    """Return the service account that the user named for the head; empty if none."""
    return text_at(cluster.head.template, "spec", "serviceAccountName")


def account_name(cluster: RayCluster) -> str:
    """Return the service account under which the autoscaler works."""
    return autoscaler_account(cluster, users_account(cluster))


def role_name(cluster: RayCluster) -> str:
    """Return the name of the role, and of its binding."""
    return check_name(cluster.name)


def service_account(cluster: RayCluster) -> dict[str, object]:
    """Return the manifest of the autoscaler's service account."""
    metadata = metadata_of(cluster, account_name(cluster), _labels(cluster))
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}


def role(cluster: RayCluster) -> dict[str, object]:
    """Return the manifest of the autoscaler's role."""
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "Role",
        "metadata": metadata_of(cluster, role_name(cluster), _labels(cluster)),
        "rules": [
            _rule("", "pods", "get", "list", "watch", "patch"),
            _rule("", "pods/resize", "patch"),
            _rule(GROUP, "rayclusters", "get", "patch"),
        ],
    }


def role_binding(cluster: RayCluster) -> dict[str, object]:
    """Return the manifest that gives the role to the account."""
    account = {
        "kind": "ServiceAccount",
        "name": account_name(cluster),
        "namespace": cluster.namespace,
    }
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": metadata_of(cluster, role_name(cluster), _labels(cluster)),
        "subjects": [account],
        "roleRef": {"apiGroup": _RBAC, "kind": "Role", "name": role_name(cluster)},
    }


def _rule(group: str, resource: str, *verbs: str) -> dict[str, object]:
    return {"apiGroups": [group], "resources": [resource], "verbs": list(verbs)}


def _labels(cluster: RayCluster) -> dict[str, str]:
    return {
        words.CLUSTER: cluster.name,
        words.APP_NAME: words.APP,
        words.CREATED_BY: words.CREATOR,
    }
