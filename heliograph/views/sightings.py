"""What changed between two sightings of one object, in people's words. Pure.

Empty where nothing changed that a person would notice.
"""

from typing import assert_never

from shared.events.objects import (
    ChildSeen,
    ObjectGone,
    Observation,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
    uid_of,
)

STARTING = frozenset({"", "ContainerCreating", "PodInitializing"})
"""Reasons to wait that every container has at first."""


def sighting(before: Observation | None, now: Observation) -> str:
    """Say what is new about an object."""
    if before is not None and uid_of(before) != uid_of(now):
        before = None
    match now:
        case ObjectGone():
            return "" if isinstance(before, ObjectGone) else f"{now.kind} {now.name} is gone"
        case ResourceSeen():
            return _resource(before if isinstance(before, ResourceSeen) else None, now)
        case PodSeen():
            return _pod(before if isinstance(before, PodSeen) else None, now)
        case ServiceSeen():
            return "" if isinstance(before, ServiceSeen) else f"service {now.meta.name} appeared"
        case ChildSeen():
            return _child(before if isinstance(before, ChildSeen) else None, now)
        case _:
            assert_never(now)


def _child(before: ChildSeen | None, now: ChildSeen) -> str:
    name = f"{now.kind} {now.meta.name}"
    if before is None:
        return f"{name} appeared"
    if now.meta.deleted_at and not before.meta.deleted_at:
        return f"{name} is ending"
    return f"{name} was changed" if now.spec != before.spec else ""


def _resource(before: ResourceSeen | None, now: ResourceSeen) -> str:
    who = f" by {now.meta.changed_by}" if now.meta.changed_by else ""
    if before is None:
        return f"{now.meta.name} appeared, written{who}" if who else f"{now.meta.name} appeared"
    if now.meta.deleted_at and not before.meta.deleted_at:
        return f"{now.meta.name} is being deleted"
    if now.meta.generation != before.meta.generation:
        return f"{now.meta.name} was changed{who}: {', '.join(_changed(before.spec, now.spec))}"
    return ""


def _changed(before: object, now: object, path: str = "spec") -> list[str]:
    """Name the parts of a spec that differ, with old and new value where they are plain."""
    if isinstance(before, dict) and isinstance(now, dict):
        keys = [*now, *(key for key in before if key not in now)]
        return [
            line
            for key in keys
            if before.get(key) != now.get(key)
            for line in _changed(before.get(key), now.get(key), f"{path}.{key}")
        ]
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return [
            line
            for index, (old, new) in enumerate(zip(before, now, strict=True))
            if old != new
            for line in _changed(old, new, f"{path}[{index}]")
        ]
    if isinstance(before, dict | list) or isinstance(now, dict | list):
        return [f"{path} changed"]
    return [f"{path}: {_plain(before)} -> {_plain(now)}"]


def _plain(value: object) -> str:
    return "none" if value is None else str(value)


def _pod(before: PodSeen | None, now: PodSeen) -> str:
    name = f"pod {now.meta.name}"
    if before is None:
        return f"{name} appeared"
    if now.meta.deleted_at and not before.meta.deleted_at:
        return f"{name} is ending"
    if now.meta.deleted_at:
        return ""
    if now.phase != before.phase:
        why = f" ({now.reason})" if now.reason else ""
        return f"{name} is {now.phase}{why}"
    if _ready(now) != _ready(before):
        return f"{name} is ready" if _ready(now) else f"{name} is no longer ready"
    return _trouble(before, now)


def _ready(pod: PodSeen) -> bool:
    return any(one.type == "Ready" and one.status == "True" for one in pod.conditions)


def _trouble(before: PodSeen, now: PodSeen) -> str:
    former = {one.name: one for one in before.containers}
    for container in now.containers:
        known = former.get(container.name)
        restarted = known is not None and container.restarts > known.restarts
        if restarted:
            return f"container {container.name} of pod {now.meta.name} was restarted"
        worth = container.state == "waiting" and container.reason not in STARTING
        if worth and (known is None or known.reason != container.reason):
            return f"container {container.name} of pod {now.meta.name} waits: {container.reason}"
    return ""
