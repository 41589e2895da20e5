"""Names of the objects we make.

Pods get the names that Kubernetes would generate for KubeRay's prefixes, but derived instead of
drawn, so that asking twice asks for the same pod: the head's from its cluster's uid alone, because
there shall never be two; a worker's from its group, slot and the fence of the decision that wants
it. Within one decision names of different slots never meet; between decisions they meet once in
fourteen million. Pod names cut the end of a long prefix; other names cut the start.
"""

import string

from shared.kernel.ids import content_id
from shared.kernel.manifests import text_at
from shared.resources.raycluster import RayCluster

_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5
_SUFFIXES = len(_LETTERS) ** _SUFFIX_LENGTH
_STRIDE = 8868112
_PREFIX_LENGTH = 50
_NAME_LENGTH = 50
_LABEL_LENGTH = 63


def head_pod_name(cluster_name: str, uid: str) -> str:
    """Return the name of the one head this cluster has."""
    return head_prefix(cluster_name) + _suffix(_number("head", uid))


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
    start = _number("worker", uid, group_name, fence)
    return worker_prefix(cluster_name, group_name) + _suffix(start + slot * _STRIDE)


def replica_name(group_name: str, uid: str, slot: int, fence: int) -> str:
    """Return the name of the multi-host replica that this decision wants in this slot."""
    start = _number("replica", uid, group_name, fence)
    kept = group_name[: _LABEL_LENGTH - _SUFFIX_LENGTH - 1]
    return f"{kept}-{_suffix(start + slot * _STRIDE)}"


def check_name(name: str) -> str:
    """Shorten a name to its last 50 characters and let it begin with a letter."""
    kept = name[-_NAME_LENGTH:]
    return f"r{kept[1:]}" if kept[:1] in {*string.digits, *string.punctuation} else kept


def check_label(value: str) -> str:
    """Shorten a label value to its last 63 characters and let it not begin with punctuation."""
    kept = value[-_LABEL_LENGTH:]
    return f"r{kept[1:]}" if kept[:1] in {*string.punctuation} else kept


def head_service_name(cluster: RayCluster) -> str:
    """Return the name of the head service: the user's, or one made from the cluster's."""
    return text_at(cluster.head.head_service, "metadata", "name") or f"{cluster.name}-head-svc"


def head_fqdn(cluster: RayCluster, cluster_domain: str) -> str:
    """Return the full host name under which nodes and people find the head."""
    return f"{head_service_name(cluster)}.{cluster.namespace}.svc.{cluster_domain}"


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


def _number(*parts: str | int) -> int:
    return int(content_id(*parts), 16)


def _suffix(number: int) -> str:
    rest = number % _SUFFIXES
    letters = []
    for _ in range(_SUFFIX_LENGTH):
        rest, index = divmod(rest, len(_LETTERS))
        letters.append(_LETTERS[index])
    return "".join(letters)
