"""RayServices under KubeRay's names, and their states, made when they are asked for.

A RayService is shown by whoever owns it, as `collector.py` tells of clusters. A condition that is
unknown or not told counts as false.
"""

from collections.abc import Iterable

from msgspec import Struct
from prometheus_client.core import GaugeMetricFamily

from services.status.conditions.rayservice.table import state_of
from services.status.conditions.transitions import conditions_of, holds
from services.status.metrics.sources import IDENTITY, ViewCollector
from shared.aggregates.view import View
from shared.telemetry.metrics import PREFIX, REGISTRY


class ServiceShown(Struct, frozen=True, kw_only=True):
    """What is shown of one RayService."""

    name: str
    namespace: str
    uid: str
    ready: bool
    upgrading: bool
    state: str


def service_shown(view: View) -> ServiceShown | None:
    """Read what is shown off a view; None if there is no RayService."""
    if view.own is None or view.key.kind != "rayservice":
        return None
    meta, conditions = view.own.meta, conditions_of(view.status)
    return ServiceShown(
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        ready=holds(conditions, "Ready"),
        upgrading=holds(conditions, "UpgradeInProgress"),
        state=state_of(view.status),
    )


class ServiceCollector(ViewCollector):
    """Shows every RayService of its sources."""

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Return the families without figures."""
        return _families(())

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return the families as of now."""
        return _families(
            [found for view in self.views() if (found := service_shown(view)) is not None]
        )


def _families(services: Iterable[ServiceShown]) -> tuple[GaugeMetricFamily, ...]:
    info = GaugeMetricFamily("kuberay_service_info", "Every RayService.", labels=IDENTITY)
    ready = GaugeMetricFamily(
        "kuberay_service_condition_ready",
        "Whether a RayService has endpoints.",
        labels=(*IDENTITY, "condition"),
    )
    upgrading = GaugeMetricFamily(
        "kuberay_service_condition_upgrade_in_progress",
        "Whether a cluster of a RayService is about to take over from another.",
        labels=(*IDENTITY, "condition"),
    )
    state = GaugeMetricFamily(
        f"{PREFIX}_service_state", "What a RayService is up to.", labels=(*IDENTITY, "state")
    )
    for one in services:
        identity = (one.name, one.namespace, one.uid)
        info.add_metric(identity, 1)
        ready.add_metric((*identity, "true" if one.ready else "false"), 1)
        upgrading.add_metric((*identity, "true" if one.upgrading else "false"), 1)
        state.add_metric((*identity, one.state), 1)
    return info, ready, upgrading, state


SERVICES = ServiceCollector()
REGISTRY.register(SERVICES)
