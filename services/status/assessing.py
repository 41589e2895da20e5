"""Which assessment a kind of resource gets. Pure."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from services.status.conditions.raycluster import assess_raycluster
from services.status.conditions.raycronjob import assess_raycronjob
from services.status.conditions.rayjob.assess import assess_rayjob
from services.status.conditions.rayservice.assess import assess_rayservice
from services.status.patch import UPDATED
from services.status.reading import readable_cluster, readable_job, readable_service
from services.status.urgency import urgent
from shared.aggregates.phases import SERVICE_CLUSTERS
from shared.aggregates.view import View
from shared.kernel.features import Features
from shared.kernel.instants import print_instant

Status = dict[str, object]
Changes = Mapping[str, object]

_PATIENT = frozenset({"rayClusterStatus", "observedGeneration"})
"""Of a RayJob's status, what may wait for company."""


def _cluster(view: View, features: Features) -> Status:
    return assess_raycluster(view, readable_cluster(view), features)


def _job(view: View, _: Features) -> Status:
    return assess_rayjob(view, readable_job(view))


def _cron_job(view: View, _: Features) -> Status:
    return assess_raycronjob(view)


def _service(view: View, features: Features) -> Status:
    return assess_rayservice(view, readable_service(view), features)


ASSESSMENTS: Mapping[str, Callable[[View, Features], Status]] = MappingProxyType(
    {"raycluster": _cluster, "rayjob": _job, "raycronjob": _cron_job, "rayservice": _service}
)


def assessed(view: View, features: Features) -> Status | None:
    """Return the status as it should read now; None for a kind that nobody assesses."""
    assess = ASSESSMENTS.get(view.key.kind)
    return assess(view, features) if assess else None


def must_not_wait(view: View, patch: Changes) -> bool:
    """Say whether a change must be written at once."""
    if view.key.kind == "raycluster":
        return urgent(view.status, patch)
    if view.key.kind == "rayservice":
        return _tells_of_service(patch)
    return not set(patch) <= _PATIENT


def _tells_of_service(patch: Changes) -> bool:
    """Whether a RayService's change is more than what its clusters say of themselves."""
    for which in SERVICE_CLUSTERS:
        told = patch.get(which)
        if which in patch and not (isinstance(told, Mapping) and set(told) <= _PATIENT):
            return True
    return not set(patch) <= {*SERVICE_CLUSTERS, *_PATIENT}


def stamped(view: View, patch: Changes) -> Status:
    """Return the patch with the time that a kind's status shows for its last change."""
    if view.key.kind in ("raycluster", "rayservice"):
        return {**patch, UPDATED: print_instant(view.now)}
    return dict(patch)
