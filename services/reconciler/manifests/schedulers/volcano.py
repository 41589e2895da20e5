"""Volcano: every cluster is a gang, with a PodGroup that its pods name.

A cluster that a RayJob made shares the RayJob's PodGroup, which includes the submitter, and has
none of its own. Queue, priority and topology are read from the cluster's labels.
"""

import re

from services.reconciler.manifests.owners import owner_reference
from services.reconciler.manifests.pods.draft import PodDraft
from services.reconciler.manifests.schedulers import words
from services.reconciler.manifests.schedulers.gang import Gang, desired_gang, smallest_gang
from shared.kernel.schedulers import VOLCANO
from shared.resources.labels import ORIGINATED_FROM_NAME
from shared.resources.predicates import autoscaling, creator
from shared.resources.raycluster import RayCluster

_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_LARGEST = 2**63 - 1


def volcano_group_name(cluster: RayCluster) -> str:
    """Return the PodGroup of the cluster's pods: its own, or that of the RayJob that made it."""
    rayjob = cluster.labels.get(ORIGINATED_FROM_NAME) if creator(cluster) == "RayJob" else ""
    return f"ray-{rayjob or cluster.name}-pg"


def volcano_gang(cluster: RayCluster) -> Gang:
    """Return how much must be there at once; an autoscaler may add the rest later."""
    return smallest_gang(cluster) if autoscaling(cluster) else desired_gang(cluster)


def volcano_problem(cluster: RayCluster) -> str:
    """Say why no PodGroup can be made from the labels; empty if it can."""
    tier = cluster.labels.get(words.VOLCANO_TOPOLOGY_TIER)
    if tier is None or words.VOLCANO_TOPOLOGY_MODE not in cluster.labels:
        return ""
    if _INTEGER.fullmatch(tier) is None:
        why = "invalid syntax"
    elif abs(int(tier)) > _LARGEST:
        why = "value out of range"
    else:
        return ""
    return (
        f"failed to convert {words.VOLCANO_TOPOLOGY_TIER} label to int: "
        f'strconv.Atoi: parsing "{tier}": {why} for podgroup {volcano_group_name(cluster)} '
        f"in namespace {cluster.namespace}"
    )


def volcano_pod_group(cluster: RayCluster) -> dict[str, object]:
    """Return the PodGroup of a cluster whose labels make sense."""
    gang = volcano_gang(cluster)
    spec: dict[str, object] = {"minMember": gang.members, "minResources": gang.resources}
    if words.VOLCANO_QUEUE in cluster.labels:
        spec["queue"] = cluster.labels[words.VOLCANO_QUEUE]
    if words.PRIORITY_CLASS in cluster.labels:
        spec["priorityClassName"] = cluster.labels[words.PRIORITY_CLASS]
    if words.VOLCANO_TOPOLOGY_MODE in cluster.labels:
        spec["networkTopology"] = _topology(cluster)
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {
            "name": volcano_group_name(cluster),
            "namespace": cluster.namespace,
            "annotations": dict(sorted(cluster.annotations.items())),
            "ownerReferences": [owner_reference(cluster)],
        },
        "spec": spec,
        "status": {"phase": "Pending"},
    }


def _topology(cluster: RayCluster) -> dict[str, object]:
    topology: dict[str, object] = {"mode": cluster.labels[words.VOLCANO_TOPOLOGY_MODE]}
    if words.VOLCANO_TOPOLOGY_TIER in cluster.labels:
        topology["highestTierAllowed"] = int(cluster.labels[words.VOLCANO_TOPOLOGY_TIER])
    return topology


def mark_for_volcano(draft: PodDraft, group: str) -> None:
    """Put a pod into the gang, as a task of its group's name."""
    for key in (words.VOLCANO_QUEUE, words.PRIORITY_CLASS):
        if value := draft.cluster.labels.get(key):
            draft.labels[key] = value
    draft.annotations[words.VOLCANO_GROUP] = volcano_group_name(draft.cluster)
    draft.annotations[words.VOLCANO_TASK] = group
    draft.spec["schedulerName"] = VOLCANO
