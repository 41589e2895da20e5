"""Since when something is in the way of a resource: a moment, so that an alert can count from it.

It is read off what the statuses tell: `Blocked` of a RayCluster or RayService, and of a RayJob
what its status copies from its cluster. Whoever owns the resource shows it; nothing in the way, no
series.
"""

from collections.abc import Iterable

from msgspec import Struct
from prometheus_client.core import GaugeMetricFamily

from services.status.conditions.blocked import BLOCKED
from services.status.conditions.transitions import conditions_of, holds
from services.status.metrics.sources import ViewCollector
from shared.aggregates.rayjob import OVER
from shared.aggregates.view import View
from shared.kernel.instants import read_instant
from shared.kernel.manifests import mapping_at, text_at
from shared.telemetry.metrics import PREFIX, REGISTRY

LABELS = ("kind", "namespace", "name", "uid", "cause")


class BlockedShown(Struct, frozen=True, kw_only=True):
    """What is shown of one resource that something is in the way of."""

    labels: tuple[str, ...]
    since: float


def blocked_shown(view: View) -> BlockedShown | None:
    """Read what is shown off a view; None if nothing is in the way."""
    if view.own is None:
        return None
    status = view.status
    if view.key.kind == "rayjob":
        over = text_at(status, "jobDeploymentStatus") in OVER
        status = {} if over else mapping_at(status, "rayClusterStatus")
    conditions = conditions_of(status)
    told = conditions.get(BLOCKED, {})
    since = read_instant(text_at(told, "lastTransitionTime"))
    if not holds(conditions, BLOCKED) or since is None:
        return None
    meta = view.own.meta
    labels = (view.key.kind, meta.namespace, meta.name, meta.uid, text_at(told, "reason"))
    return BlockedShown(labels=labels, since=since.timestamp())


class BlockedCollector(ViewCollector):
    """Shows what is in the way of the resources of its sources."""

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Return the family without figures."""
        return _families(())

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return the family as of now."""
        return _families(
            [found for view in self.views() if (found := blocked_shown(view)) is not None]
        )


def _families(found: Iterable[BlockedShown]) -> tuple[GaugeMetricFamily]:
    since = GaugeMetricFamily(
        f"{PREFIX}_blocked_since_seconds",
        "Since when something is in the way of a resource, in seconds since 1970.",
        labels=LABELS,
    )
    for one in found:
        since.add_metric(one.labels, one.since)
    return (since,)


OBSTACLES = BlockedCollector()
REGISTRY.register(OBSTACLES)
