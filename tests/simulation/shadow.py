"""What an installation that only looks on may do: it asks, and must never ask for a change."""

from collections.abc import Callable

from heliograph.simulator.dashboards import SandboxDashboards
from sandbox.requests import WRITING, Answer, Request
from shared.ports.dashboard import Place
from shared.ports.dashboard import Request as Body

Accuse = Callable[[str], None]


def looked_on(accuse: Accuse) -> Callable[[str, Request, Answer | None], None]:
    """Return who judges requests to the API server."""

    def judge(who: str, request: Request, answer: Answer | None) -> None:
        del answer
        if request.verb in WRITING:
            accuse(f"{who} only looks on, and asks: {request.verb} {request.resource}")

    return judge


class OnlyLooking(SandboxDashboards):
    """The dashboards, for somebody who must not change anything there."""

    def __init__(self, dashboards: SandboxDashboards, accuse: Accuse) -> None:
        super().__init__(dashboards._cluster, dashboards._wake)
        self._accuse = accuse

    async def submit(self, place: Place, job_id: str, request: Body) -> str:
        self._accuse(f"who only looks on submits {job_id}")
        return await super().submit(place, job_id, request)

    async def stop(self, place: Place, job_id: str) -> bool:
        self._accuse(f"who only looks on stops {job_id}")
        return await super().stop(place, job_id)

    async def delete(self, place: Place, job_id: str) -> bool:
        self._accuse(f"who only looks on deletes {job_id}")
        return await super().delete(place, job_id)

    async def configure(self, place: Place, config: Body) -> None:
        self._accuse(f"who only looks on configures Serve of {place.service}")
        await super().configure(place, config)
