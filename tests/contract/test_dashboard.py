"""One suite for every Ray dashboard: recordings of a real one, the sandbox's, and a real one.

Ids and configurations are those of the recordings, so that a recording answers exactly what a
living dashboard would.
"""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from aiohttp import ClientSession, web
from msgspec import Struct

from sandbox.controllers.rayrules import JobRule, RayScript
from sandbox.dashboard.network import response
from shared.dashboard.client import RayDashboards
from shared.dashboard.doors import StraightDoors
from shared.ports.dashboard import MAY_BE_DONE, DashboardFailed, Failure, Job, Place, Request
from tests.support.dashboards import (
    RECORDINGS,
    Play,
    Script,
    place_at,
    played,
    recording,
    token_of,
)
from tests.support.realkube import LATER
from tests.unit.sandbox.dashboard.ray_pods import up
from tools.realray.environments import BUILD_COMMAND, Environment, find

ENDED = {"SUCCEEDED", "FAILED", "STOPPED"}
INSTALLED = find()
RAY = (
    str(INSTALLED.ray)
    if isinstance(INSTALLED, Environment)
    else shutil.which("ray", path=str(Path(sys.executable).parent))
)
needs_recordings = pytest.mark.skipif(
    not RECORDINGS.is_dir(), reason="needs ../shared/data/ray-dashboard"
)
needs_ray = pytest.mark.skipif(
    RAY is None or bool(os.environ.get(LATER)), reason=f"needs ray: {BUILD_COMMAND}"
)
PLAYED = (
    *("job_submit_ok", "job_submit_duplicate", "job_get_just_submitted", "job_get_succeeded"),
    *("job_get_running", "job_get_right_after_stop", "job_get_stopped", "job_get_deleted"),
    *("job_stop_running", "job_stop_again", "job_delete_running", "job_delete_terminal"),
    *("job_get_unknown", "job_stop_unknown", "job_delete_unknown", "jobs_list"),
    *("serve_get_not_started", "serve_put_bad_schema", "gcs_healthz"),
)


class World(Struct, frozen=True):
    """A dashboard that is there, and where."""

    client: RayDashboards
    place: Place

    async def job(self, job_id: str) -> Job:
        found = await self.client.job(self.place, job_id)
        assert found is not None, job_id
        return found

    async def submits(self, job_id: str, request: Request) -> str:
        """Submit a job; after an answer that leaves it open, look before asking again.

        What was not to be seen yet may be there all the same: then its id is taken, by us.
        """
        unsure = False
        async with asyncio.timeout(60):
            while True:
                try:
                    return await self.client.submit(self.place, job_id, request)
                except DashboardFailed as failed:
                    if unsure and failed.failure is Failure.TAKEN:
                        return job_id
                    if failed.failure not in MAY_BE_DONE:
                        raise
                    unsure = True
                if await self.client.job(self.place, job_id) is not None:
                    return job_id

    async def becomes(self, job_id: str, *statuses: str) -> Job:
        """Wait until a job has one of these statuses."""
        async with asyncio.timeout(60):
            while True:
                found = await self.job(job_id)
                if found.status in statuses:
                    return found
                await asyncio.sleep(0.1)


@pytest.fixture(scope="module")
def ray_address() -> Iterator[str]:
    """A real head, for the whole module, in a session of its own."""
    assert RAY is not None
    port = free_port()
    command = [RAY, "start", "--head", "--block", "--num-cpus=1", "--port=0"]
    command += [f"--dashboard-port={port}", "--disable-usage-stats"]
    command += ["--object-store-memory=100000000"]
    head = subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    yield f"127.0.0.1:{port}"
    os.killpg(head.pid, signal.SIGTERM)
    try:
        head.wait(timeout=40)
    except subprocess.TimeoutExpired:
        os.killpg(head.pid, signal.SIGKILL)
        head.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def well(world: World) -> World:
    """Wait until a head that was just started takes jobs."""
    async with asyncio.timeout(60):
        while True:
            try:
                await world.client.check(world.place)
                await world.client.jobs(world.place)
            except DashboardFailed:
                await asyncio.sleep(0.5)
            else:
                return world


