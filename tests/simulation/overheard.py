"""The dashboards of a world, where every call that is to change something is overheard."""

from collections.abc import Callable

from heliograph.simulator.dashboards import SandboxDashboards
from shared.ports.dashboard import Place, Request
from tests.simulation.invariants.invariant import RayCall

Hear = Callable[[RayCall], None]


class Overheard(SandboxDashboards):
    """The dashboards, as one process asks them."""

    def __init__(self, dashboards: SandboxDashboards, who: str, hear: Hear) -> None:
        super().__init__(dashboards._cluster, dashboards._wake)
        self._who = who
        self._hear = hear

    async def submit(self, place: Place, job_id: str, request: Request) -> str:
        self._hear(RayCall(who=self._who, deed="submit", service=place.service, job_id=job_id))
        return await super().submit(place, job_id, request)

    async def stop(self, place: Place, job_id: str) -> bool:
        self._hear(RayCall(who=self._who, deed="stop", service=place.service, job_id=job_id))
        return await super().stop(place, job_id)

    async def delete(self, place: Place, job_id: str) -> bool:
        self._hear(RayCall(who=self._who, deed="delete", service=place.service, job_id=job_id))
        return await super().delete(place, job_id)

    async def configure(self, place: Place, config: Request) -> None:
        call = RayCall(who=self._who, deed="configure", service=place.service, config=config)
        self._hear(call)
        await super().configure(place, config)
