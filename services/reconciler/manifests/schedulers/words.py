"""Labels and annotations by which users, pods and batch schedulers understand each other."""

from shared.resources.raycluster import RayCluster

GANG = "ray.io/gang-scheduling-enabled"
PRIORITY_CLASS = "ray.io/priority-class-name"

VOLCANO_QUEUE = "volcano.sh/queue-name"
VOLCANO_TOPOLOGY_MODE = "volcano.sh/network-topology-mode"
VOLCANO_TOPOLOGY_TIER = "volcano.sh/network-topology-highest-tier-allowed"
VOLCANO_GROUP = "scheduling.k8s.io/group-name"
VOLCANO_TASK = "volcano.sh/task-spec"

YUNIKORN_APP = "yunikorn.apache.org/app-id"
YUNIKORN_QUEUE = "yunikorn.apache.org/queue"
YUNIKORN_POD_APP = "applicationId"
YUNIKORN_POD_QUEUE = "queue"
YUNIKORN_TASK_GROUPS = "yunikorn.apache.org/task-groups"
YUNIKORN_TASK_GROUP = "yunikorn.apache.org/task-group-name"

KAI_QUEUE = "kai.scheduler/queue"

PLUGINS_GROUP = "scheduling.x-k8s.io/pod-group"


def gang_named(cluster: RayCluster) -> bool:
    """Whether the label for gangs is there, whatever it says: two schedulers take it so."""
    return GANG in cluster.labels
