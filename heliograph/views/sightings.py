"""What changed between two sightings of one object, in people's words. Pure.

Empty where nothing changed that a person would notice.
"""

from collections.abc import Callable
from typing import assert_never

from heliograph.views.changes import changes, words_of
from heliograph.views.redaction import redacted
from shared.aggregates.blame import foreign_finalizers
from shared.aggregates.obstacles import ended_by_memory, is_ready
from shared.events.objects import (
    ChildSeen,
    ObjectGone,
    Observation,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
    uid_of,
)
from shared.kernel.manifests import entries_at, text_at, value_at

STARTING = frozenset({"", "ContainerCreating", "PodInitializing"})
"""Reasons to wait that every container has at first."""
_JOB_ENDS = {"Complete": "is complete", "Failed": "has failed"}


Hide = Callable[[object], object]
"""Return a value without its secrets; equal values stay equal, others stay apart."""


def sighting(
    before: Observation | None, now: Observation, kind: str = "", hide: Hide = redacted
) -> str:
    """Say what is new about an object; `kind` is told of a resource that another one owns."""
    if before is not None and uid_of(before) != uid_of(now):
        before = None
    match now:
        case ObjectGone():
            return "" if isinstance(before, ObjectGone) else f"{now.kind} {now.name} is gone"
        case ResourceSeen():
            return _resource(before if isinstance(before, ResourceSeen) else None, now, kind, hide)
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
        return f"{name} is ending{_held(now)}"
    if now.spec != before.spec:
        return f"{name} was changed"
    ended = _ended(now)
    return f"{name} {ended}" if ended and ended != _ended(before) else ""


def _ended(child: ChildSeen) -> str:
    """Say how a Kubernetes Job ended, if it is one and has."""
    for condition in entries_at(child.status, "conditions"):
        word = text_at(condition, "type")
        if child.kind == "job" and condition.get("status") == "True" and word in _JOB_ENDS:
            told = text_at(condition, "message") or text_at(condition, "reason")
            return _JOB_ENDS[word] + (f": {told}" if told else "")
    return ""


def _resource(before: ResourceSeen | None, now: ResourceSeen, kind: str, hide: Hide) -> str:
    name = f"{kind} {now.meta.name}" if kind else now.meta.name
    who = f" by {now.meta.changed_by}" if now.meta.changed_by else ""
    if before is None:
        return f"{name} appeared, written{who}" if who else f"{name} appeared"
    if now.meta.deleted_at and not before.meta.deleted_at:
        return f"{name} is being deleted{_held(now)}"
    if now.meta.generation != before.meta.generation:
        specs = hide([before.spec, now.spec])
        found = changes(value_at(specs, 0), value_at(specs, 1), "spec")
        told = ", ".join(words_of(one) for one in found)
        return f"{name} was changed{who}: {told}"
    states = [text_at(one.status, "state") for one in (before, now)]
    return f"{name} is {states[1]}" if kind and states[1] and states[0] != states[1] else ""


def _held(now: ResourceSeen | ChildSeen) -> str:
    """Name whoever keeps an object that is to go."""
    foreign = foreign_finalizers(now.meta.finalizers)
    return f", held by {', '.join(foreign)}" if foreign else ""


def _pod(before: PodSeen | None, now: PodSeen) -> str:
    name = f"pod {now.meta.name}"
    if before is None:
        return f"{name} appeared"
    if now.meta.deleted_at and not before.meta.deleted_at:
        return f"{name} is ending{_disrupted(now)}"
    if now.meta.deleted_at:
        return ""
    if now.phase != before.phase:
        why = f" ({now.reason})" if now.reason else ""
        return f"{name} is {now.phase}{why}"
    trouble = _trouble(before, now)
    if is_ready(now) != is_ready(before):
        lost = f": {trouble}" if trouble else ""
        return f"{name} is ready" if is_ready(now) else f"{name} is no longer ready{lost}"
    return trouble or _unplaced(before, now)


def _disrupted(pod: PodSeen) -> str:
    """Say who sends a pod away, where Kubernetes tells."""
    for one in pod.conditions:
        if one.type == "DisruptionTarget" and one.status == "True":
            return f" ({one.reason})"
    return ""


def _unplaced(before: PodSeen, now: PodSeen) -> str:
    """Say why no node takes a pod, once."""
    known = {one.reason for one in before.conditions if one.type == "PodScheduled"}
    for one in now.conditions:
        if one.type == "PodScheduled" and one.status == "False" and one.reason not in known:
            return f"pod {now.meta.name} has no node: {one.message or one.reason}"
    return ""


def _trouble(before: PodSeen, now: PodSeen) -> str:
    former = {one.name: one for one in before.containers}
    for container in now.containers:
        known = former.get(container.name)
        memory = " (OOMKilled)" if ended_by_memory(container) else ""
        name = f"container {container.name} of pod {now.meta.name}"
        if known is not None and container.restarts > known.restarts:
            return f"{name} was restarted{memory}"
        if container.reason in STARTING or (known is not None and known.reason == container.reason):
            continue
        if container.state == "waiting":
            return f"{name} waits: {container.reason}{memory}"
        if container.state == "terminated":
            return f"{name} has ended: {container.reason}"
    return ""
