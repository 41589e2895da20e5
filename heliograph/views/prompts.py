"""Which fact made somebody decide or tell something: kinds of news, and how one is chosen. Pure.

An act rests on everything before it, but it was written because of something new: what came since
the act before it. Which news counts depends on the rule that asked.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import assert_never

from heliograph.views.chronicle import Chapter, act_in, seen_in
from shared.actions.outcomes import Occupied, Refused
from shared.aggregates.obstacles import is_ready, obstacle_of_pod
from shared.aggregates.phases import phase_of
from shared.aggregates.raycluster import ENDED
from shared.events.decisions import Answered
from shared.events.envelope import Record
from shared.events.objects import (
    ChildSeen,
    ObjectGone,
    Observation,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
    uid_of,
)
from shared.events.records import StatusWritten, TimerFired
from shared.events.subjects import own
from shared.events.told import HealthTold, JobTold, Looked, ServeTold
from shared.kernel.manifests import entries_at, text_at

DELETED, SPEC, NEW = "deleted", "spec", "new"
PHASE, TIMER, TOLD, REFUSED = "phase", "timer", "told", "refused"
POD_ENDED, POD_LEFT, POD_ILL, CHILD_LEFT, CHILD = "ended", "left", "ill", "child-left", "child"

ORIGINS = (DELETED, SPEC, NEW)
"""With what a chain may end when nothing nearer is found: somebody wrote the resource."""
USUAL = (
    *(NEW, DELETED, SPEC, PHASE, POD_ENDED, POD_LEFT, CHILD_LEFT, TOLD, TIMER),
    *(REFUSED, POD_ILL, CHILD),
)
BY_RULE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("head", "worker_groups"), (NEW, POD_LEFT, POD_ENDED, SPEC, PHASE)),
        **dict.fromkeys(
            ("workers_to_delete", "removed_group", "recreate", "deletion", "protection"),
            (DELETED, SPEC, PHASE),
        ),
        "suspension": (SPEC, PHASE, DELETED),
        "removal": (TIMER, PHASE, DELETED, SPEC),
        "cluster": (CHILD_LEFT, PHASE, SPEC, TIMER),
        "skipped": (TIMER, NEW),
    }
)
BEHIND_STATUS = (
    *(TIMER, TOLD, DELETED, NEW, SPEC, POD_ENDED, POD_LEFT, POD_ILL, CHILD_LEFT),
    *(REFUSED, CHILD),
)


_IDLE = frozenset({"wake", "refresh"})
"""Timers that only have somebody look again."""


def kind_of(chapter: Chapter, record: Record) -> str:
    """Say which kind of news a record is; empty if it is none."""
    body = record.envelope.body
    former = chapter.before(record)
    match body:
        case ResourceSeen() | PodSeen() | ServiceSeen() | ChildSeen() | ObjectGone():
            return _sight(chapter, record, former)
        case StatusWritten():
            return PHASE if _stages(former) != _stages(record) else ""
        case TimerFired():
            return "" if body.timer in _IDLE else TIMER
        case JobTold() | ServeTold() | HealthTold() | Looked():
            return TOLD if chapter.text(record) else ""
        case Answered():
            bad = any(isinstance(one, Refused | Occupied) for one in body.outcomes)
            return REFUSED if bad else ""
        case _:
            return ""


def _sight(chapter: Chapter, record: Record, former: Record | None) -> str:
    now, before = seen_in(record), seen_in(former) if former else None
    if now is None:
        return ""
    if before is not None and uid_of(before) != uid_of(now):
        before = None
    if record.subject == own(chapter.key):
        return _itself(before, now)
    match now:
        case ObjectGone():
            return POD_LEFT if now.kind == "pod" else CHILD_LEFT
        case PodSeen():
            return _pod(before if isinstance(before, PodSeen) else None, now)
        case ResourceSeen() | ChildSeen() | ServiceSeen():
            return CHILD if chapter.text(record) else ""
        case _:
            assert_never(now)


def _itself(before: Observation | None, now: Observation) -> str:
    if isinstance(now, ObjectGone) or not isinstance(now, ResourceSeen):
        return DELETED
    if not isinstance(before, ResourceSeen):
        return NEW
    if now.meta.deleted_at and not before.meta.deleted_at:
        return DELETED
    return SPEC if now.meta.generation != before.meta.generation else ""


def _pod(before: PodSeen | None, now: PodSeen) -> str:
    if now.meta.deleted_at:
        return POD_LEFT if before is None or not before.meta.deleted_at else ""
    if now.phase in ENDED and (before is None or before.phase not in ENDED):
        return POD_ENDED
    well = before is not None and is_ready(before)
    ill = obstacle_of_pod(now) is not None and (before is None or obstacle_of_pod(before) is None)
    restarted = before is not None and _restarts(now) > _restarts(before)
    return POD_ILL if ill or restarted or (well and not is_ready(now)) else ""


def _restarts(pod: PodSeen) -> int:
    return sum(one.restarts for one in pod.containers)


def _stages(record: Record | None) -> tuple[object, ...]:
    """Return what of a status is a stage, not a count."""
    body = record.envelope.body if record else None
    status = body.status if isinstance(body, StatusWritten) else {}
    conditions = tuple(
        (one.get("type"), one.get("status"), one.get("reason"))
        for one in entries_at(status, "conditions")
    )
    job = text_at(status, "jobDeploymentStatus"), text_at(status, "reason")
    return phase_of(status), *job, text_at(status, "state"), conditions


def chosen(
    chapter: Chapter,
    records: Iterable[Record],
    prefer: Iterable[str],
    fits: Callable[[Record], bool] = lambda _: True,
) -> Record | None:
    """Return the last record of the first kind that any is of."""
    known: dict[str, Record] = {}
    for record in records:
        kind = kind_of(chapter, record)
        if kind and fits(record):
            known[kind] = record
    return next((known[kind] for kind in prefer if kind in known), None)


def news_for(chapter: Chapter, act: Record) -> tuple[Record, ...]:
    """Return what came since the act before, up to what this one rests on."""
    body = act_in(act)
    former = chapter.before(act)
    since = act_in(former).based_on if former else 0
    return tuple(
        one
        for one in chapter.records
        if since < one.sequence <= max(body.based_on, since) and one is not act
    )


def news_behind(chapter: Chapter, status: Record) -> tuple[Record, ...]:
    """Return what came since the status before, up to what this one rests on."""
    body, former = status.envelope.body, chapter.before(status)
    based = body.based_on if isinstance(body, StatusWritten) else 0
    known = former.envelope.body if former else None
    since = known.based_on if isinstance(known, StatusWritten) else 0
    since = since or (former.sequence if former else 0)
    until = based or status.sequence - 1
    return tuple(one for one in chapter.records if since < one.sequence <= until)
