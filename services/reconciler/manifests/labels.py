"""Which labels our pods and services carry.

Three labels of a pod are ours alone and cannot be overridden, since we find our pods by them. The
words themselves are in `shared.resources.labels`.
"""

from collections.abc import Mapping

from services.reconciler.manifests.names import check_label
from shared.resources import labels as words
from shared.resources.groups import WorkerGroup
from shared.resources.predicates import creator
from shared.resources.raycluster import RayCluster

_NOT_OVERRIDABLE = (words.NODE_TYPE, words.GROUP, words.CLUSTER)


def head_pod_labels(cluster: RayCluster, template_labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of the head pod."""
    overlay = {**template_labels, **cluster.head.labels}
    labels = _pod_labels(cluster, words.HEAD, words.HEAD_GROUP, overlay)
    return labels | ({words.SERVE: "false"} if creator(cluster) == "RayService" else {})


def worker_pod_labels(
    cluster: RayCluster, group: WorkerGroup, template_labels: Mapping[str, str]
) -> dict[str, str]:
    """Return the labels of a worker pod."""
    overlay = {**template_labels, **group.labels}
    labels = _pod_labels(cluster, words.WORKER, group.group_name, overlay)
    return labels | ({words.SERVE: "true"} if creator(cluster) == "RayService" else {})


def head_service_labels(cluster: RayCluster, template_labels: Mapping[str, str]) -> dict[str, str]:
    """Return labels and selector of the head service; the app's name follows the pod template."""
    return {
        words.CLUSTER: cluster.name,
        words.NODE_TYPE: words.HEAD,
        words.IDENTIFIER: check_label(f"{cluster.name}-{words.HEAD}"),
        words.APP_NAME: template_labels.get(words.APP_NAME, words.APP),
        words.CREATED_BY: words.CREATOR,
    }


def _pod_labels(
    cluster: RayCluster, node_type: str, group_name: str, overlay: Mapping[str, str]
) -> dict[str, str]:
    ours = {
        words.IS_RAY_NODE: "yes",
        words.CLUSTER: cluster.name,
        words.NODE_TYPE: node_type,
        words.GROUP: group_name,
        words.IDENTIFIER: check_label(f"{cluster.name}-{node_type}"),
        words.APP_NAME: words.APP,
        words.CREATED_BY: words.CREATOR,
    }
    return ours | {key: value for key, value in overlay.items() if key not in _NOT_OVERRIDABLE}
