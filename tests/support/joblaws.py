"""The laws that every RayJob is held to: invariants 25 to 30 of the design.

25 one cluster in an attempt, no more attempts than allowed; 26 nothing is submitted that Ray is
known to know; 27 phases move along the table, an end is final; 28 the end is told before its
cluster goes; 29 deletions come once, in order and not early, and a selected cluster is never
touched; 30 whatever is not over has somebody or something that will move it.

A `LawfulJob` checks each status as it is told and each action as it is carried out, so that no law
needs more of the past than the story itself remembers.
"""

from collections.abc import Iterator, Mapping
from datetime import timedelta

from services.reconciler.decisions.waiting import RETRY
from shared.actions.jobs import SubmitJob
from shared.actions.objects import Action, CreateObject, DeleteObject, PatchObject
from shared.actions.outcomes import Outcome
from shared.aggregates.rayjob import (
    COMPLETE,
    FAILED,
    INITIALIZING,
    INVALID,
    OVER,
    RETRYING,
    RUNNING,
    SUSPENDED,
    SUSPENDING,
    WAITING,
    moment_at,
    rayjob_state,
)
from shared.events import told
from shared.events.decisions import Decided
from shared.kernel.manifests import entries_at, integer_at, mapping_at, text_at
from tests.support.builders import Raw
from tests.support.jobstory import JobStory
from tests.support.moves import JOB_MOVES, may_follow

WORKING = frozenset({INITIALIZING, WAITING, RUNNING})
"""Phases in which something may be made."""
REMOVING = frozenset({*OVER, RETRYING, SUSPENDING})
"""Phases in which a cluster may be deleted."""
STRANGER = "shared"
_STAGES = {"DeleteWorkers": 0, "DeleteCluster": 1, "DeleteSelf": 2}
Told = Mapping[str, object]
PHASE, NAME = "jobDeploymentStatus", "rayClusterName"


class LawfulJob(JobStory):
    """A RayJob that may break no law."""

    stage = -1
    """How far the removal after an end has come."""

    def writes_status(self, status: Raw, version: int) -> None:
        before = self.status
        super().writes_status(status, version)
        phases = text_at(before, PHASE), text_at(status, PHASE)
        spec = self.own.spec if self.own else {}
        broken = (*moved(*phases), *counted(before, status, spec))
        assert not broken, "; ".join(broken)

    def perform(self, act: Decided, action: Action) -> Outcome:
        assert getattr(action, "name", "") != STRANGER, "29: a selected cluster was touched"
        match action:
            case CreateObject(kind="raycluster" | "job"):
                self._made(act, action)
            case DeleteObject(kind="raycluster" | "rayjob"):
                self._removed(act, action)
            case SubmitJob():
                self._submitted(action)
            case _:
                pass
        self._expired(act, action)
        return super().perform(act, action)

    def goes_on(self) -> None:
        super().goes_on()
        self._has_way_out()

    def _made(self, act: Decided, action: CreateObject) -> None:
        assert not act.seen.deleting, "25: something is made for a job that goes"
        assert self.phase in WORKING, f"25: {action.kind} is made in {self.phase}"
        if action.kind == "job":
            assert self.submitter is None, "26: a second submitter"
            return
        assert not self.clusters, f"25: {action.name} beside {sorted(self.clusters)}"
        assert action.name == self.cluster_name, "25: a cluster that nobody told of"

    def _submitted(self, action: SubmitJob) -> None:
        assert (self.phase, self.job_id) == (RUNNING, action.job_id), "26: not of this attempt"
        heard = rayjob_state(self.view()).job
        assert heard is None or heard.answer != told.FOUND, "26: Ray has it"

    def _removed(self, act: Decided, action: DeleteObject) -> None:
        phase = act.seen.phase.partition("/")[0]
        assert phase in REMOVING, f"28: {action.kind} was deleted in {phase}"
        assert phase == self.phase, f"28: {action.kind} was deleted untold"
        living = self.own if action.kind == "rayjob" else self.clusters.get(action.name)
        assert living is not None, f"29: {action.kind} was deleted twice"
        assert (living.meta.uid, living.meta.deleted_at) == (action.uid, None), "29: again"

    def _expired(self, act: Decided, action: Action) -> None:
        """Hold what happens after an end to the delay of the weakest rule that allows it."""
        stage, status = stage_of(action), self.view().status
        if stage is None or self.phase not in OVER or self.own is None:
            return
        assert stage > self.stage, f"29: stage {stage} after {self.stage}"
        self.stage = stage
        end = moment_at(status, "endTime")
        assert end is not None, "28: no end is told"
        delay = timedelta(seconds=delay_of(self.own.spec, stage))
        assert act.decided_at >= end + delay, f"29: stage {stage} is early"

    def _has_way_out(self) -> None:
        view, phase = self.view(), self.phase
        assert len(self.clusters) <= 1, f"25: {sorted(self.clusters)}"
        if view.own is None or phase in OVER or view.own.meta.deleted_at:
            return
        assert JOB_MOVES[phase], f"30: {phase} has no way out"
        held = [one for one in self.clusters.values() if one.meta.deleted_at]
        assert phase not in (RETRYING, SUSPENDING) or held, f"30: {phase} rests"
        if phase not in (INITIALIZING, RUNNING) or view.act is None:
            return
        timers = {timer.name for timer in view.act.timers} - {"refresh"}
        comes = rayjob_state(view).cluster is not None and phase == INITIALIZING
        assert view.act.wants or RETRY in timers or comes, f"30: nobody moves {phase}"


