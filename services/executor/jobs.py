"""Carry out what is asked of a Ray dashboard, and say what came of it.

An id that Ray knows already is a job that was submitted: by an earlier hand, or by an attempt whose
answer was lost. What may have been done without our knowing is `Unknown`, and asked about later.
"""

from typing import assert_never

from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.objects import ConfigureServe, RayAction
from shared.actions.outcomes import AlreadySo, Done, Outcome, Refused, Unknown
from shared.kernel.keys import ResourceKey
from shared.ports.dashboard import MAY_BE_DONE, Dashboard, DashboardFailed, Failure, Place

CONTRADICTION = "Ray does not take it, because it has a job of this id, and does not find that job"


async def at_dashboard(dashboard: Dashboard, key: ResourceKey, action: RayAction) -> Outcome:
    """Do what is asked of a dashboard; every answer, and none, is an outcome."""
    match action:
        case SubmitJob():
            return await _submit(dashboard, key, action)
        case StopJob():
            return await _stop(dashboard, key, action)
        case ConfigureServe():
            return await _configure(dashboard, key, action)
        case _:
            assert_never(action)


async def _submit(dashboard: Dashboard, key: ResourceKey, action: SubmitJob) -> Outcome:
    """Submit a job, once."""
    try:
        await dashboard.submit(place_of(key, action), action.job_id, action.request)
    except DashboardFailed as problem:
        if problem.failure is Failure.TAKEN:
            return await _taken(dashboard, key, action)
        return _outcome(problem)
    return Done(uid=action.job_id)


async def _taken(dashboard: Dashboard, key: ResourceKey, action: SubmitJob) -> Outcome:
    """Say whether Ray has a job whose id it does not take again: it may contradict itself.

    If it does not find such a job either, asking again at once would go on for ever.
    """
    known = AlreadySo(uid=action.job_id, resource_version=0)
    try:
        found = await dashboard.job(place_of(key, action), action.job_id)
    except DashboardFailed:
        return known  # as Ray has just said
    refused = Refused(code=409, reason=Failure.TAKEN.value, message=CONTRADICTION)
    return refused if found is None else known


async def _stop(dashboard: Dashboard, key: ResourceKey, action: StopJob) -> Outcome:
    """Ask a job to stop; one that has ended, or that nobody knows, needs no stopping."""
    try:
        stopped = await dashboard.stop(place_of(key, action), action.job_id)
    except DashboardFailed as problem:
        if problem.failure is Failure.NOT_FOUND:
            return AlreadySo(uid=action.job_id, resource_version=0)
        return _outcome(problem)
    return Done(uid=action.job_id) if stopped else AlreadySo(uid=action.job_id, resource_version=0)


async def _configure(dashboard: Dashboard, key: ResourceKey, action: ConfigureServe) -> Outcome:
    """Tell Serve what to run; the whole of it, so that doing it twice does no harm."""
    try:
        await dashboard.configure(place_of(key, action), action.config)
    except DashboardFailed as problem:
        return _outcome(problem)
    return Done(uid=action.digest)


def _outcome(problem: DashboardFailed) -> Outcome:
    if problem.failure in MAY_BE_DONE:
        return Unknown(error=problem.message)
    return Refused(code=problem.status, reason=problem.failure.value, message=problem.message)


def place_of(key: ResourceKey, action: RayAction) -> Place:
    """Return where the dashboard is that an action names."""
    return Place(
        namespace=key.namespace,
        address=action.address,
        service=action.service,
        secret=action.secret,
    )
