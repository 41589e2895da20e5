"""KubeRay's metrics, made when they are asked for, from what the status services of a process own.

A resource is shown by whoever owns its partition and by nobody else, so that the sum over replicas
is the fleet; what is gone is not shown. The families are registered once per process.
"""

from collections.abc import Iterable

from prometheus_client.core import GaugeMetricFamily

from services.status.metrics.clusters import ClusterShown, shown
from services.status.metrics.sources import IDENTITY, ViewCollector
from shared.telemetry.metrics import REGISTRY


class ClusterCollector(ViewCollector):
    """Shows every RayCluster of its sources."""

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Return the families without figures."""
        return _families(())

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return the families as of now."""
        return _families([found for view in self.views() if (found := shown(view)) is not None])


def _families(clusters: Iterable[ClusterShown]) -> tuple[GaugeMetricFamily, ...]:
    duration = GaugeMetricFamily(
        "kuberay_cluster_provisioned_duration_seconds",
        "How long it took from the creation of a RayCluster until all its pods were ready.",
        labels=IDENTITY,
    )
    info = GaugeMetricFamily(
        "kuberay_cluster_info",
        "Every RayCluster, with the kind of what it was made from.",
        labels=(*IDENTITY, "owner_kind"),
    )
    provisioned = GaugeMetricFamily(
        "kuberay_cluster_condition_provisioned",
        "Whether all pods of a RayCluster have been ready.",
        labels=(*IDENTITY, "condition"),
    )
    for one in clusters:
        identity = (one.name, one.namespace, one.uid)
        info.add_metric((*identity, one.owner_kind), 1)
        provisioned.add_metric((*identity, "true" if one.provisioned else "false"), 1)
        if one.provisioned_after is not None:
            duration.add_metric(identity, one.provisioned_after.total_seconds())
    return duration, info, provisioned


CLUSTERS = ClusterCollector()
REGISTRY.register(CLUSTERS)
