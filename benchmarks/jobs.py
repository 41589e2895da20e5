"""A thousand running RayJobs, some with a dashboard that hangs: how soon an end is noticed.

The real asker on a bus in memory, over real HTTP to a scripted dashboard in the same process. Each
job ends at a moment of its own; what counts is the time from there to the record in the log,
against the interval at which jobs are asked.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import count
from random import Random
from statistics import median

import aiohttp
import msgspec
from aiohttp import web
from aiohttp.test_utils import TestServer
from msgspec.structs import replace

from sandbox.controllers.scenario import PodRule
from services.watcher.asking.asker import Asker, AskerSettings
from services.watcher.asking.questions import Questions
from shared.bus.members import membership
from shared.bus.memory import MemoryBus, MemoryServer
from shared.dashboard.client import RayDashboards
from shared.dashboard.doors import StraightDoors
from shared.events import subjects
from shared.events.codec import decode, encode
from shared.events.decisions import Decided
from shared.events.envelope import SCHEMA, Envelope
from shared.events.objects import ResourceSeen
from shared.events.told import JobTold, WantedJob
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Batch, Entry, FromSnapshot
from tests.support.builders import NOON, act
from tests.support.rayjobs import job_spec, rayjob
from tests.support.sandbox_cluster import SandboxCluster
from tests.support.whole import Whole

JOBS, HUNG = 1000, 100
EVERY = timedelta(seconds=3)
"""As it is set in an installation (`JobSettings.poll_every`)."""
ENDS_WITHIN = (6.0, 15.0)
"""When jobs end, in seconds after the first question."""
PATIENCE = 60.0


class Script:
    """What Ray does: when each job ends, and which dashboards never answer."""

    def __init__(self, chance: Random) -> None:
        self.hung = {f"job-{number}" for number in chance.sample(range(JOBS), HUNG)}
        self.ends = {f"job-{number}": chance.uniform(*ENDS_WITHIN) for number in range(JOBS)}
        self.asked = 0
        self._begun: float | None = None

    def ended_at(self, job: str) -> float:
        """Return the moment of the loop at which a job ends."""
        return (self._begun or 0.0) + self.ends[job]

    async def answer(self, request: web.Request) -> web.Response:
        """Answer as a dashboard does, or never."""
        loop = asyncio.get_running_loop()
        self._begun = loop.time() if self._begun is None else self._begun
        self.asked += 1
        job = request.match_info["job"]
        if job in self.hung:
            await asyncio.sleep(PATIENCE * 2)
        status = "SUCCEEDED" if loop.time() >= self.ended_at(job) else "RUNNING"
        told = {"submission_id": job, "status": status, "start_time": 1, "type": "SUBMISSION"}
        return web.Response(body=msgspec.json.encode(told), content_type="application/json")


async def measure() -> list[list[str]]:
    """Return rows: how long the ends of jobs stay unknown, beside some that hang and alone."""
    beside = await _delays(Script(Random(1)))
    calm = Script(Random(1))
    calm.hung.clear()
    alone = await _delays(calm)
    every = EVERY.total_seconds()
    rows = []
    for label, found in ((f"{HUNG} of {JOBS} hang", beside), ("none hangs", alone)):
        rows.append(
            [
                f"{len(found)} ends noticed, {label}: worst",
                f"{max(found):.2f} s",
                f"{max(found) / every:.2f} x the interval; the bound is 2",
            ]
        )
        rows.append(
            ["the same: median", f"{median(found):.2f} s", f"{median(found) / every:.2f} x"]
        )
    return rows


async def _delays(script: Script) -> list[float]:
    """Return how long each end took to be in the log; raises if one of them never was."""
    server = MemoryServer()
    async with _dashboard(script) as (http, address):
        await _running_jobs(server.connect("acts"), address)
        asker = _asker(server, http)
        task = asyncio.create_task(asker.run())
        try:
            async with asyncio.timeout(PATIENCE):
                return await _noticed(server.connect("reader"), script)
        finally:
            task.cancel()
            await asyncio.wait([task])


async def _noticed(bus: MemoryBus, script: Script) -> list[float]:
    wanted = set(script.ends) - script.hung
    delays: list[float] = []
    async with bus.log.follow(("ray.*.rayjob.>",), FromSnapshot()) as news:
        async for batch in news:
            now = asyncio.get_running_loop().time()
            for message in batch.messages if isinstance(batch, Batch) else ():
                body = decode(message).envelope.body
                if isinstance(body, JobTold) and body.status == "SUCCEEDED":
                    wanted.discard(body.job_id)
                    delays.append(now - script.ended_at(body.job_id))
            if not wanted:
                return delays
    return delays


def _asker(server: MemoryServer, http: aiohttp.ClientSession) -> Asker:
    bus = server.connect("asker")
    cluster = SandboxCluster(Whole(PodRule()).cluster)
    questions = Questions(cluster, RayDashboards(StraightDoors(http, _no_token)))
    return Asker(
        bus,
        questions,
        server.clock,
        lambda: membership(bus, "asker", "one"),
        AskerSettings(code="benchmark"),
    )


async def _no_token(_namespace: str, _name: str) -> str:
    return ""


async def _running_jobs(bus: MemoryBus, address: str) -> None:
    """Put a thousand RayJobs into the log, each with an act that wants to know how it is."""
    numbers = count(1)
    for number in range(JOBS):
        key = ResourceKey("rayjob", "default", f"job-{number}")
        seen = rayjob(job_spec(), finalized=True)
        meta = replace(seen.meta, name=key.name, namespace=key.namespace, uid=f"uid-{number}")
        wanted = WantedJob(
            name="job",
            because="for a benchmark",
            since=NOON,
            every=EVERY,
            job_id=key.name,
            address=address,
            service="none",
        )
        bodies = (
            (subjects.own(key), replace(seen, meta=meta)),
            (subjects.act(key), replace(act(), wants=(wanted,))),
        )
        for subject, body in bodies:
            await bus.log.append(_entry(key, subject, body, f"e{next(numbers)}"))


def _entry(key: ResourceKey, subject: str, body: ResourceSeen | Decided, identity: str) -> Entry:
    envelope = Envelope(
        schema=SCHEMA,
        id=identity,
        body=body,
        code="benchmark",
        written_at=NOON,
        key=key,
        uid=f"uid-{key.name.removeprefix('job-')}",
    )
    return Entry(subject=subject, id=identity, data=encode(envelope))


@asynccontextmanager
async def _dashboard(script: Script) -> AsyncIterator[tuple[aiohttp.ClientSession, str]]:
    app = web.Application()
    app.router.add_get("/api/jobs/{job}", script.answer)
    server = TestServer(app)
    await server.start_server(shutdown_timeout=0.1)
    try:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
            yield http, f"{server.host}:{server.port}"
    finally:
        await server.close()