def moved(before: str, after: str) -> Iterator[str]:
    """Law 27: say that a phase followed another to which no way leads."""
    if not may_follow(JOB_MOVES, before, after):
        yield f"27: {before} to {after}"


def counted(before: Told, after: Told, spec: Told) -> Iterator[str]:
    """Laws 25 and 28: say what a status tells wrongly of attempts and of the end."""
    phases = text_at(before, PHASE), text_at(after, PHASE)
    clusters = text_at(before, NAME), text_at(after, NAME)
    forgets = clusters[1] == "" and phases[0] in (RETRYING, SUSPENDING)
    if clusters[0] not in ("", clusters[1]) and not forgets:
        yield f"25: {clusters} within an attempt"
    failed = integer_at(before, "failed") or 0, integer_at(after, "failed") or 0
    ended = phases[1] in (FAILED, RETRYING) and phases[0] != phases[1]
    if failed[1] != failed[0] + ended:
        yield f"25: {failed} failures"
    tries = (integer_at(spec, "backoffLimit") or 0) + (phases[1] != RETRYING)
    if failed[1] > max(tries, failed[0]):  # users may allow fewer than there were
        yield f"25: {failed[1]} failures of {tries}"
    if phases[1] in OVER and moment_at(after, "endTime") is None:
        yield "28: no end is told"
    if phases[1] == COMPLETE and text_at(after, "jobStatus") not in ("SUCCEEDED", "STOPPED"):
        yield "28: no success is told"


def rests(story: JobStory) -> bool:
    """Whether this is an end, or what the user wants until they want something else."""
    own, phase = story.own, story.phase
    if own is None or own.meta.deleted_at:
        return own is None
    if phase == SUSPENDED:
        return bool(own.spec.get("suspend"))
    return phase in (*OVER, INVALID, WAITING)


def stage_of(action: Action) -> int | None:
    """Return how far an action goes in removing what a job used; None if it removes nothing."""
    if isinstance(action, PatchObject) and action.kind == "raycluster":
        return 0
    if isinstance(action, DeleteObject):
        return {"raycluster": 1, "rayjob": 2}.get(action.kind)
    return None


def delay_of(spec: Told, stage: int) -> int:
    """Return after how many seconds the first rule allows a stage, in seconds."""
    rules = entries_at(mapping_at(spec, "deletionStrategy"), "deletionRules")
    delays = [
        integer_at(rule, "condition", "ttlSeconds") or 0
        for rule in rules
        if _STAGES[text_at(rule, "policy")] == stage
    ]
    return min(delays, default=integer_at(spec, "ttlSecondsAfterFinished") or 0)
