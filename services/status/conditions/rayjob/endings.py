"""When an attempt at a RayJob is over, and in which words.

Facts of the submitter are kept apart from facts of the job. One rule of precedence: what the
dashboard says of the job counts; the submitter counts where the dashboard, asked after the
submitter ended, does not know better. So an operator that was away when a job ended finds out how
it ended instead of guessing.
"""

from datetime import timedelta

from services.status.conditions.rayjob.found import Change, Found, go_time, plain_time
from shared.aggregates.rayjob import (
    ACTIVE_DEADLINE,
    APP_FAILED,
    COMPLETE,
    ENDED,
    FAILED,
    PRE_RUNNING_DEADLINE,
    STATUS_CHECK,
    SUBMITTER_FINISH,
    TRANSITION_GRACE,
    end_marks,
    moment_at,
)
from shared.events import told
from shared.kernel.manifests import text_at
from shared.resources.job_options import SIDECAR_MODE

NEVER_RETRIED = frozenset({"DeadlineExceeded", "JobStatusCheckTimeoutExceeded"})
GRACE_EXCEEDED = "JobDeploymentStatusTransitionGracePeriodExceeded"
FINISH_WITHIN = timedelta(seconds=30)
"""How long a job may go on after its submitter has ended."""


def active_deadline(found: Found) -> Change | None:
    """End it when the user's patience with the attempt is over."""
    if ACTIVE_DEADLINE not in found.woken:
        return None
    started = go_time(moment_at(found.status, "startTime"))
    limit = found.job.spec.active_deadline_seconds
    return ended(
        FAILED,
        "DeadlineExceeded",
        "The RayJob has passed the activeDeadlineSeconds. "
        f"StartTime: {started}. ActiveDeadlineSeconds: {limit}",
    )


def pre_running_deadline(found: Found) -> Change | None:
    """End it when it does not run in time."""
    if PRE_RUNNING_DEADLINE not in found.woken:
        return None
    started = go_time(moment_at(found.status, "startTime"))
    limit = found.job.spec.pre_running_deadline_seconds
    return ended(
        FAILED,
        "PreRunningDeadlineExceeded",
        "The RayJob has passed the preRunningDeadlineSeconds. "
        f"StartTime: {started}. PreRunningDeadlineSeconds: {limit}",
    )


def transition_grace(found: Found) -> Change | None:
    """End it when the job has long ended and its submitter does not."""
    job_status = text_at(found.status, "jobStatus")
    if TRANSITION_GRACE not in found.woken or job_status not in ENDED:
        return None
    return ended(
        FAILED if job_status == APP_FAILED else COMPLETE,
        GRACE_EXCEEDED,
        "JobDeploymentStatus does not transition to Complete or Failed within the grace period "
        "after JobStatus reaches a terminal state.",
    )


def status_check(found: Found) -> Change | None:
    """End it when nobody could tell for too long how the job is."""
    start = moment_at(found.status, "jobStatusCheckFailureStartTime")
    due_at = found.due_at(STATUS_CHECK)
    if STATUS_CHECK not in found.woken or start is None or due_at is None:
        return None
    if found.state.job is not None and found.state.job.answer == told.FOUND:
        return None
    limit = int((due_at - start).total_seconds())
    return ended(
        FAILED,
        "JobStatusCheckTimeoutExceeded",
        f"Job status checks have been failing since {plain_time(start)}; "
        f"exceeded timeout of {limit}s",
    )


def head_lost(found: Found) -> Change | None:
    """End it when the head is gone that the submitter was in."""
    if found.mode != SIDECAR_MODE or found.state.heads is None or found.state.heads:
        return None
    return ended(FAILED, "AppFailed", "Ray head pod not found.")


def job_ended(found: Found) -> Change | None:
    """End it as the job ended; where somebody submits, not before that one has ended, too."""
    job = found.state.job
    if job is None or job.answer != told.FOUND or job.status not in ENDED:
        return None
    if found.has_submitter and found.submitter.finished_at is None:
        return None
    failed = job.status == APP_FAILED
    reason = "AppFailed" if failed else ""
    return ended(FAILED if failed else COMPLETE, reason, job.message)


def submitter_failed(found: Found) -> Change | None:
    """End it when the submitter gave up and the dashboard, asked since, knows of no end."""
    if not found.submitter.failed or not _asked_since_the_end(found):
        return None
    job = found.state.job
    if job is not None and job.answer == told.FOUND and job.status in ENDED:
        return None
    if text_at(found.status, "jobStatus") == APP_FAILED:
        return ended(FAILED, "AppFailed", text_at(found.status, "message"))
    return ended(FAILED, "SubmissionFailed", found.submitter.because)


def job_lost(found: Found) -> Change | None:
    """End it when the submitter ended and the dashboard, asked since, does not know the job."""
    job, finished = found.state.job, found.submitter.finished_at
    if finished is None or job is None or job.answer != told.MISSING:
        return None
    if not _asked_since_the_end(found):
        return None
    return ended(FAILED, "AppFailed", "Submitter completed but Ray job not found in RayCluster.")


def submitter_finished(found: Found) -> Change | None:
    """End it when the job goes on long after its submitter has ended."""
    job, finished = found.state.job, found.submitter.finished_at
    if SUBMITTER_FINISH not in found.woken or finished is None or job is None:
        return None
    if (
        job.answer != told.FOUND
        or job.status in ENDED
        or not _asked_since_the_end(found, late=True)
    ):
        return None
    limit = int(FINISH_WITHIN.total_seconds())
    change = ended(
        FAILED,
        GRACE_EXCEEDED,
        f"The RayJob submitter finished at {plain_time(finished)} but the ray job did not reach "
        f"terminal state within {limit}s",
    )
    return change | {"jobStatus": APP_FAILED}


def _asked_since_the_end(found: Found, *, late: bool = False) -> bool:
    """Whether the dashboard answered, or could not be asked, after the end was known.

    Late is when the time after the end was known to be over, too.
    """
    noted = found.view.act.noted if found.view.act else ()
    marks = end_marks(found.submitter.finished_at, late=late)
    return found.state.job is not None and all(mark in noted for mark in marks)


def ended(phase: str, reason: str, message: str) -> Change:
    """Return what an end writes."""
    return {"jobDeploymentStatus": phase, "reason": reason or None, "message": message or None}
