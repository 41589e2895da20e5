"""Kubernetes Events for people: what was done, what was refused, what is wrong. Pure.

Their names come from the act and the words, so that telling it twice tells it once.
"""

from datetime import datetime

from shared.actions.objects import (
    Action,
    ConfigureServe,
    CreateObject,
    DeleteObject,
    PatchObject,
    PostNotice,
)
from shared.actions.outcomes import Done, Occupied, Outcome, Refused
from shared.kernel.ids import content_id
from shared.kernel.instants import print_precisely
from shared.kernel.keys import ResourceKey
from shared.ports.cluster import Object

CONTROLLERS = {
    "raycluster": "raycluster-controller",
    "rayjob": "rayjob-controller",
    "raycronjob": "raycronjob-controller",
    "rayservice": "rayservice-controller",
}
KINDS = {
    "raycluster": "RayCluster",
    "rayjob": "RayJob",
    "raycronjob": "RayCronJob",
    "rayservice": "RayService",
}
NOTE_MAX = 1024
"""The API server's limit for a note, in bytes."""
_NAME_MAX = 230
TELLING = (CreateObject, DeleteObject, PatchObject, ConfigureServe)
"""Actions whose outcomes people are told about."""
_VERBS = {
    CreateObject: "Create",
    DeleteObject: "Delete",
    PatchObject: "Update",
    ConfigureServe: "Update",
}


def notice_of(action: Action, outcome: Outcome) -> PostNotice | None:
    """Return what to tell people about an action's outcome, if anything."""
    if not isinstance(action, TELLING) or action.notice is None:
        return None
    match outcome:
        case Done():
            words, told, warning = action.notice.done, "", False
        case Occupied() if action.notice.taken is not None:
            words, told, warning = action.notice.taken, "", True
        case Refused(outage=True):
            return None  # the condition tells it; an Event for each try would tell it over and over
        case Refused() | Occupied():
            words, told, warning = action.notice.refused, outcome.message, True
        case _:
            return None
    if not words.reason:
        return None
    return PostNotice(
        warning=warning,
        reason=words.reason,
        action=action.notice.verb or _VERBS[type(action)],
        message=words.message + told,
        rule=action.rule,
        because=action.because,
    )


def event_manifest(
    key: ResourceKey, uid: str, notice: PostNotice, act: str, now: datetime
) -> Object:
    """Return the Event object, in the form of events.k8s.io/v1."""
    mark = content_id(act, notice.reason, notice.message)[:16]
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": f"{key.name[:_NAME_MAX]}.{mark}", "namespace": key.namespace},
        "eventTime": print_precisely(now),
        "type": "Warning" if notice.warning else "Normal",
        "reason": notice.reason,
        "action": notice.action,
        "note": clipped(notice.message),
        "regarding": {
            "apiVersion": "ray.io/v1",
            "kind": KINDS[key.kind],
            "namespace": key.namespace,
            "name": key.name,
            "uid": uid,
        },
        "reportingController": CONTROLLERS[key.kind],
        "reportingInstance": "heliograph",
    }


def clipped(message: str) -> str:
    """Shorten a note to what the API server takes."""
    raw = message.encode()
    if len(raw) <= NOTE_MAX:
        return message
    return raw[: NOTE_MAX - 3].decode(errors="ignore") + "..."
