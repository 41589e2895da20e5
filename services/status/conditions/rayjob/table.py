"""The phases of a RayJob and the ways from one to another, in the order in which they are tried.

The state diagram in the documentation is generated from this table. Whatever ends as Failed goes to
Retrying instead while tries are left (`assess.py`); a spec that makes no sense leads to
ValidationFailed from every phase in which something is still to be decided.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec import Struct

from services.status.conditions.rayjob import endings, steps
from services.status.conditions.rayjob.found import Change, Found
from shared.aggregates.rayjob import (
    COMPLETE,
    FAILED,
    INITIALIZING,
    INVALID,
    NEW,
    RETRYING,
    RUNNING,
    SUSPENDED,
    SUSPENDING,
    WAITING,
)


class Way(Struct, frozen=True, kw_only=True):
    """One way out of a phase: when it is taken, in a few words and as a function."""

    to: tuple[str, ...]
    when: str
    take: Callable[[Found], Change | None]


TABLE: Mapping[str, tuple[Way, ...]] = MappingProxyType(
    {
        NEW: (Way(to=(INITIALIZING,), when="its spec makes sense", take=steps.begin),),
        INITIALIZING: (
            Way(to=(SUSPENDING,), when="spec.suspend", take=steps.suspend),
            Way(to=(FAILED,), when="activeDeadlineSeconds", take=endings.active_deadline),
            Way(to=(FAILED,), when="preRunningDeadlineSeconds", take=endings.pre_running_deadline),
            Way(to=(RUNNING, WAITING), when="the cluster is ready", take=steps.cluster_ready),
        ),
        WAITING: (
            Way(to=(FAILED,), when="preRunningDeadlineSeconds", take=endings.pre_running_deadline),
            Way(to=(RUNNING,), when="spec.jobId is written", take=steps.submitted_by_user),
        ),
        RUNNING: (
            Way(to=(SUSPENDING,), when="spec.suspend", take=steps.suspend),
            Way(to=(FAILED,), when="activeDeadlineSeconds", take=endings.active_deadline),
            Way(to=(COMPLETE, FAILED), when="the job ended", take=endings.job_ended),
            Way(
                to=(COMPLETE, FAILED),
                when="the job ended, its submitter does not",
                take=endings.transition_grace,
            ),
            Way(to=(FAILED,), when="nobody can tell how it is", take=endings.status_check),
            Way(to=(FAILED,), when="the head is gone (SidecarMode)", take=endings.head_lost),
            Way(to=(FAILED,), when="the submitter gave up", take=endings.submitter_failed),
            Way(to=(FAILED,), when="Ray does not know the job", take=endings.job_lost),
            Way(
                to=(FAILED,),
                when="the submitter ended, the job does not",
                take=endings.submitter_finished,
            ),
        ),
        SUSPENDING: (Way(to=(SUSPENDED,), when="nothing is left", take=steps.suspended),),
        SUSPENDED: (Way(to=(NEW,), when="spec.suspend is taken back", take=steps.resume),),
        RETRYING: (Way(to=(NEW,), when="nothing is left", take=steps.again),),
        COMPLETE: (),
        FAILED: (),
        INVALID: (
            Way(to=(NEW, INITIALIZING, WAITING, RUNNING), when="repaired", take=steps.repaired),
        ),
    }
)
UNTOUCHED_BY_INVALIDITY = frozenset({SUSPENDING, RETRYING, COMPLETE, FAILED})
"""Phases that a senseless spec does not leave: removing goes on, and an end stays the end."""
