"""Bugs planted in what is done for RayJobs, RayServices and RayCronJobs, and for heads."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from services.executor import jobs as executor_jobs
from services.executor.finding import Finder
from services.reconciler.decisions.raycluster import decide as raycluster
from services.reconciler.decisions.raycluster import head, protection, upgrade
from services.reconciler.decisions.raycronjob import runs
from services.reconciler.decisions.rayjob import deadlines, expiry
from services.reconciler.decisions.rayservice import clusters, gateway, stepping, traffic
from services.status.conditions.rayjob import assess, endings
from services.status.conditions.rayservice import clusters as naming
from services.watcher.asking.questions import Questions
from shared.actions.outcomes import AlreadySo
from shared.aggregates.rayjob import FAILED, RETRYING
from shared.aggregates.rayservice import PENDING
from shared.cron.ticks import tick_after
from shared.events.told import Looked
from shared.kernel.manifests import integer_at


@contextmanager
def makes_a_second_head() -> Iterator[None]:
    """Take what is not seen for not there, and give every head a new name.

    That a head's name follows from its cluster alone makes the API server refuse a second one,
    whatever anybody believes: either guard makes up for the other, and both are taken away.
    """

    def ensure(found: Any) -> Iterator[Any]:
        for asked in head.ensure(found):
            yield replace(asked, name=f"{asked.name}-{found.view.act_fence}")

    concerns = tuple(ensure if one is head.ensure else one for one in raycluster.PODS)
    with (
        patch("shared.aggregates.view.in_flight", lambda *_: ()),
        patch.object(raycluster, "PODS", concerns),
    ):
        yield


def forgets_how_long_a_job_stays() -> AbstractContextManager[object]:
    """Delete a cluster as soon as its job is over, whatever time it was given."""
    real = expiry.wishes

    def hasty(found: Any) -> tuple[Any, ...]:
        longest = timedelta(seconds=found.job.spec.ttl_seconds_after_finished or 0)
        return tuple(replace(wish, due_at=wish.due_at - longest) for wish in real(found))

    return patch.object(expiry, "wishes", hasty)


def tries_for_ever() -> AbstractContextManager[object]:
    """Try a failed job again, however often it was tried."""
    real = assess._counted

    def stubborn(found: Any, change: Any) -> Any:
        after = real(found, change)
        return after | {assess.PHASE: RETRYING} if after.get(assess.PHASE) == FAILED else after

    return patch.object(assess, "_counted", stubborn)


def keeps_no_replaced_cluster() -> AbstractContextManager[object]:
    """Delete the cluster of a RayService as soon as another has taken over."""

    def hasty(found: Any, timer: str) -> datetime:
        now: datetime = found.view.now
        return now

    return patch.object(clusters, "_due_at", hasty)


@contextmanager
def leads_requests_anywhere() -> Iterator[None]:
    """Lead requests to a cluster as soon as it is there, whoever takes them.

    The executor looks at the pods once more: both guards are taken away.
    """

    async def ready(*_: Any) -> bool:
        return True

    with (
        patch.object(traffic, "takes_requests", lambda _, seen: seen is not None),
        patch.object(Finder, "any_ready", ready),
    ):
        yield


def steps_without_a_pause() -> AbstractContextManager[object]:
    """Take the next step of traffic as soon as the last one is told."""
    return patch.object(stepping, "_due_at", lambda _: None)


@contextmanager
def steps_into_the_void() -> Iterator[None]:
    """Move traffic to a cluster that has the capacity for it, whoever takes requests there.

    A route takes nothing from who answers for one that does not: both guards are taken away.
    """
    with (
        patch.object(stepping, "_may_gain", lambda _: True),
        patch.object(gateway, "_loser_answers", lambda *_: False),
    ):
        yield


def takes_over_halfway() -> AbstractContextManager[object]:
    """Call the new cluster the active one as soon as some traffic has moved to it."""

    def halfway(_: Any, status: Any, state: Any) -> bool:
        both = state.active is not None and state.pending is not None
        return both and bool(integer_at(status, PENDING, "trafficRoutedPercent"))

    return patch.object(naming, "through", halfway)


def runs_before_its_time() -> AbstractContextManager[object]:
    """Make the run of a schedule that is next, not the one that is due."""

    def hasty(found: Any) -> runs.Due | None:
        tick = tick_after(found.schedule, found.view.now)
        if tick is None or runs._same_run(found, tick, found.state.handled):
            return None
        return runs.Due(tick=tick)

    return patch.object(runs, "due", hasty)


def calls_every_end_a_success() -> AbstractContextManager[object]:
    """Tell of a job that has ended that it succeeded, whatever Ray says of it."""
    return patch.object(endings, "APP_FAILED", "NEVER")


def forgives_a_minute() -> AbstractContextManager[object]:
    """Wait a minute longer than the user's patience lasts."""
    real = deadlines._active

    def patient(found: Any) -> Iterator[Any]:
        for timer in real(found):
            yield replace(timer, due_at=timer.due_at + timedelta(minutes=1))

    return patch.object(deadlines, "_active", patient)


def submits_under_any_id() -> AbstractContextManager[object]:
    """Ask Ray for a job under another id each time, so that nothing stops it from running twice."""
    real = executor_jobs._submit

    async def careless(dashboard: Any, key: Any, action: Any) -> Any:
        return await real(dashboard, key, replace(action, job_id=f"{action.job_id}-again"))

    return patch.object(executor_jobs, "_submit", careless)


def takes_a_failed_look_for_no_head() -> AbstractContextManager[object]:
    """Say of what could not be asked about that it is not there."""
    real = Questions._objects

    async def careless(self: Questions, namespace: str, want: Any) -> Any:
        found = await real(self, namespace, want)
        return Looked(kind=want.kind, since=want.since, objects=()) if found is None else found

    return patch.object(Questions, "_objects", careless)


def makes_pods_before_anything_holds_their_cluster() -> AbstractContextManager[object]:
    """Make pods of a cluster whose state is in Redis without our finalizer."""
    return patch.object(protection, "protect", lambda _: None)


def mends_what_is_to_be_made_anew() -> AbstractContextManager[object]:
    """Make up for lost pods while the head of another spec is left."""
    return patch.object(upgrade, "concerns", lambda _: False)


def believes_who_contradicts_themselves() -> AbstractContextManager[object]:
    """Take Ray's word that it has a job, and submit it again when it says that it has not."""

    async def gullible(dashboard: Any, key: Any, action: Any) -> AlreadySo:
        return AlreadySo(uid=action.job_id, resource_version=0)

    return patch.object(executor_jobs, "_taken", gullible)


PLANTS = (
    believes_who_contradicts_themselves,
    makes_pods_before_anything_holds_their_cluster,
    mends_what_is_to_be_made_anew,
    calls_every_end_a_success,
    forgives_a_minute,
    submits_under_any_id,
    takes_a_failed_look_for_no_head,
    makes_a_second_head,
    forgets_how_long_a_job_stays,
    tries_for_ever,
    keeps_no_replaced_cluster,
    leads_requests_anywhere,
    steps_without_a_pause,
    steps_into_the_void,
    takes_over_halfway,
    runs_before_its_time,
)
