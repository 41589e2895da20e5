"""What makes a wish and a sight the same kind of thing, whoever drew the names. Pure.

Pods count by their group: two operators give them other names, and may choose other victims of
equal worth. Everything else has a name that follows from its resource. What only tells people, only
reads, or only marks an object as ours is like nothing that another operator does.
"""

from collections.abc import Mapping

from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.objects import (
    Action,
    ConfigureServe,
    CreateObject,
    DeleteObject,
    PatchObject,
)
from shared.aggregates.expectations import Name
from shared.aggregates.raycluster import group_of
from shared.events.objects import ObjectGone, ObjectSeen, Observation

CREATE, DELETE, CHANGE, SUBMIT, STOP, SERVE = (
    "create",
    "delete",
    "change",
    "submit",
    "stop",
    "configure",
)
Likeness = tuple[str, str, str]
"""What is done, to which kind, and its group or name."""
POD = "pod"


def likeness_of(action: Action, children: Mapping[Name, Observation]) -> Likeness | None:
    """Return what an action is like; None if nobody else would do it."""
    match action:
        case CreateObject():
            return CREATE, action.kind, action.group or action.name
        case DeleteObject():
            return DELETE, action.kind, _victim(action, children)
        case PatchObject():
            return None if _marks_only(action.patch) else (CHANGE, action.kind, action.name)
        case SubmitJob() | StopJob():
            verb = SUBMIT if isinstance(action, SubmitJob) else STOP
            return verb, "job", action.job_id
        case ConfigureServe():
            return SERVE, "serve", action.cluster
        case _:
            return None


def _victim(action: DeleteObject, children: Mapping[Name, Observation]) -> str:
    seen = children.get((action.kind, action.name))
    if seen is None or isinstance(seen, ObjectGone):
        return action.name
    return name_of(action.kind, seen)


def name_of(kind: str, seen: ObjectSeen) -> str:
    """Return the group of a pod, the name of anything else."""
    return (group_of(seen.meta) if kind == POD else "") or seen.meta.name


def _marks_only(patch: Mapping[str, object]) -> bool:
    """Whether a change touches annotations alone: stamps by which an operator knows its own."""
    metadata = patch.get("metadata")
    return set(patch) == {"metadata"} and isinstance(metadata, Mapping) and set(metadata) <= _STAMPS


_STAMPS = frozenset({"annotations", "uid", "resourceVersion"})
