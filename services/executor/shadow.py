"""An executor that only looks on: nothing is changed, in Kubernetes or at a dashboard.

It holds no port that could change anything but the dashboards', of which it uses what reads. What
is wanted and watched is `Overtaken` at once: nothing is expected of it and nothing counts as
refused. What nobody watches is looked at for a moment: once the other operator has done it, it
counts as done, or the decisions that rest on it would never be made.
"""

import asyncio
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import assert_never

from services.executor.finding import Finder, Job, version_in
from services.executor.jobs import place_of
from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.objects import Action, ConfigureServe, ConfirmObject, CreateObject, PatchObject
from shared.actions.objects import RayAction as AtDashboard
from shared.actions.outcomes import AlreadySo, Done, Outcome, Overtaken, Refused, Unknown
from shared.aggregates.rayjob import ENDED
from shared.aggregates.shadows import out_of_sight
from shared.dashboard.nowhere import NOWHERE
from shared.events.modes import NOT_DONE
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import entries_at, text_at
from shared.ports.cluster import ClusterRefusal, ClusterUnavailable, ObjectFinder
from shared.ports.dashboard import Dashboard, DashboardFailed

LOOKS = 7
LOOK_EVERY = timedelta(seconds=0.5)
"""Together less than a call may take, so that an act is answered in time."""


class Onlooker(Finder):
    """Says of every action that it was not done, and looks where nobody watches."""

    def __init__(self, cluster: ObjectFinder, dashboard: Dashboard = NOWHERE) -> None:
        super().__init__(cluster)
        self._dashboard = dashboard

    async def perform(
        self, job: Job, action: Action, *, check: Callable[[], None] | None = None
    ) -> Outcome:
        """Leave it undone; a look begins only while `check` lets calls begin."""
        try:
            if isinstance(action, ConfirmObject):
                return await self.find(job, action.kind, action.name)
            if not out_of_sight(action):
                return Overtaken(because=NOT_DONE)
            async with asyncio.timeout(LOOKS * LOOK_EVERY.total_seconds()):
                return await self._wait(job, action, check)
        except TimeoutError:
            return Overtaken(because=NOT_DONE)
        except ClusterUnavailable as problem:
            return Unknown(error=str(problem))
        except ClusterRefusal as refusal:
            return Refused(code=refusal.code, reason=refusal.reason, message=refusal.message)

    async def _wait(self, job: Job, action: Action, check: Callable[[], None] | None) -> Outcome:
        for _ in range(LOOKS - 1):
            if check is not None:
                check()
            found = await self._look_for(job, action)
            if found is not None:
                return found
            await asyncio.sleep(LOOK_EVERY.total_seconds())
        return await self._look_for(job, action) or Overtaken(because=NOT_DONE)

    async def _look_for(self, job: Job, action: Action) -> Outcome | None:
        """Say that it is so; None if it is not, or nobody can tell."""
        match action:
            case CreateObject():
                found = await self.read(job, action)
                return found if isinstance(found, AlreadySo) else None
            case PatchObject():
                return await self._changed(job, action)
            case SubmitJob() | StopJob() | ConfigureServe():
                done = await at_dashboard(self._dashboard, job.key, action)
                return Done() if done else None
            case _:
                return None

    async def _changed(self, job: Job, action: PatchObject) -> Outcome | None:
        stored = (await self.fetch(job, action.kind, action.name)).object
        if stored is None or not holds(stored, action.patch):
            return None
        return AlreadySo(
            uid=text_at(stored, "metadata", "uid"), resource_version=version_in(stored)
        )


async def at_dashboard(dashboard: Dashboard, key: ResourceKey, action: AtDashboard) -> bool:
    """Whether a dashboard shows what an action asks for; one that does not answer shows nothing."""
    place = place_of(key, action)
    try:
        match action:
            case SubmitJob():
                return await dashboard.job(place, action.job_id) is not None
            case StopJob():
                job = await dashboard.job(place, action.job_id)
                return job is None or job.status in ENDED
            case ConfigureServe():
                running = (await dashboard.applications(place)).applications
                return set(running) == _named(action.config)
            case _:
                assert_never(action)
    except DashboardFailed:
        return False


def _named(config: Mapping[str, object]) -> set[str]:
    """Return the applications that a configuration names; Serve calls a nameless one default."""
    return {text_at(each, "name") or "default" for each in entries_at(config, "applications")}


def holds(stored: object, patch: object) -> bool:
    """Whether merging a patch would change nothing."""
    if not isinstance(patch, Mapping):
        return stored == patch
    if not isinstance(stored, Mapping):
        return False
    return all(
        key not in stored if value is None else holds(stored.get(key), value)
        for key, value in patch.items()
    )
