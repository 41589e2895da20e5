"""The status of a RayJob, assessed from its view.

At most one step along the table in one look; the next one follows with the news of this one. Beside
the steps it tells what the dashboard and the cluster say. Times are the log's. A failure becomes
another try while the user's limit allows.
"""

from collections.abc import Iterator

from services.status.conditions import blocked
from services.status.conditions.rayjob.endings import NEVER_RETRIED
from services.status.conditions.rayjob.found import Change, Found, found_of, invalid, stamp
from services.status.conditions.rayjob.steps import late_id
from services.status.conditions.rayjob.table import TABLE, UNTOUCHED_BY_INVALIDITY
from shared.aggregates.blame import DASHBOARD, HANDED_OVER, SUSPENDED
from shared.aggregates.rayjob import (
    COMPLETE,
    FAILED,
    INITIALIZING,
    INVALID,
    OVER,
    RETRYING,
    RUNNING,
    SUBMISSION,
    SUCCEEDED,
    WAITING,
)
from shared.aggregates.troubles import WAIT, troubles
from shared.aggregates.view import View
from shared.events import told
from shared.events.told import JobTold
from shared.kernel.manifests import integer_at, text_at
from shared.resources.job_options import HTTP_MODE, INTERACTIVE_MODE
from shared.resources.rayjob import RayJob

Status = dict[str, object]
PHASE = "jobDeploymentStatus"
CHECK_START = "jobStatusCheckFailureStartTime"


def assess_rayjob(view: View, job: RayJob | None) -> Status:
    """Return the status as it should read now; `job` is None if its spec cannot be read."""
    status = dict(view.status)
    if view.act is not None:
        former = integer_at(status, "observedGeneration") or 0
        status["observedGeneration"] = max(former, view.act.seen.generation)
    wrong = invalid(view)
    phase = text_at(status, PHASE)
    if wrong is not None and phase not in UNTOUCHED_BY_INVALIDITY:
        change: Change = {
            PHASE: INVALID,
            "reason": INVALID,
            "message": wrong.message,
        }
    elif job is None or (wrong is not None and phase in OVER):
        change = {}
    else:
        change = _step(found_of(view, job), phase)
    return _applied(status, change)


def _step(found: Found, phase: str) -> Change:
    """Return what changes: the news of the phase, and the first way out that is open."""
    news = _news(found) if phase in (INITIALIZING, WAITING, RUNNING) else {}
    for way in TABLE.get(phase, ()):
        taken = way.take(found)
        if taken is not None:
            return _counted(found, news | taken)
    return news


def _news(found: Found) -> Change:
    """Return what cluster and dashboard say now."""
    change: Change = {}
    if found.state.cluster is not None and found.state.cluster.status:
        change["rayClusterStatus"] = dict(found.state.cluster.status)
    if text_at(found.status, PHASE) == RUNNING:
        return change | _job_news(found)
    if text_at(found.status, PHASE) == INITIALIZING:
        change |= late_id(found)
    return change | {"message": in_the_way(found.view) or None}


def in_the_way(view: View) -> str:
    """Say what keeps an attempt from going on; people would see it wait in silence otherwise.

    A RayJob has no conditions: what is in the way of its cluster is told here as well.
    """
    told = (
        one.message
        if one.verb == WAIT
        else f"cannot {one.verb} {one.kind} {one.name}: {one.message}"
        for one in troubles(view)
    )
    return "; ".join(dict.fromkeys((*told, *_below(view))))


def _below(view: View) -> Iterator[str]:
    """Yield what is in the way of the cluster and of its dashboard."""
    for wait in blocked.in_the_way(view):
        if wait.through or wait.cause in (DASHBOARD, HANDED_OVER, SUSPENDED):
            yield f"{blocked.object_of(wait)}: {wait.words}"


def _job_news(found: Found) -> Change:
    job = found.state.job
    if job is not None and job.answer == told.FOUND:
        times = {"startTime": job.started_at, "endTime": job.ended_at}
        info = {key: stamp(moment) for key, moment in times.items() if moment is not None}
        return {
            "jobStatus": job.status,
            "message": job.message or None,
            "reason": None,
            "rayJobInfo": info or None,
            CHECK_START: None,
        }
    refused = next((one for one in troubles(found.view) if one.verb == "submit"), None)
    if refused is None and (job is None or _not_there_yet(found, job)):
        known = job is not None and found.mode != HTTP_MODE
        return {CHECK_START: None, **_unsubmitted(found, job)} if known else {}
    since = text_at(found.status, CHECK_START) or stamp(found.state.job_at or found.view.now)
    message = refused.message if refused is not None else "; ".join(_below(found.view))
    return {CHECK_START: since, **({"message": message} if message else {})}


def _not_there_yet(found: Found, job: JobTold) -> bool:
    """Whether Ray does not know a job that it never knew: whoever submits it is not that far."""
    return job.answer == told.MISSING and not text_at(found.status, "jobStatus")


def _unsubmitted(found: Found, job: JobTold | None) -> Change:
    """Say that whoever submits takes long; nothing is said anew before a decision has looked.

    Of an interactive job nobody knows when its user will submit it: it is said at once.
    """
    if not found.judged:
        return {}
    if found.mode == INTERACTIVE_MODE and job is not None:
        return {"message": f"Ray does not know job {job.job_id}, which is yours to submit"}
    said = (one.message for one in troubles(found.view) if one.rule == SUBMISSION)
    return {"message": next(said, None)}


def _counted(found: Found, change: Change) -> Change:
    """Count an end, and make another try of a failure while tries are left."""
    phase = change.get(PHASE)
    if phase not in OVER:
        return change
    failed = integer_at(found.status, "failed") or 0
    succeeded = integer_at(found.status, "succeeded") or 0
    job_status = change.get("jobStatus", text_at(found.status, "jobStatus"))
    if phase == COMPLETE:
        succeeded += job_status == SUCCEEDED
    else:
        failed += 1
    change |= {"failed": failed, "succeeded": succeeded}
    limit = found.job.spec.backoff_limit
    again = phase == FAILED and limit is not None and failed <= limit
    if again and change.get("reason") not in NEVER_RETRIED:
        return change | {PHASE: RETRYING}
    return change | {"endTime": stamp(found.view.now)}


def _applied(status: Status, change: Change) -> Status:
    for key, value in change.items():
        if value is None or value == "":
            status.pop(key, None)
        else:
            status[key] = value
    return status
