"""Which assessment a kind of resource gets. Pure."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from services.status.conditions.blocked import BLOCKED, in_the_way_of_deletion, tell_blocked
from services.status.conditions.raycluster import assess_raycluster
from services.status.conditions.raycronjob import assess_raycronjob
from services.status.conditions.rayjob.assess import assess_rayjob
from services.status.conditions.rayservice.assess import assess_rayservice
from services.status.conditions.stuck import (
    Status,
    as_it_was,
    has_conditions,
    tell_parked,
    unsaid,
)
from services.status.conditions.transitions import Conditions, conditions_of
from services.status.patch import UPDATED
from services.status.reading import readable_cluster, readable_job, readable_service
from services.status.urgency import urgent
from shared.aggregates.phases import SERVICE_CLUSTERS
from shared.aggregates.view import View
from shared.kernel.features import Features
from shared.kernel.instants import print_instant

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
    if view.own is not None and view.own.meta.deleted_at is not None:
        return _going(view, features)
    assess = ASSESSMENTS.get(view.key.kind)
    if assess is None:
        return None
    return tell_parked(view, assess(unsaid(view), features), features)


def _going(view: View, features: Features) -> Status:
    """Return the status of what is being deleted: as it was, and whose finalizer holds it."""
    status, held = as_it_was(view), tuple(in_the_way_of_deletion(view))
    if not held:
        return tell_parked(view, status, features)
    if has_conditions(view.key.kind, features):
        conditions = conditions_of(view.status)
        tell_blocked(conditions, held, view.now)
        status["conditions"] = list(conditions.values())
    return status


def must_not_wait(view: View, patch: Changes) -> bool:
    """Say whether a change must be written at once."""
    if view.key.kind == "raycluster":
        return urgent(view.status, patch)
    if view.key.kind == "rayservice":
        return _tells_of_service(view.status, patch)
    return not set(patch) <= _PATIENT


def _tells_of_service(old: Changes, patch: Changes) -> bool:
    """Whether a RayService's change is more than what its clusters say of themselves."""
    if "conditions" in patch and _besides_obstacles(old) != _besides_obstacles(patch):
        return True
    for which in SERVICE_CLUSTERS:
        told = patch.get(which)
        if which in patch and not (isinstance(told, Mapping) and set(told) <= _PATIENT):
            return True
    return not set(patch) <= {*SERVICE_CLUSTERS, *_PATIENT, "conditions"}


def _besides_obstacles(status: Changes) -> Conditions:
    """Return the conditions but for what is in the way, which may be gone in a moment."""
    conditions = conditions_of(status)
    conditions.pop(BLOCKED, None)
    return conditions


def stamped(view: View, patch: Changes) -> Status:
    """Return the patch with the time that a kind's status shows for its last change."""
    if view.key.kind in ("raycluster", "rayservice"):
        return {**patch, UPDATED: print_instant(view.now)}
    return dict(patch)
