"""Names of the objects we make.

Pods get the names that Kubernetes would generate for KubeRay's prefixes, but derived instead of
drawn, so that asking twice asks for the same pod: the head's from its cluster's uid alone, because
there shall never be two; a worker's from its group, slot and the fence of the decision that wants
it. Within one decision names of different slots never meet; between decisions they meet once in
fourteen million. Pod names cut the end of a long prefix; other names cut the start.
"""

import string

from shared.kernel.manifests import text_at
from shared.kernel.suffixes import LENGTH, number_of, suffix
from shared.resources.raycluster import RayCluster

_STRIDE = 8868112
_PREFIX_LENGTH = 50
_NAME_LENGTH = 50
_LABEL_LENGTH = 63
_ROUTE_LENGTH = 51
"""What a route's name and its namespace may have together: they become one label of a host."""
_PUNCTUATION = frozenset(string.punctuation)
_NO_BEGINNING = _PUNCTUATION | frozenset(string.digits)


def head_pod_name(cluster_name: str, uid: str) -> str:
    """Return the name of the one head this cluster has."""
    return head_prefix(cluster_name) + suffix(number_of("head", uid))


def head_pod_name_fixed(cluster_name: str) -> str:
    """Return the name of the head where the operator is told to use a fixed one."""
    return head_prefix(cluster_name).removesuffix("-")


def head_prefix(cluster_name: str) -> str:
    """Return what every name of a head starts with."""
    return f"{cluster_name[:_PREFIX_LENGTH]}-head-".lower()


def worker_prefix(cluster_name: str, group_name: str) -> str:
    """Return what every name of a worker of this group starts with."""
    return f"{f'{cluster_name}-{group_name}'[:_PREFIX_LENGTH]}-worker-".lower()


def worker_pod_name(cluster_name: str, group_name: str, uid: str, slot: int, fence: int) -> str:
    """Return the name of the worker that this decision wants in this slot."""
    start = number_of("worker", uid, group_name, fence)
    return worker_prefix(cluster_name, group_name) + suffix(start + slot * _STRIDE)


def replica_name(group_name: str, uid: str, slot: int, fence: int) -> str:
    """Return the name of the multi-host replica that this decision wants in this slot."""
    start = number_of("replica", uid, group_name, fence)
    kept = group_name[: _LABEL_LENGTH - LENGTH - 1]
    return f"{kept}-{suffix(start + slot * _STRIDE)}"


def check_name(name: str) -> str:
    """Shorten a name to its last 50 characters and let it begin with a letter."""
    kept = name[-_NAME_LENGTH:]
    return f"r{kept[1:]}" if kept[:1] in _NO_BEGINNING else kept


def check_label(value: str) -> str:
    """Shorten a label value to its last 63 characters and let it not begin with punctuation."""
    kept = value[-_LABEL_LENGTH:]
    return f"r{kept[1:]}" if kept[:1] in _PUNCTUATION else kept


def head_service_name(cluster: RayCluster) -> str:
    """Return the name of the head service: the user's, or one made from the cluster's."""
    return text_at(cluster.head.head_service, "metadata", "name") or f"{cluster.name}-head-svc"


def head_fqdn(cluster: RayCluster, cluster_domain: str) -> str:
    """Return the full host name under which nodes and people find the head."""
    return f"{head_service_name(cluster)}.{cluster.namespace}.svc.{cluster_domain}"


def route_name(cluster: RayCluster) -> str:
    """Return the name of the route; a long one is cut at its end, the more the longer the place."""
    kept = max(_ROUTE_LENGTH - len(cluster.namespace), 0)
    return check_name(f"{cluster.name}-head-route"[:kept])


def autoscaler_account(cluster: RayCluster, given: str) -> str:
    """Return the service account of a head with an autoscaler."""
    return check_name(given or cluster.name)


def auth_secret_name(cluster: RayCluster) -> str:
    """Return the Secret that holds the cluster's token."""
    options = cluster.spec.auth_options
    given = options.secret_name if options else None
    return given or check_name(cluster.name)


def storage_claim_name(cluster: RayCluster) -> str:
    """Return the claim on which an embedded store keeps the head's state."""
    options = cluster.spec.gcs_fault_tolerance_options
    storage = options.storage if options else None
    given = storage.claim_name if storage else None
    return given or f"{cluster.name}-gcs-pvc"
