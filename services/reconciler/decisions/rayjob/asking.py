"""What a RayJob wants to be told: its Ray job, a cluster that it does not own, its head.

An answer counts for the moment from which it was wanted. That moment moves on when something
happened after which only a new answer will do: the job was submitted, its submitter ended, or the
time is over that it had left then. So nothing is concluded from an answer of before. What happened
is told by marks in the act, not by comparing clocks: a submitter's end has Kubernetes' time, and in
whole seconds. An act that submits asks nothing: who asks meanwhile might hear of the time before.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from services.reconciler.decisions.rayjob.situation import Situation
from services.reconciler.decisions.waiting import wait_for
from shared.actions.jobs import SubmitJob
from shared.actions.objects import Action
from shared.aggregates.rayjob import (
    CLUSTER,
    HEAD,
    INITIALIZING,
    JOB,
    RUNNING,
    SUBMITTER_FINISH,
    WAITING,
    Submitter,
    end_marks,
    job_submitter,
    sidecar_submitter,
    want_of,
)
from shared.aggregates.troubles import wish_of
from shared.events.told import Want, WantedJob, WantedObject
from shared.resources import labels as words
from shared.resources.job_options import INTERACTIVE_MODE, K8S_JOB_MODE, SIDECAR_MODE

_TICK = timedelta(microseconds=1)
ASKING = frozenset({INITIALIZING, WAITING, RUNNING})


def wants(found: Situation, actions: tuple[Action, ...]) -> tuple[Want, ...]:
    """Return what is to be asked now."""
    return tuple(_wants(found, actions))


def submitter_of(found: Situation) -> Submitter:
    """Return whoever submits, in the modes that have one."""
    mode, state = found.job.spec.submission_mode, found.state
    if mode == K8S_JOB_MODE:
        return job_submitter(state.submitter_job)
    if mode == SIDECAR_MODE and state.heads:
        return sidecar_submitter(state.heads[0], restarts=found.restarts)
    return Submitter()


def _wants(found: Situation, actions: tuple[Action, ...]) -> Iterator[Want]:
    phase = found.state.phase
    if phase not in ASKING or not found.state.cluster_name:
        return
    if found.selects:
        yield _cluster(found)
    if phase == RUNNING and found.job.spec.submission_mode == SIDECAR_MODE:
        yield _head(found)
    asks = phase == RUNNING or (phase == INITIALIZING and found.ready)
    if asks and found.address and not _submits(found, actions):
        yield _job(found)


def looking(found: Situation) -> tuple[Want, ...]:
    """Return the want to go on looking at a cluster that was selected."""
    return (_cluster(found),) if found.selects and found.state.cluster_name else ()


def _submits(found: Situation, actions: tuple[Action, ...]) -> bool:
    """Whether this very act submits; what was refused and waits does not."""
    blocked = wait_for(found.view, actions).blocked
    submissions = (action for action in actions if isinstance(action, SubmitJob))
    return any(wish_of(action) not in blocked for action in submissions)


def _cluster(found: Situation) -> WantedObject:
    return WantedObject(
        name=CLUSTER,
        because=f"RayCluster {found.state.cluster_name} is looked at without owning it",
        since=_since(found, CLUSTER),
        every=found.settings.of_jobs.poll_every,
        kind="raycluster",
        object=found.state.cluster_name,
    )


def _head(found: Situation) -> WantedObject:
    return WantedObject(
        name=HEAD,
        because="the submitter runs beside the head",
        since=_since(found, HEAD),
        every=found.settings.of_jobs.poll_every,
        kind="pod",
        labels={words.CLUSTER: found.state.cluster_name, words.NODE_TYPE: words.HEAD},
    )


def _job(found: Situation) -> WantedJob:
    interactive = found.job.spec.submission_mode == INTERACTIVE_MODE
    wanted = (found.job.spec.job_id or found.job_id) if interactive else found.job_id
    former = want_of(found.view, JOB)
    same = isinstance(former, WantedJob) and former.job_id == wanted
    keeps = same and not _ended_since(found)
    return WantedJob(
        name=JOB,
        because=f"Ray is asked how job {wanted or '(none yet)'} is",
        since=former.since if former is not None and keeps else _from_now_on(found, JOB),
        every=found.settings.of_jobs.poll_every,
        job_id=wanted,
        address=found.address,
        service=found.service,
        secret=found.secret,
    )


def marks(found: Situation) -> tuple[str, ...]:
    """Return what this act knows of its submitter's end."""
    if found.state.phase != RUNNING:
        return ()
    late = SUBMITTER_FINISH in found.view.woken
    return end_marks(submitter_of(found).finished_at, late=late)


def _ended_since(found: Situation) -> bool:
    """Whether the last act knew less of the submitter's end."""
    known = found.view.act.noted if found.view.act else ()
    return any(mark not in known for mark in marks(found))


def _since(found: Situation, name: str) -> datetime:
    former = want_of(found.view, name)
    return former.since if former is not None else _from_now_on(found, name)


def _from_now_on(found: Situation, name: str) -> datetime:
    """Return a moment that no answer was asked for yet."""
    heard = found.view.told.get(name)
    return max(found.view.now, heard.body.since + _TICK) if heard else found.view.now
