"""Dashboards for the contract suites: recordings of a real one, the sandbox's, and a real one.

Ids and configurations of the suites are those of the recordings, so that a recording answers
exactly what a living dashboard would. A real head runs on the machine itself, without namespaces;
it can import `labapp`, as the one that was recorded could.
"""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from aiohttp import ClientSession, web
from msgspec import Struct

from sandbox.controllers.rayrules import AppRule, AppStep, JobRule, RayScript
from sandbox.dashboard.network import response
from shared.dashboard.client import RayDashboards
from shared.dashboard.doors import StraightDoors
from shared.ports.dashboard import (
    MAY_BE_DONE,
    Application,
    DashboardFailed,
    Failure,
    Job,
    Place,
    Request,
)
from tests.support.dashboards import RECORDINGS, Play, Script, place_at, played, token_of
from tests.support.realkube import LATER
from tests.unit.sandbox.dashboard.ray_pods import up
from tools.realray.environments import BUILD_COMMAND, Environment, find

PATIENCE = 60.0
PROXY_PATHS = "/-/"
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
KINDS = (
    pytest.param("recorded", marks=needs_recordings),
    pytest.param("sandbox", marks=needs_recordings),
    pytest.param("ray", marks=needs_ray),
)
BROKEN = AppStep(status="DEPLOY_FAILED", message="Deploying app 'bad' failed with exception: ...")
SCRIPT = RayScript(
    jobs=(JobRule(job="lab-long", runs_for=None),), apps=(AppRule(app="bad", steps=(BROKEN,)),)
)
"""What the recorded dashboard went through."""
LABAPP = """
from ray import serve


@serve.deployment
class Echo:
    def reconfigure(self, config):
        self.greeting = config["greeting"]

    def __call__(self):
        return self.greeting


app = Echo.options(ray_actor_options={"num_cpus": 0.1}).bind()
"""


class World(Struct, frozen=True):
    """A dashboard that is there, where it is, and where the proxy of its head is."""

    client: RayDashboards
    place: Place
    proxy: tuple[str, int]
    script: Script | None = None
    """What it plays, if it only plays."""

    living: bool = False

    def hears(self, *names: str) -> None:
        """Let recordings come, in this order; a dashboard that lives needs none."""
        if self.script is not None:
            self.script.records(*names)

    async def job(self, job_id: str) -> Job:
        """Return a job that is known."""
        found = await self.client.job(self.place, job_id)
        assert found is not None, job_id
        return found

    async def submits(self, job_id: str, request: Request) -> str:
        """Submit a job; after an answer that leaves it open, look before asking again.

        What was not to be seen yet may be there all the same: then its id is taken, by us.
        """
        unsure = False
        async with asyncio.timeout(PATIENCE):
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
        async with asyncio.timeout(PATIENCE):
            while True:
                found = await self.job(job_id)
                if found.status in statuses:
                    return found
                await asyncio.sleep(0.1)

    async def serves(self, config: Request) -> None:
        """Tell Serve what to run; an answer that leaves it open is asked for again."""
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    return await self.client.configure(self.place, config)
                except DashboardFailed as failed:
                    if failed.failure not in MAY_BE_DONE:
                        raise

    async def until_app(self, name: str, *statuses: str) -> Application:
        """Wait until an application has one of these statuses."""
        async with asyncio.timeout(PATIENCE):
            while True:
                found = (await self.client.applications(self.place)).applications.get(name)
                if found is not None and found.status in statuses:
                    return found
                await asyncio.sleep(0.1)

    async def is_well(self) -> bool:
        """Whether the proxy of the head takes requests."""
        host, port = self.proxy
        return await self.client.proxy_is_well("prod", "head", host, port) is True


@asynccontextmanager
async def playing(kind: str) -> AsyncIterator[World]:
    """Give a dashboard that is recorded or played."""
    script = Script()
    if kind == "sandbox":
        script.asks(sandbox_head())
    async with played(script) as (http, address):
        host, _, port = address.rpartition(":")
        client = RayDashboards(StraightDoors(http, token_of))
        known = None if kind == "sandbox" else script
        yield World(client, place_at(address), (host, int(port)), known)


@asynccontextmanager
async def living(address: str, proxy_port: int) -> AsyncIterator[World]:
    """Give a real dashboard, as soon as it takes jobs."""
    async with ClientSession() as http:
        client = RayDashboards(StraightDoors(http, token_of))
        proxy = ("127.0.0.1", proxy_port)
        yield await well(World(client, place_at(address), proxy, living=True))


@contextmanager
def real_head(folder: Path) -> Iterator[str]:
    """Run a real head while the block runs; give the address of its dashboard."""
    assert RAY is not None
    (folder / "labapp.py").write_text(LABAPP)
    port = free_port()
    command = [RAY, "start", "--head", "--block", "--num-cpus=1", "--port=0"]
    command += [f"--dashboard-port={port}", "--disable-usage-stats"]
    command += ["--object-store-memory=100000000"]
    head = subprocess.Popen(
        command,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"127.0.0.1:{port}"
    finally:
        os.killpg(head.pid, signal.SIGTERM)
        try:
            head.wait(timeout=40)
        except subprocess.TimeoutExpired:
            os.killpg(head.pid, signal.SIGKILL)
            head.wait()


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def well(world: World) -> World:
    """Wait until a head that was just started takes jobs."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                await world.client.check(world.place)
                await world.client.jobs(world.place)
            except DashboardFailed:
                await asyncio.sleep(0.5)
            else:
                return world


def sandbox_head() -> Play:
    """Start a head of the sandbox, for which time goes by with each question."""
    head = up(SCRIPT)

    async def play(request: web.Request) -> web.StreamResponse:
        head.run(0.2)
        if request.path.startswith(PROXY_PATHS):
            return response(head.ask_pod("head", "serve", request.raw_path))
        body = await request.read()
        return response(head.ask(request.method, request.raw_path, body))

    return play


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(PATIENCE):
        while not await holds():  # noqa: ASYNC110 - there is nobody to tell us
            await asyncio.sleep(0.1)


async def failure_of(call: object) -> Failure:
    """Return of what class it is that a call fails."""
    with pytest.raises(DashboardFailed) as failed:
        await call  # type: ignore[misc]
    return failed.value.failure
