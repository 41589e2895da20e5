"""A resource that we cannot go on with, whatever it suffers from: said before all else. Pure.

Where a kind has conditions it is `Blocked`; a RayJob says it in its message while no other word is
lost to that; a RayCronJob has no field for it.
"""

from msgspec.structs import replace

from services.status.conditions.blocked import BLOCKED, tell_blocked
from services.status.conditions.transitions import conditions_of
from shared.aggregates.blame import CANNOT, PARKED, UNREADABLE, Wait, parked
from shared.aggregates.rayjob import INITIALIZING, RUNNING, WAITING
from shared.aggregates.view import View
from shared.kernel.features import STATUS_CONDITIONS, Features
from shared.kernel.manifests import text_at

Status = dict[str, object]

_WITH_CONDITIONS = frozenset({"raycluster", "rayservice"})
_REASONS = frozenset({PARKED, UNREADABLE})
_SAYING = frozenset({"", INITIALIZING, WAITING})
"""Phases of a RayJob whose message is assessed anew each time."""


def has_conditions(kind: str, features: Features) -> bool:
    """Whether statuses of a kind have conditions under these gates."""
    gated = kind == "raycluster" and not features.on(STATUS_CONDITIONS)
    return kind in _WITH_CONDITIONS and not gated


def unsaid(view: View) -> View:
    """Return the view as if a RayJob's message had not said it: no other word rests on it."""
    if view.key.kind != "rayjob" or not text_at(view.status, "message").startswith(CANNOT):
        return view
    return replace(view, status={k: told for k, told in view.status.items() if k != "message"})


def as_it_was(view: View) -> Status:
    """Return the status as it stands, but for what was said of this."""
    status, conditions = dict(unsaid(view).status), conditions_of(view.status)
    if conditions.get(BLOCKED, {}).get("reason") in _REASONS:
        del conditions[BLOCKED]
        status["conditions"] = list(conditions.values())
    return status


def tell_stuck(view: View, status: Status, wait: Wait, features: Features) -> Status:
    """Say why we cannot go on, where the kind has a place for it."""
    if has_conditions(view.key.kind, features):
        conditions = conditions_of(status)
        former = conditions_of(view.status).get(BLOCKED)
        conditions.pop(BLOCKED, None)
        if former is not None:
            conditions[BLOCKED] = former
        tell_blocked(conditions, [wait], view.now)
        return {**status, "conditions": list(conditions.values())}
    if view.key.kind == "rayjob" and _has_room(status):
        return {**status, "message": wait.words}
    return status


def _has_room(status: Status) -> bool:
    """Whether no word of a RayJob is lost to its message: it is told anew, or there is none."""
    phase = text_at(status, "jobDeploymentStatus")
    return phase in _SAYING or (phase == RUNNING and not text_at(status, "message"))


def tell_parked(view: View, status: Status, features: Features) -> Status:
    """Say that the rules break over a resource, if they do."""
    for wait in parked(view):
        return tell_stuck(view, status, wait, features)
    return status
