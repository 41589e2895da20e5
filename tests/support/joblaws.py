"""The laws that every RayJob is held to: invariants 25 to 30 of the design.

25 one cluster in an attempt, no more attempts than allowed; 26 nothing is submitted that Ray knows;
27 phases move along the table, an end is final; 28 the end is told before its cluster goes;
29 deletions come once, in order and not early, and a selected cluster is never touched; 30 whatever
is not over has somebody or something that will move it.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from services.reconciler.decisions.waiting import RETRY
from services.status.conditions.rayjob.table import TABLE
from shared.actions.jobs import SubmitJob
from shared.actions.objects import Action, CreateObject, DeleteObject, PatchObject
from shared.aggregates.rayjob import (
    INITIALIZING,
    INVALID,
    OVER,
    RETRYING,
    RUNNING,
    SUSPENDING,
    moment_at,
    rayjob_state,
)
from shared.events.decisions import Decided
from shared.events.records import StatusWritten
from shared.kernel.manifests import entries_at, integer_at, mapping_at, text_at
from tests.support.builders import Raw
from tests.support.jobstory import JobStory

REMOVING = frozenset({*OVER, RETRYING, SUSPENDING})
"""Phases in which a cluster may be deleted."""
_STAGES = {"DeleteWorkers": 0, "DeleteCluster": 1, "DeleteSelf": 2}


def check(story: JobStory, path: tuple[str, ...]) -> None:
    """Hold a story to the laws."""
    where = " -> ".join(path)
    _edges(story, where)
    _attempts(story, where)
    _submissions(story, where)
    _deletions(story, where)
    _strangers(story, where)
    _ways_out(story, where)


def _statuses(story: JobStory) -> list[Raw]:
    bodies = (record.envelope.body for record in story.records)
    return [body.status for body in bodies if isinstance(body, StatusWritten)]


def _acts(story: JobStory) -> Iterator[tuple[Raw, Decided, Action]]:
    """Yield every action with its act and the status that was told by then."""
    status: Raw = {}
    for record in story.records:
        body = record.envelope.body
        if isinstance(body, StatusWritten):
            status = body.status
        if isinstance(body, Decided):
            for action in body.actions:
                yield status, body, action


def _edges(story: JobStory, where: str) -> None:
    before = ""
    for status in _statuses(story):
        after = text_at(status, "jobDeploymentStatus")
        allowed = {to for way in TABLE[before] for to in way.to}
        allowed |= {RETRYING} if "Failed" in allowed else set()
        allowed |= set() if before in OVER else {INVALID, before}
        assert after in allowed or after == before, f"{before} to {after}: {where}"
        before = after


def _attempts(story: JobStory, where: str) -> None:
    own = story.own
    limit = integer_at(own.spec, "backoffLimit") if own else None
    failed = max((integer_at(one, "failed") or 0 for one in _statuses(story)), default=0)
    assert limit is None or failed <= limit + 1, f"{failed} failures: {where}"
    assert len(story.clusters) <= 1, f"{sorted(story.clusters)}: {where}"
    made = Counter(
        one.name for one in story.done if isinstance(one, CreateObject) and one.kind == "raycluster"
    )
    lost = where.count("the cluster is lost")
    assert max(made.values(), default=0) <= 1 + lost, f"{made}: {where}"
    again = where.count("the user resumes") + where.count("the user repairs")
    assert len(made) <= 1 + failed + again, f"{len(made)} attempts: {where}"


def _submissions(story: JobStory, where: str) -> None:
    asked = {one.job_id for one in story.done if isinstance(one, SubmitJob)}
    forgot = where.count("Ray forgets") + where.count("is lost")
    for job_id, count in Counter(story.dashboard.submitted).items():
        assert count <= 1 + forgot, f"{job_id} was submitted {count} times: {where}"
        assert job_id in asked, where


def _deletions(story: JobStory, where: str) -> None:
    uids: Counter[str] = Counter()
    for status, act, action in _acts(story):
        if isinstance(action, CreateObject) and action.kind == "raycluster":
            assert not act.seen.deleting, where
        if not isinstance(action, DeleteObject) or action.kind == "job":
            continue
        uids[action.uid] += 1
        phase = act.seen.phase.partition("/")[0]
        assert phase in REMOVING, f"{action.kind} was deleted in {phase}: {where}"
        assert text_at(status, "jobDeploymentStatus") == phase, f"untold: {where}"
    assert max(uids.values(), default=0) <= 1, f"deleted twice: {where}"
    _not_early(story, where)


def _not_early(story: JobStory, where: str) -> None:
    """Hold what happens after an end to the delay of the weakest rule that allows it."""
    last = -1
    for status, act, action in _acts(story):
        stage = _stage(action)
        end = moment_at(status, "endTime")
        if stage is None or act.seen.phase.partition("/")[0] not in OVER or story.own is None:
            continue
        assert stage >= last, f"stage {stage} after {last}: {where}"
        last = stage
        assert end is not None, f"no end is told: {where}"
        delay = timedelta(seconds=_delay(story.own.spec, stage))
        assert act.decided_at >= end + delay, f"stage {stage} is early: {where}"


def _stage(action: Action) -> int | None:
    if isinstance(action, PatchObject) and action.kind == "raycluster":
        return 0
    if isinstance(action, DeleteObject):
        return {"raycluster": 1, "rayjob": 2}.get(action.kind)
    return None


def _delay(spec: Raw, stage: int) -> int:
    rules = entries_at(mapping_at(spec, "deletionStrategy"), "deletionRules")
    delays = [
        integer_at(rule, "condition", "ttlSeconds") or 0
        for rule in rules
        if _STAGES[text_at(rule, "policy")] == stage
    ]
    return min(delays, default=integer_at(spec, "ttlSecondsAfterFinished") or 0)


def _strangers(story: JobStory, where: str) -> None:
    touched = [one for one in story.done if getattr(one, "name", "") == "shared"]
    assert touched == [], f"a selected cluster was touched: {where}"


def _ways_out(story: JobStory, where: str) -> None:
    view = story.view()
    phase = text_at(view.status, "jobDeploymentStatus")
    if view.own is None or phase in OVER or view.own.meta.deleted_at:
        return
    assert TABLE[phase], f"{phase} has no way out: {where}"
    held = [one for one in story.clusters.values() if one.meta.deleted_at]
    assert phase not in (RETRYING, SUSPENDING) or held, f"{phase} rests: {where}"
    if phase not in (INITIALIZING, RUNNING) or view.act is None:
        return
    timers = {timer.name for timer in view.act.timers} - {"refresh"}
    comes = rayjob_state(view).cluster is not None and phase == INITIALIZING
    assert view.act.wants or RETRY in timers or comes, f"nobody moves {phase}: {where}"
