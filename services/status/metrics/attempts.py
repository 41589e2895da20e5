"""RayJobs under KubeRay's names, made when they are asked for.

A RayJob is shown by whoever owns it, as `collector.py` tells of clusters. Attempts that were tried
again are kept here until their RayJob is gone, as in KubeRay; another process starts without.
"""

from collections.abc import Iterable
from datetime import datetime

from prometheus_client.core import GaugeMetricFamily

from services.status.metrics.jobs import JobShown, Took, job_shown, tried_again
from services.status.metrics.sources import IDENTITY, ViewCollector
from shared.aggregates.view import View
from shared.telemetry.metrics import REGISTRY


class JobCollector(ViewCollector):
    """Shows every RayJob of its sources."""

    def __init__(self) -> None:
        super().__init__()
        self._attempts: dict[str, dict[int, Took]] = {}

    def note(self, view: View, status: dict[str, object], at: datetime) -> None:
        """Keep how long an attempt took, if this status says that it is tried again."""
        took = tried_again(view.status, status, at) if view.own else None
        if took is not None and view.own is not None:
            self._attempts.setdefault(view.own.meta.uid, {})[took.retries] = took

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Return the families without figures."""
        return _families((), {})

    def collect(self) -> Iterable[GaugeMetricFamily]:
        """Return the families as of now; what is gone is forgotten."""
        jobs = [found for view in self.views() if (found := job_shown(view)) is not None]
        there = {job.uid for job in jobs}
        self._attempts = {uid: took for uid, took in self._attempts.items() if uid in there}
        return _families(jobs, self._attempts)


def _families(
    jobs: Iterable[JobShown], attempts: dict[str, dict[int, Took]]
) -> tuple[GaugeMetricFamily, ...]:
    info = GaugeMetricFamily("kuberay_job_info", "Every RayJob.", labels=IDENTITY)
    phase = GaugeMetricFamily(
        "kuberay_job_deployment_status",
        "How every RayJob is.",
        labels=(*IDENTITY, "deployment_status"),
    )
    duration = GaugeMetricFamily(
        "kuberay_job_execution_duration_seconds",
        "How long an attempt at a RayJob took until it ended or was tried again.",
        labels=(*IDENTITY, "job_deployment_status", "retry_count"),
    )
    for one in jobs:
        identity = (one.name, one.namespace, one.uid)
        info.add_metric(identity, 1)
        phase.add_metric((*identity, one.phase), 1)
        former = attempts.get(one.uid, {}).values()
        for took in (*former, *((one.took,) if one.took else ())):
            labels = (*identity, took.phase, str(took.retries))
            duration.add_metric(labels, took.span.total_seconds())
    return info, phase, duration


JOBS = JobCollector()
REGISTRY.register(JOBS)
