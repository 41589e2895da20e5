"""Kubernetes itself: a Workload says how a cluster is scheduled, a PodGroup is the gang that runs.

Only for clusters that ask for it in so many words and have no autoscaler: neither object can be
changed, so every other size needs new ones.
"""

from services.reconciler.manifests.owners import metadata_of
from services.reconciler.manifests.pods.draft import PodDraft
from services.reconciler.manifests.schedulers import words
from shared.resources import labels
from shared.resources.predicates import autoscaling
from shared.resources.raycluster import KIND, RayCluster
from shared.resources.totals import worker_counts

TEMPLATE = "cluster"
"""The one template of the Workload: head and workers are one gang."""
PROTECTION = "scheduling.k8s.io/podgroup-protection"
"""A finalizer by which Kubernetes keeps a PodGroup as long as pods name it."""
API = "scheduling.k8s.io/v1alpha2"
_GROUP = "ray.io"


def workload_aware(cluster: RayCluster) -> bool:
    """Whether Kubernetes shall schedule the cluster as one gang."""
    return cluster.labels.get(words.GANG, "").lower() == "true" and not autoscaling(cluster)


def gang_name(cluster: RayCluster) -> str:
    """Return the PodGroup that the cluster's pods belong to."""
    return f"{cluster.name}-{TEMPLATE}"


def gang_count(cluster: RayCluster) -> int:
    """Return how many pods must run together."""
    return 1 + worker_counts(cluster).desired


def workload(cluster: RayCluster) -> dict[str, object]:
    """Return how the cluster is to be scheduled."""
    return {
        "apiVersion": API,
        "kind": "Workload",
        "metadata": metadata_of(cluster, cluster.name, {labels.CLUSTER: cluster.name}),
        "spec": {
            "controllerRef": {"apiGroup": _GROUP, "kind": KIND, "name": cluster.name},
            "podGroupTemplates": [{"name": TEMPLATE, "schedulingPolicy": _policy(cluster)}],
        },
    }


def pod_group(cluster: RayCluster) -> dict[str, object]:
    """Return the gang itself, made after the Workload's template."""
    template = {"workloadName": cluster.name, "podGroupTemplateName": TEMPLATE}
    return {
        "apiVersion": API,
        "kind": "PodGroup",
        "metadata": metadata_of(cluster, gang_name(cluster), {labels.CLUSTER: cluster.name}),
        "spec": {
            "podGroupTemplateRef": {"workload": template},
            "schedulingPolicy": _policy(cluster),
        },
    }


def _policy(cluster: RayCluster) -> dict[str, object]:
    return {"gang": {"minCount": gang_count(cluster)}}


def mark_for_kubernetes(draft: PodDraft, _group: str) -> None:
    """Put the pod into the gang, if there is one."""
    if workload_aware(draft.cluster):
        draft.spec["schedulerName"] = "default-scheduler"
        draft.spec["schedulingGroup"] = {"podGroupName": gang_name(draft.cluster)}
