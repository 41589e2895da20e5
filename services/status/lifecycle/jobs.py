"""What there is to tell of a RayJob: each phase that its status goes through, and its result."""

from collections.abc import Mapping
from types import MappingProxyType

from services.status.lifecycle.steps import Step
from shared.aggregates.blame import CANNOT
from shared.aggregates.rayjob import (
    COMPLETE,
    FAILED,
    INITIALIZING,
    INVALID,
    RETRYING,
    RUNNING,
    STOPPED,
    SUCCEEDED,
    SUSPENDED,
    SUSPENDING,
    WAITING,
)
from shared.aggregates.view import View
from shared.events.lifecycle import JobState
from shared.kernel.manifests import integer_at, text_at

JobStep = Step[JobState]

_WHAT: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        INITIALIZING: ("initializing", "its cluster is being made or looked for"),
        WAITING: ("waiting", "its cluster is ready, and somebody is to submit"),
        RUNNING: ("running", "its Ray job was submitted"),
        SUSPENDING: ("suspending", "it is to be suspended"),
        SUSPENDED: ("suspended", "nothing of it is left"),
        RETRYING: ("retrying", "an attempt failed and another one is allowed"),
        INVALID: ("invalid", "its spec makes no sense"),
        FAILED: ("failed", "it failed"),
    }
)
_RESULTS: Mapping[str, str] = MappingProxyType({SUCCEEDED: "succeeded", STOPPED: "stopped"})


def first_state(_: View) -> JobState:
    """Return the state of a job that has just appeared."""
    return JobState()


def present_state(view: View) -> JobState:
    """Return the state as the status tells it; that we cannot go on is no word of the job's."""
    status, message = view.status, text_at(view.status, "message")
    return JobState(
        phase=text_at(status, "jobDeploymentStatus"),
        result=text_at(status, "jobStatus"),
        job_id=text_at(status, "jobId"),
        cluster=text_at(status, "rayClusterName"),
        attempts_failed=integer_at(status, "failed") or 0,
        reason=text_at(status, "reason"),
        message="" if message.startswith(CANNOT) else message,
        started_at=text_at(status, "startTime"),
        ended_at=text_at(status, "endTime"),
    )


def next_step(told: JobState, view: View) -> JobStep | None:
    """Return the next thing to tell, if the job has another phase or is on another attempt."""
    now = present_state(view)
    if now.phase == "" or (now.phase, now.attempts_failed) == (told.phase, told.attempts_failed):
        return None
    what, because = _words(now)
    return JobStep(what=what, because=because, state=now)


def _words(now: JobState) -> tuple[str, str]:
    if now.phase == COMPLETE:
        what = _RESULTS.get(now.result, "failed")
        because = f"Ray says {now.result}" if now.result else "it is over"
    else:
        what, because = _WHAT.get(now.phase, ("snapshot", f"its phase is {now.phase}"))
    return what, ": ".join(part for part in (because, now.message) if part)
