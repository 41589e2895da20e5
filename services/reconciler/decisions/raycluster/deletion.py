"""A cluster whose state is in Redis leaves only when Redis has forgotten it.

Our finalizer holds it (`protection.py`). When it is deleted, its pods go, and once no head is left
that could write, a Job removes the cluster's keys; the finalizer goes when the Job has ended, well
or badly, or when the user's patience has. Nothing keeps a deleted resource for good but a head
that does not end: not an invalid spec, not a changed setting.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from services.reconciler.decisions.decision import Draft
from services.reconciler.decisions.raycluster.protection import cleans_up, protected, release
from services.reconciler.decisions.raycluster.situation import REDIS_CLEANUP_JOB, Situation
from services.reconciler.decisions.raycluster.workers import in_turn, unit_of
from services.reconciler.manifests.redis_cleanup import can_be_made, redis_cleanup_name
from shared.actions.objects import (
    Action,
    CreateObject,
    DeleteObject,
    Notice,
    PostNotice,
    Words,
)
from shared.aggregates.phases import phase_of
from shared.aggregates.raycluster import RayClusterState, group_of, raycluster_state
from shared.aggregates.view import View
from shared.events.decisions import Timer
from shared.events.objects import Meta
from shared.kernel.instants import EPOCH
from shared.kernel.manifests import entries_at, text_at, value_at
from shared.resources.labels import (
    DELETION_TIMEOUT,
    EXTERNAL_STORAGE_NAMESPACE,
    HEAD_GROUP,
)
from shared.resources.predicates import OPERATOR

RULE = "deletion"
CLEANUP = "cleanup"
"""The timer that ends the patience with a clean-up."""
TIMEOUT = timedelta(seconds=300)
_TIMEOUT_MAX = 10**9
_SECONDS = re.compile(r"\+?[0-9]{1,18}", re.ASCII)
_ENDINGS = ("Complete", "Failed", "FailureTarget")
_FORCED = "cleanup-timeout"


def draft(found: Situation) -> Draft:
    """Say what a cluster on its way out still needs; nothing without our finalizer."""
    view, state = found.view, found.state
    if view.own is None or not protected(view.own.meta):
        return Draft(phase=state.phase)
    meta = view.own.meta
    if not cleans_up(found):
        because = "there is nothing in Redis to clean up after this cluster"
        return Draft(phase=state.phase, actions=tuple(release(view, meta, because)))
    job = _job(found) if can_be_made(found.cluster) else None
    actions = tuple(_steps(view, meta, state, job))
    return _waiting(view, meta, actions, found.manifests(actions))


def draft_unreadable(view: View) -> Draft | None:
    """Do the same for a resource whose spec cannot be read: no Job, only patience."""
    phase, own = phase_of(view.status), view.own
    if own is None or value_at(own.spec, "managedBy") not in (None, OPERATOR):
        return None
    if not protected(own.meta):
        return Draft(phase=phase)
    return _waiting(view, own.meta, tuple(_steps(view, own.meta, raycluster_state(view), None)), {})


def timeout_of(annotations: Mapping[str, str]) -> timedelta:
    """Return how long a clean-up may take: the user's whole seconds above zero, or ours."""
    text = annotations.get(DELETION_TIMEOUT, "")
    seconds = int(text) if _SECONDS.fullmatch(text) else 0
    return timedelta(seconds=min(seconds, _TIMEOUT_MAX)) if seconds else TIMEOUT


def _waiting(
    view: View, meta: Meta, actions: tuple[Action, ...], manifests: dict[str, dict[str, object]]
) -> Draft:
    told = _told(view) or any(isinstance(action, PostNotice) for action in actions)
    timer = Timer(
        name=CLEANUP, due_at=_due_at(meta), because="cleaning up in Redis may take only so long"
    )
    return Draft(
        phase=phase_of(view.status),
        actions=actions,
        manifests=manifests,
        noted=(_FORCED,) if told else (),
        timers=(timer,),
    )


