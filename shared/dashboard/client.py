"""Calls to Ray dashboards, each within its bound, each failure with its class.

Paths and bodies are those that Ray's own tools send. Redirects are not followed: nothing that a
dashboard says may carry a token elsewhere. A token that comes back in an answer is blotted out.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

import aiohttp
import msgspec
from yarl import URL

from shared.dashboard import answers
from shared.dashboard.answers import BODY_MAX, Answer, Deleted, Stopped, Submitted
from shared.dashboard.doors import Door, Doors
from shared.ports.dashboard import (
    DEFAULT_TIMES,
    Applications,
    DashboardFailed,
    Failure,
    Job,
    Place,
    Request,
    Times,
)

JOBS = "/api/jobs/"
APPLICATIONS = "/api/serve/applications/"
DECLARATIVE = f"{APPLICATIONS}?api_type=declarative"
HEALTH = "/api/gcs_healthz"
PROXY_HEALTH = "/-/healthz"
_OK = 200

_JSON = "application/json"
_WELL = b"success"
_BLOT = b"<token>"
_ENCODER = msgspec.json.Encoder()


class RayDashboards:
    """Every cluster's dashboard, through whichever door leads there."""

    def __init__(self, doors: Doors, times: Times = DEFAULT_TIMES) -> None:
        self._doors = doors
        self._times = times

    async def submit(self, place: Place, job_id: str, request: Request) -> str:
        """Submit a job under an id of ours."""
        body = {**request, "submission_id": job_id}
        answer = await self._call(place, "POST", JOBS, self._times.write, body)
        found = answers.read(answer, Submitted)
        return found.submission_id or found.job_id or job_id

    async def job(self, place: Place, job_id: str) -> Job | None:
        """Return a job, or None if it is not known."""
        answer = await self._call(place, "GET", _job_path(job_id), self._times.read)
        return None if answers.unknown_job(answer) else answers.read(answer, Job)

    async def jobs(self, place: Place) -> tuple[Job, ...]:
        """Return every job."""
        answer = await self._call(place, "GET", JOBS, self._times.read)
        return answers.read(answer, tuple[Job, ...])

    async def stop(self, place: Place, job_id: str) -> bool:
        """Ask a job to stop."""
        answer = await self._call(place, "POST", f"{_job_path(job_id)}/stop", self._times.write)
        return answers.read(answer, Stopped).stopped

    async def delete(self, place: Place, job_id: str) -> bool:
        """Forget a job that has ended."""
        answer = await self._call(place, "DELETE", _job_path(job_id), self._times.write)
        return answers.read(answer, Deleted).deleted

    async def applications(self, place: Place) -> Applications:
        """Return what Serve runs."""
        answer = await self._call(place, "GET", DECLARATIVE, self._times.read)
        return answers.read(answer, Applications)

    async def configure(self, place: Place, config: Request) -> None:
        """Tell Serve what to run."""
        answers.accept(
            await self._call(place, "PUT", APPLICATIONS, self._times.serve, dict(config))
        )

    async def check(self, place: Place) -> None:
        """Ask whether the head is well."""
        answer = answers.accept(await self._call(place, "GET", HEALTH, self._times.health))
        if _WELL not in answer.body:
            raise DashboardFailed(Failure.GARBAGE, "the dashboard does not say that all is well")

    async def proxy_is_well(self, namespace: str, pod: str, ip: str, port: int) -> bool | None:
        """Ask the Serve proxy of a pod whether it is well."""
        door: Door | None = None
        try:
            with _translated(Place(namespace=namespace, address=ip, service=pod)):
                async with asyncio.timeout(self._times.health):
                    door = await self._doors.pod(namespace, pod, ip, port)
                    answer = await _made(door, "GET", PROXY_HEALTH, None)
        except DashboardFailed as problem:
            answered = problem.failure is not Failure.TIMEOUT and door is not None and door.straight
            return False if answered else None
        return answer.status == _OK

    async def _call(
        self, place: Place, method: str, path: str, seconds: float, body: Request | None = None
    ) -> Answer:
        with _translated(place):
            async with asyncio.timeout(seconds):
                return await _made(await self._doors.door(place), method, path, body)


async def _made(door: Door, method: str, path: str, body: Request | None) -> Answer:
    headers, data = door.all_headers(), None
    if body is not None:
        headers["Content-Type"] = _JSON
        data = _ENCODER.encode(body)
    url = URL(f"{door.base}{path}", encoded=True)
    async with door.http.request(
        method, url, headers=headers, data=data, allow_redirects=False
    ) as response:
        told = await _read(response.content)
    if token := door.token.strip():
        told = told.replace(token.encode(), _BLOT)
    return Answer(status=response.status, body=told)


async def _read(content: aiohttp.StreamReader) -> bytes:
    """Read a body, up to a bound."""
    pieces: list[bytes] = []
    size = 0
    async for piece in content.iter_any():
        pieces.append(piece)
        size += len(piece)
        if size > BODY_MAX:
            told = f"the dashboard answered more than {BODY_MAX} bytes"
            raise DashboardFailed(Failure.GARBAGE, told)
    return b"".join(pieces)


@contextmanager
def _translated(place: Place) -> Iterator[None]:
    """Turn whatever the connection raises into `DashboardFailed`."""
    where = f"the dashboard of {place.namespace}/{place.service}"
    try:
        yield
    except TimeoutError:
        raise DashboardFailed(Failure.TIMEOUT, f"{where} did not answer in time") from None
    except aiohttp.ClientConnectorError as problem:
        told = f"{where} cannot be reached: {problem.strerror or 'the connection failed'}"
        raise DashboardFailed(Failure.UNREACHABLE, told) from None
    except (aiohttp.InvalidURL, ValueError):
        told = f"{where} cannot be asked: its address or its token makes no sense"
        raise DashboardFailed(Failure.UNREACHABLE, told) from None
    except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, OSError):
        told = f"{where} hung up before all was said"
        raise DashboardFailed(Failure.SERVER_ERROR, told) from None
    except aiohttp.ClientError as problem:
        told = f"{where} answered what is not HTTP ({type(problem).__name__})"
        raise DashboardFailed(Failure.GARBAGE, told) from None


def _job_path(job_id: str) -> str:
    """Return the path of a job; an id never adds a step to it."""
    return JOBS + quote(job_id, safe="")