@pytest.fixture(
    params=[
        pytest.param("recorded", marks=needs_recordings),
        pytest.param("sandbox", marks=needs_recordings),
        pytest.param("ray", marks=needs_ray),
    ]
)
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    """Give a dashboard of each kind."""
    if request.param == "ray":
        address: str = request.getfixturevalue("ray_address")
        async with ClientSession() as http:
            yield await well(World(RayDashboards(StraightDoors(http, token_of)), place_at(address)))
        return
    script = Script()
    if request.param == "sandbox":
        script.asks(sandbox_head())
    else:
        script.records(*PLAYED)
    async with played(script) as (http, address):
        yield World(RayDashboards(StraightDoors(http, token_of)), place_at(address))


def sandbox_head() -> Play:
    """Start a head of the sandbox, for which time goes by with each question."""
    head = up(RayScript(jobs=(JobRule(job="lab-long", runs_for=None),)))

    async def play(request: web.Request) -> web.StreamResponse:
        head.run(0.2)
        body = await request.read()
        return response(head.ask(request.method, request.raw_path, body))

    return play


def asked(name: str) -> dict[str, object]:
    """Return the body of a recorded request, without the id."""
    body = recording(name)["request"]["json"]
    assert isinstance(body, dict)
    return {key: value for key, value in body.items() if key != "submission_id"}


async def failure_of(call: object) -> Failure:
    with pytest.raises(DashboardFailed) as failed:
        await call  # type: ignore[misc]
    return failed.value.failure


@needs_recordings
async def test_a_job_is_submitted_once_under_our_id_and_followed_to_its_end(world: World) -> None:
    request = asked("job_submit_ok")

    assert await world.submits("lab-ok", request) == "lab-ok"
    assert await failure_of(world.client.submit(world.place, "lab-ok", request)) is Failure.TAKEN

    ended = await world.becomes("lab-ok", *ENDED)

    assert (ended.status, ended.submission_id) == ("SUCCEEDED", "lab-ok")
    assert ended.start_time is not None
    assert ended.end_time is not None
    assert ended.end_time >= ended.start_time


async def test_a_job_that_nobody_submitted_is_not_known(world: World) -> None:
    client, place = world.client, world.place

    assert await client.job(place, "lab-unknown") is None
    assert await failure_of(client.stop(place, "lab-unknown")) is Failure.NOT_FOUND
    assert await failure_of(client.delete(place, "lab-unknown")) is Failure.NOT_FOUND


@needs_recordings
async def test_a_running_job_is_stopped_before_it_can_be_forgotten(world: World) -> None:
    client, place = world.client, world.place
    await world.submits("lab-long", asked("job_submit_long"))
    await world.becomes("lab-long", "RUNNING")

    assert await failure_of(client.delete(place, "lab-long")) is Failure.SERVER_ERROR
    assert await client.stop(place, "lab-long") is True

    await world.becomes("lab-long", "STOPPED")

    assert await client.stop(place, "lab-long") is False
    assert await client.delete(place, "lab-long") is True
    assert await client.job(place, "lab-long") is None


async def test_every_job_is_listed(world: World) -> None:
    for job in await world.client.jobs(world.place):
        assert job.status in {"PENDING", "RUNNING", *ENDED}
        assert job.submission_id or job.type == "DRIVER"


async def test_before_serve_is_started_it_runs_nothing(world: World) -> None:
    found = await world.client.applications(world.place)

    assert dict(found.applications) == {}
    assert found.target_capacity is None


async def test_a_configuration_that_makes_no_sense_is_refused(world: World) -> None:
    config = {"applications": [{"name": "echo"}]}

    assert await failure_of(world.client.configure(world.place, config)) is Failure.REFUSED


async def test_a_head_that_is_well_says_so(world: World) -> None:
    await world.client.check(world.place)