def _steps(
    view: View, meta: Meta, state: RayClusterState, job: CreateObject | None
) -> Iterator[Action]:
    if not _head_left(state):
        yield from _cleanup(view, meta, state, job)
    yield from _removals(state)


def _cleanup(
    view: View, meta: Meta, state: RayClusterState, job: CreateObject | None
) -> Iterator[Action]:
    name = ("job", redis_cleanup_name(meta.name))
    if _ended(state, name):
        yield from release(view, meta, "the Job that cleans up in Redis has ended")
    elif CLEANUP in view.woken or view.now >= _due_at(meta):
        yield from _force(view, meta)
    elif job is not None and name not in state.children and name not in state.unsettled:
        yield job


def _removals(state: RayClusterState) -> Iterator[DeleteObject]:
    """Delete what lives, the head first."""
    for pod in in_turn(state.alive.values()):
        yield DeleteObject(
            kind="pod",
            name=pod.meta.name,
            uid=pod.meta.uid,
            rule=RULE,
            because="the cluster is being deleted, and Redis is cleaned up without its pods",
            unit=unit_of(pod),
        )


def _head_left(state: RayClusterState) -> bool:
    """Whether a head is there in any state, on its way, or may be ending unseen."""
    seen = any(group_of(pod.meta) == HEAD_GROUP for pod in state.pods.values())
    unseen = any(
        kind == "pod" and name not in state.pods and name not in state.coming
        for kind, name in state.unsettled
    )
    return seen or unseen or state.coming_in(HEAD_GROUP) > 0


def _ended(state: RayClusterState, name: tuple[str, str]) -> bool:
    job = state.children.get(name)
    return job is not None and any(
        condition.get("type") in _ENDINGS and condition.get("status") == "True"
        for condition in entries_at(job.status, "conditions")
    )


def _job(found: Situation) -> CreateObject:
    name = redis_cleanup_name(found.cluster.name)
    place = f"{found.cluster.namespace}/{name}"
    return CreateObject(
        kind="job",
        name=name,
        manifest=REDIS_CLEANUP_JOB,
        rule=RULE,
        because="no head is left, and the cluster's data is still in Redis",
        notice=Notice(
            done=Words(
                reason="CreatedRedisCleanupJob", message=f"Created Redis cleanup Job {place}"
            ),
            refused=Words(
                reason="FailedToCreateRedisCleanupJob",
                message=f"Failed to create Redis cleanup Job {place}, ",
            ),
        ),
    )


def _force(view: View, meta: Meta) -> Iterator[Action]:
    """Let the resource go without a clean-up, and say so first: afterwards nobody listens."""
    span = _printed(timeout_of(meta.annotations))
    because = f"cleaning up in Redis has not ended within {span}"
    released = tuple(release(view, meta, because))
    if released and not _told(view):
        yield PostNotice(
            warning=True,
            reason="ForceDeletedStuckCluster",
            action="Cleanup",
            message=f"Force-removed GCS FT finalizer after {span} due to Redis cleanup timeout; "
            f'Redis storage namespace "{_storage_namespace(view, meta)}" may need manual cleanup',
            rule=RULE,
            because=because,
        )
    yield from released


def _told(view: View) -> bool:
    return view.act is not None and _FORCED in view.act.noted


def _due_at(meta: Meta) -> datetime:
    return (meta.deleted_at or EPOCH) + timeout_of(meta.annotations)


def _storage_namespace(view: View, meta: Meta) -> str:
    """Return where the data is, also for a spec that cannot be read."""
    spec = view.own.spec if view.own else {}
    given = text_at(spec, "gcsFaultToleranceOptions", "externalStorageNamespace")
    return given or meta.annotations.get(EXTERNAL_STORAGE_NAMESPACE, "") or meta.uid


def _printed(span: timedelta) -> str:
    """Print a span as users of Kubernetes know it, such as 5m0s."""
    minutes, seconds = divmod(int(span.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes}m{seconds}s"
    return f"{minutes}m{seconds}s" if minutes else f"{seconds}s"
