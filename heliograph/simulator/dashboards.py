"""The scripted Ray of the sandbox as the port of `shared.ports.dashboard`: no HTTP, no real time.

Questions are the ones that go over HTTP elsewhere, and answers are read by the same code
(`shared.dashboard.answers`); only the network between is left out.
"""

import asyncio
from collections.abc import Callable
from urllib.parse import quote

import msgspec

from sandbox.cluster import Cluster
from sandbox.dashboard.heads import secret_value
from sandbox.dashboard.names import Backend
from sandbox.dashboard.replies import REFUSED, Ask, Reply
from shared.dashboard import answers
from shared.dashboard.answers import Answer, Deleted, Stopped, Submitted
from shared.dashboard.client import APPLICATIONS, DECLARATIVE, HEALTH, JOBS, PROXY_HEALTH
from shared.ports.dashboard import (
    DEFAULT_TIMES,
    Applications,
    DashboardFailed,
    Failure,
    Job,
    Place,
    Request,
)

DASHBOARD_PORT = 8265
TOKEN_KEY = "auth_token"  # noqa: S105 - the name of a field
_OK = 200


class SandboxDashboards:
    """Every dashboard of one sandbox cluster."""

    def __init__(self, cluster: Cluster, wake: Callable[[], None]) -> None:
        self._cluster = cluster
        self._wake = wake

    async def submit(self, place: Place, job_id: str, request: Request) -> str:
        """Submit a job under an id of ours."""
        body = {**request, "submission_id": job_id}
        answer = await self._call(place, "POST", JOBS, DEFAULT_TIMES.write, body)
        found = answers.read(answer, Submitted)
        return found.submission_id or found.job_id or job_id

    async def job(self, place: Place, job_id: str) -> Job | None:
        """Return a job, or None if it is not known."""
        answer = await self._call(place, "GET", _path(job_id), DEFAULT_TIMES.read)
        return None if answers.unknown_job(answer) else answers.read(answer, Job)

    async def jobs(self, place: Place) -> tuple[Job, ...]:
        """Return every job."""
        answer = await self._call(place, "GET", JOBS, DEFAULT_TIMES.read)
        return answers.read(answer, tuple[Job, ...])

    async def stop(self, place: Place, job_id: str) -> bool:
        """Ask a job to stop."""
        answer = await self._call(place, "POST", f"{_path(job_id)}/stop", DEFAULT_TIMES.write)
        return answers.read(answer, Stopped).stopped

    async def delete(self, place: Place, job_id: str) -> bool:
        """Forget a job that has ended."""
        answer = await self._call(place, "DELETE", _path(job_id), DEFAULT_TIMES.write)
        return answers.read(answer, Deleted).deleted

    async def applications(self, place: Place) -> Applications:
        """Return what Serve runs."""
        answer = await self._call(place, "GET", DECLARATIVE, DEFAULT_TIMES.read)
        return answers.read(answer, Applications)

    async def configure(self, place: Place, config: Request) -> None:
        """Tell Serve what to run."""
        answers.accept(
            await self._call(place, "PUT", APPLICATIONS, DEFAULT_TIMES.serve, dict(config))
        )

    async def check(self, place: Place) -> None:
        """Ask whether the head is well."""
        answers.accept(await self._call(place, "GET", HEALTH, DEFAULT_TIMES.health))

    async def proxy_is_well(self, namespace: str, pod: str, ip: str, port: int) -> bool | None:  # noqa: ARG002
        """Ask the Serve proxy of a pod whether it is well."""
        at = self._cluster.controllers.fleet.find(ip, port, namespace)
        reply = await self._answer(at, Ask(method="GET", path=PROXY_HEALTH), DEFAULT_TIMES.health)
        return None if reply is None else not reply.refused and reply.status == _OK

    async def _call(
        self, place: Place, method: str, path: str, seconds: float, body: Request | None = None
    ) -> Answer:
        host, _, port = place.address.partition(":")
        at = self._cluster.controllers.fleet.find(
            host, int(port or DASHBOARD_PORT), place.namespace
        )
        data = b"" if body is None else msgspec.json.encode(body)
        ask = Ask(method=method, path=path, body=data, headers=self._headers(place))
        reply = await self._answer(at, ask, seconds)
        where = f"the dashboard of {place.namespace}/{place.service}"
        if reply is None:
            raise DashboardFailed(Failure.TIMEOUT, f"{where} did not answer in time")
        if reply.refused:
            told = f"{where} cannot be reached: nobody listens there"
            raise DashboardFailed(Failure.UNREACHABLE, told)
        return Answer(status=reply.status, body=reply.body)

    def _headers(self, place: Place) -> dict[str, str]:
        if not place.secret:
            return {}
        secret = self._cluster.controllers.fleet.secrets(place.namespace)(place.secret)
        return {"authorization": f"Bearer {secret_value(secret, TOKEN_KEY)}"}

    async def _answer(self, at: Backend | None, ask: Ask, seconds: float) -> Reply | None:
        """Put a question and wait as long as the answer takes; None if that is too long."""
        await asyncio.sleep(0)
        now, script = self._cluster.state.clock(), self._cluster.scenario.ray
        reply = REFUSED if at is None else self._cluster.controllers.fleet.ask(at, ask, now, script)
        self._wake()
        await asyncio.sleep(min(reply.delay, seconds))
        return reply if reply.delay < seconds else None


def _path(job_id: str) -> str:
    return JOBS + quote(job_id, safe="")
