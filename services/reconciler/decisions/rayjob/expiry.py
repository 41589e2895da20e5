"""What becomes of a RayJob that is over: nothing, its workers, its cluster, or itself.

A selected cluster outweighs everything: nothing is deleted then. After it the deletion strategy
counts, and without one `shutdownAfterJobFinishes`. Of several rules that are due the strongest
acts. Delays count from the end that the status tells, and are timers.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from msgspec import Struct

from services.reconciler.decisions.rayjob.removing import (
    owned_cluster,
    remove_cluster,
    remove_itself,
    suspend_workers,
    workers_suspended,
)
from services.reconciler.decisions.rayjob.situation import Situation
from shared.actions.objects import Action
from shared.aggregates.rayjob import APP_FAILED, EXPIRY, SUCCEEDED, end_is_told, moment_at
from shared.events.decisions import Timer
from shared.kernel.features import JOB_DELETION_POLICY
from shared.kernel.manifests import text_at
from shared.resources.job_options import DeletionStrategy

NONE, WORKERS, CLUSTER, SELF = "DeleteNone", "DeleteWorkers", "DeleteCluster", "DeleteSelf"
STRENGTH = (NONE, WORKERS, CLUSTER, SELF)


class Wish(Struct, frozen=True, kw_only=True):
    """Something to delete after the end."""

    policy: str
    due_at: datetime


def wishes(found: Situation) -> tuple[Wish, ...]:
    """Return everything that is to be deleted, and when."""
    end = moment_at(found.view.status, "endTime")
    if found.selects or end is None:
        return ()
    spec, strategy = found.job.spec, found.job.spec.deletion_strategy
    if strategy is not None and found.settings.features.on(JOB_DELETION_POLICY):
        return tuple(_by_strategy(found, strategy, end))
    if not spec.shutdown_after_job_finishes:
        return ()
    policy = SELF if found.settings.of_jobs.delete_after_finish else CLUSTER
    return (Wish(policy=policy, due_at=end + timedelta(seconds=spec.ttl_seconds_after_finished)),)


def expire(found: Situation) -> tuple[Action, ...]:
    """Do the strongest of what is due and not done yet, once everybody was told of the end."""
    if not end_is_told(found.view):
        return ()
    now = found.view.now
    due = [wish for wish in wishes(found) if wish.due_at <= now and not _done(found, wish)]
    if not due:
        return ()
    strongest = max(due, key=lambda wish: STRENGTH.index(wish.policy))
    because = "the job is over, and its time after that, too"
    match strongest.policy:
        case policy if policy == SELF:
            return tuple(remove_itself(found, because))
        case policy if policy == CLUSTER:
            return tuple(remove_cluster(found, because))
        case _:
            return tuple(suspend_workers(found, because))


def timer(found: Situation) -> Iterator[Timer]:
    """Want to be woken for the next deletion."""
    later = [wish.due_at for wish in wishes(found) if wish.due_at > found.view.now]
    if later:
        yield Timer(name=EXPIRY, due_at=min(later), because="what is left of the job is to go")


def _by_strategy(found: Situation, strategy: DeletionStrategy, end: datetime) -> Iterator[Wish]:
    job_status = text_at(found.view.status, "jobStatus")
    if strategy.deletion_rules:
        phase = found.state.phase
        for rule in strategy.deletion_rules:
            condition = rule.condition
            matches = (condition.job_status and condition.job_status == job_status) or (
                condition.job_deployment_status and condition.job_deployment_status == phase
            )
            if matches and rule.policy != NONE:
                due = end + timedelta(seconds=condition.ttl_seconds)
                yield Wish(policy=rule.policy, due_at=due)
        return
    legacy = {SUCCEEDED: strategy.on_success, APP_FAILED: strategy.on_failure}.get(job_status)
    if legacy is not None and legacy.policy not in (None, NONE):
        due = end + timedelta(seconds=found.job.spec.ttl_seconds_after_finished)
        yield Wish(policy=str(legacy.policy), due_at=due)


def _done(found: Situation, wish: Wish) -> bool:
    seen = owned_cluster(found)
    gone = seen is None or seen.meta.deleted_at is not None
    if wish.policy == CLUSTER:
        return gone
    if wish.policy == WORKERS:
        return gone or (seen is not None and workers_suspended(seen))
    return False
