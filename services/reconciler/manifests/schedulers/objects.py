"""The objects that batch schedulers keep of a cluster, by their name within an act."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from services.reconciler.manifests.schedulers.kubernetes import pod_group, workload
from services.reconciler.manifests.schedulers.plugins import plugin_pod_group
from services.reconciler.manifests.schedulers.volcano import volcano_pod_group
from shared.resources.raycluster import RayCluster

VOLCANO_POD_GROUP = "volcano-pod-group"
PLUGIN_POD_GROUP = "plugin-pod-group"
WORKLOAD = "workload"
POD_GROUP = "pod-group"

SCHEDULING: Mapping[str, Callable[[RayCluster], dict[str, object]]] = MappingProxyType(
    {
        VOLCANO_POD_GROUP: volcano_pod_group,
        PLUGIN_POD_GROUP: plugin_pod_group,
        WORKLOAD: workload,
        POD_GROUP: pod_group,
    }
)
