"""How a resource is, in a few words. Pure."""

from shared.aggregates.view import View
from shared.kernel.manifests import entries_at, text_at

SETTLED = frozenset({"ready", "not ready yet", "scheduled", "Running", "Initializing", "Waiting"})
"""States that need no reason: what happened last is told instead."""


def effect_of(view: View) -> str:
    """Say how a resource is now, for example `rayjob train is Failed (AppFailed)`."""
    name = f"{view.key.kind} {view.key.name}"
    if view.own is None:
        return f"{name} is gone" if view.former is not None else f"{name} was never seen"
    if view.own.meta.deleted_at is not None:
        return f"{name} is being deleted"
    return f"{name} is {state_of(view)}"


def state_of(view: View) -> str:
    """Return the one word, and its reason, that the status has for a resource."""
    status = view.status
    phase = text_at(status, "jobDeploymentStatus")
    if phase:
        reason = text_at(status, "reason")
        return f"{phase} ({reason})" if reason else phase
    for condition in entries_at(status, "conditions"):
        if condition.get("status") == "True" and condition.get("type") in _STATES:
            return _STATES[str(condition.get("type"))]
    if view.key.kind == "raycronjob":
        return "scheduled"
    return text_at(status, "state") or text_at(status, "serviceStatus") or "not ready yet"


_STATES = {
    "RayClusterSuspending": "suspending",
    "RayClusterSuspended": "suspended",
    "Suspending": "suspending",
    "Suspended": "suspended",
    "RollbackInProgress": "rolling back",
    "UpgradeInProgress": "upgrading",
    "Ready": "ready",
}
"""Conditions that name a state, the most telling first."""
