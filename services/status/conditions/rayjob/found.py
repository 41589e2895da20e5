"""Everything a step may look at, and what it may write."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from shared.aggregates.rayjob import (
    RayJobState,
    Submitter,
    job_submitter,
    rayjob_state,
    sidecar_submitter,
)
from shared.aggregates.view import View
from shared.events.decisions import Trouble
from shared.kernel.instants import print_instant
from shared.resources.job_options import K8S_JOB_MODE, SIDECAR_MODE
from shared.resources.rayjob import RayJob

Change = dict[str, object]
"""Fields of the status to set; None takes one away."""


class Found(Struct, frozen=True, kw_only=True):
    """One RayJob, now."""

    view: View
    job: RayJob
    state: RayJobState
    submitter: Submitter
    """Whoever submits, in the modes that have one."""

    @property
    def status(self) -> Mapping[str, object]:
        """The status as it stands."""
        return self.view.status

    @property
    def mode(self) -> str:
        """How the job is submitted."""
        return self.job.spec.submission_mode

    @property
    def has_submitter(self) -> bool:
        """Whether completing waits for a submitter."""
        return self.mode in (K8S_JOB_MODE, SIDECAR_MODE)

    @property
    def woken(self) -> frozenset[str]:
        """Timers that have gone off."""
        return self.view.woken

    @property
    def judged(self) -> bool:
        """Whether an act has looked at this very generation."""
        act, own = self.view.act, self.view.own
        return act is not None and own is not None and act.seen.generation == own.meta.generation

    @property
    def settled(self) -> bool:
        """Whether a closed act has seen this very phase, and nothing is on its way."""
        act = self.view.act
        return act is not None and act.seen.phase == self.state.word and not self.view.open

    def due_at(self, timer: str) -> datetime | None:
        """Return when a timer of the last act is due."""
        timers = self.view.act.timers if self.view.act else ()
        return next((one.due_at for one in timers if one.name == timer), None)


def found_of(view: View, job: RayJob) -> Found:
    """Look at a RayJob."""
    state = rayjob_state(view)
    return Found(view=view, job=job, state=state, submitter=_submitter(view, job, state))


def _submitter(view: View, job: RayJob, state: RayJobState) -> Submitter:
    mode = job.spec.submission_mode
    if mode == K8S_JOB_MODE:
        return job_submitter(state.submitter_job)
    if mode == SIDECAR_MODE and state.heads:
        restarts = "sidecar-restarts" in (view.act.noted if view.act else ())
        return sidecar_submitter(state.heads[0], restarts=restarts)
    return Submitter()


def invalid(view: View) -> Trouble | None:
    """Return what the last judged generation got wrong."""
    act, own = view.act, view.own
    if act is None or own is None or act.seen.generation != own.meta.generation:
        return None
    return next((one for one in act.troubles if one.verb == "validate"), None)


def go_time(moment: datetime | None) -> str:
    """Write a moment as Go prints one, the way users know it from these messages."""
    if moment is None:
        return "unknown"
    return moment.strftime("%Y-%m-%d %H:%M:%S +0000 UTC")


def plain_time(moment: datetime | None) -> str:
    """Write a moment without its zone, which is UTC."""
    return moment.strftime("%Y-%m-%d %H:%M:%S") if moment is not None else "unknown"


def stamp(moment: datetime) -> str:
    """Write a moment as statuses have it."""
    return print_instant(moment)
