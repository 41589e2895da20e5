"""The scheduler-plugins of Kubernetes: a cluster that carries the label has a PodGroup."""

from services.reconciler.manifests.owners import owner_reference
from services.reconciler.manifests.pods.draft import PodDraft
from services.reconciler.manifests.schedulers import words
from services.reconciler.manifests.schedulers.gang import desired_gang
from shared.resources.raycluster import RayCluster

SCHEDULER_NAME = "scheduler-plugins-scheduler"
"""What the scheduler calls itself where it is installed beside the usual one."""


def plugin_pod_group(cluster: RayCluster) -> dict[str, object]:
    """Return the PodGroup, which has the cluster's name."""
    gang = desired_gang(cluster)
    return {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {
            "name": cluster.name,
            "namespace": cluster.namespace,
            "ownerReferences": [owner_reference(cluster)],
        },
        "spec": {"minMember": gang.members, "minResources": gang.resources},
    }


def mark_for_plugins(draft: PodDraft, _group: str) -> None:
    """Give the pod to the scheduler, and to its gang if the cluster is one."""
    if words.gang_named(draft.cluster):
        draft.labels[words.PLUGINS_GROUP] = draft.cluster.name
    draft.spec["schedulerName"] = SCHEDULER_NAME
