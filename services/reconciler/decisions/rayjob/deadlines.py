"""Everything about a RayJob that ends with time, as timers.

Each act names them with the same due time until they are no longer wanted. What a timer ends is
told in the status (`services.status.conditions.rayjob.endings`), once it has gone off.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from services.reconciler.decisions.rayjob import unsubmitted
from services.reconciler.decisions.rayjob.asking import submitter_of
from services.reconciler.decisions.rayjob.situation import Situation
from shared.aggregates.rayjob import (
    ACTIVE_DEADLINE,
    ENDED,
    INITIALIZING,
    PRE_RUNNING_DEADLINE,
    RUNNING,
    STATUS_CHECK,
    SUBMITTER_FINISH,
    TRANSITION_GRACE,
    WAITING,
    moment_at,
)
from shared.events.decisions import Timer
from shared.kernel.manifests import text_at

FINISH_WITHIN = timedelta(seconds=30)
"""How long a job may go on after its submitter has ended."""


def timers(found: Situation) -> tuple[Timer, ...]:
    """Return the timers of the present phase."""
    match found.state.phase:
        case phase if phase == INITIALIZING:
            return (*_active(found), *_pre_running(found))
        case phase if phase == WAITING:
            return tuple(_pre_running(found))
        case phase if phase == RUNNING:
            ends = (*_active(found), *_grace(found), *_status_check(found), *_finish(found))
            return (*ends, *unsubmitted.timer(found))
        case _:
            return ()


def _started(found: Situation) -> datetime | None:
    return moment_at(found.view.status, "startTime")


def _active(found: Situation) -> Iterator[Timer]:
    started, limit = _started(found), found.job.spec.active_deadline_seconds
    if started is not None and limit is not None:
        yield Timer(
            name=ACTIVE_DEADLINE,
            due_at=started + timedelta(seconds=limit),
            because=f"an attempt may take {limit} s",
        )


def _pre_running(found: Situation) -> Iterator[Timer]:
    started, limit = _started(found), found.job.spec.pre_running_deadline_seconds
    if started is not None and limit is not None:
        yield Timer(
            name=PRE_RUNNING_DEADLINE,
            due_at=started + timedelta(seconds=limit),
            because=f"an attempt must run within {limit} s",
        )


def _grace(found: Situation) -> Iterator[Timer]:
    status = found.view.status
    ended = moment_at(status, "rayJobInfo", "endTime")
    if ended is not None and text_at(status, "jobStatus") in ENDED:
        yield Timer(
            name=TRANSITION_GRACE,
            due_at=ended + found.settings.of_jobs.transition_grace,
            because="the job has ended, its submitter has not",
        )


def _status_check(found: Situation) -> Iterator[Timer]:
    start = moment_at(found.view.status, "jobStatusCheckFailureStartTime")
    if start is not None:
        yield Timer(
            name=STATUS_CHECK,
            due_at=start + found.settings.of_jobs.status_check_timeout,
            because="nobody can tell how the job is",
        )


def _finish(found: Situation) -> Iterator[Timer]:
    finished = submitter_of(found).finished_at
    if finished is not None:
        yield Timer(
            name=SUBMITTER_FINISH,
            due_at=finished + FINISH_WITHIN,
            because="the submitter has ended",
        )
