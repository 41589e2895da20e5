"""Many RayServices that serve and that nobody touches: what they cost while nothing happens.

All services run in a process of their own, over a real NATS server. The sandbox is in this process,
so that every request to its API server and every question to its scripted Ray is counted where it
comes in; the ends of the log and of the timers and the lines of the operator tell the rest.
"""

import asyncio
import tempfile
from collections import Counter
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from time import monotonic

from msgspec import Struct

from heliograph.assembly.embedded import Embedded, embedded
from sandbox.dashboard.names import Backend
from sandbox.dashboard.replies import Ask
from sandbox.requests import WRITING, Request
from services.reconciler.decisions.rayservice.serving import POLL_EVERY
from shared.kernel.manifests import entries_at
from shared.runtime.settings import Settings
from tests.e2e.services.counter import rayservice
from tests.e2e.story import armed_timers, ends_of
from tests.support.processes import Installation, Process, ending

IDLE_FOR = 66.0
READY_WITHIN = 600.0
LOOK_EVERY = 1.0
DASHBOARD, HEAD = "/api/serve/applications/", "/-/healthz"
KEEPING = {"refresh"}
"""Timers that only keep records from ageing out."""
MINUTE = timedelta(minutes=1).total_seconds()


class Heard:
    """What was asked of the API server and of Ray since the last `clear`."""

    def __init__(self) -> None:
        self.writes: Counter[str] = Counter()
        self.asked: dict[str, Counter[str]] = {}
        """By path: how often each pod was asked."""

    def clear(self) -> None:
        """Begin anew."""
        self.writes.clear()
        self.asked.clear()

    def request(self, request: Request) -> None:
        """Count a request that may change something."""
        if request.verb in WRITING:
            self.writes[f"{request.verb} {request.resource}"] += 1

    def question(self, at: Backend, ask: Ask) -> None:
        """Count a question to a pod."""
        name: str = at.pod["metadata"]["name"]
        path = ask.path.partition("?")[0]
        self.asked.setdefault(path, Counter())[name] += 1


class Idle(Struct, frozen=True, kw_only=True):
    """What a span without any change has cost."""

    ready_in: float
    lasted: float
    heard: Heard
    records: int
    """Records that came into the log, and timers that were armed."""
    lines: int
    """Lines that the operator wrote."""
    cpu: float
    """Seconds of processor that it took."""


async def measure(services: int) -> list[list[str]]:
    """Return rows: what an idle minute costs, against what it may."""
    heard = Heard()
    with tempfile.TemporaryDirectory() as folder, ending(Path(folder)) as here:
        async with embedded(Path(folder), Settings()) as around:
            around.sandbox.cluster.faults = heard.request
            around.sandbox.network.heard = heard.question
            operator = await _operator(here, around)
            ready_in = await _all_ready(around, services)
            async with asyncio.timeout(READY_WITHIN):
                while await armed_timers(here) - KEEPING:  # noqa: ASYNC110 - a look from outside
                    await asyncio.sleep(LOOK_EVERY)
            found = await _idle(here, operator, heard, ready_in)
            operator.kill()
    return _rows(found, services)


async def _operator(here: Installation, around: Embedded) -> Process:
    here.nats, here.kubeconfig = around.nats, around.kubeconfig
    way = {"USE_KUBERNETES_PROXY": "false", "DASHBOARD_PROXY": around.sandbox.door.url}
    told = {f"HELIOGRAPH_{name}": value for name, value in way.items()}
    operator = here.start_service("operator", "all", **told)
    await asyncio.to_thread(operator.wait_ready)
    return operator


async def _all_ready(around: Embedded, services: int) -> float:
    """Make so many RayServices; return how long it took until all of them serve."""
    cluster, begun = around.sandbox.cluster, monotonic()
    for number in range(services):
        made = rayservice(f"s{number}")
        made["metadata"]["namespace"] = "default"
        del made["spec"]["rayClusterConfig"]["workerGroupSpecs"]
        cluster.create("rayservices", made)
    while (ready := _ready(around)) < services:
        if monotonic() - begun > READY_WITHIN:
            raise AssertionError(f"only {ready} of {services} serve")
        await asyncio.sleep(LOOK_EVERY)
    return monotonic() - begun


def _ready(around: Embedded) -> int:
    found = around.sandbox.cluster.list("rayservices", "default").items
    told = [
        {(one.get("type"), one.get("status")) for one in entries_at(each, "status", "conditions")}
        for each in found
    ]
    return sum(("Ready", "True") in conditions for conditions in told)


async def _idle(here: Installation, operator: Process, heard: Heard, ready_in: float) -> Idle:
    ends, lines, cpu = await ends_of(here), _lines(operator), await _cpu(operator)
    heard.clear()
    begun = monotonic()
    await asyncio.sleep(IDLE_FOR)
    lasted, meanwhile = monotonic() - begun, deepcopy(heard)
    return Idle(
        ready_in=ready_in,
        heard=meanwhile,
        lasted=lasted,
        records=sum((await ends_of(here)).values()) - sum(ends.values()),
        lines=_lines(operator) - lines,
        cpu=await _cpu(operator) - cpu,
    )


def _rows(found: Idle, services: int) -> list[list[str]]:
    heard, minutes = found.heard, found.lasted / MINUTE
    questions = sum(counts.total() for counts in heard.asked.values())
    writes = heard.writes.total()
    return [
        [f"{services} RayServices of a head alone to ready", f"{found.ready_in:.0f} s", "at once"],
        *(
            [f"at rest: {what}", f"{count / minutes:.0f} a minute", "the limit is 0"]
            for what, count in (
                (f"writes to the API server {dict(heard.writes) or ''}".strip(), writes),
                ("records in the log, timers", found.records),
                ("lines of the operator", found.lines),
            )
        ),
        _pace("dashboards", heard.asked.get(DASHBOARD, Counter()), found, services),
        _pace("heads", heard.asked.get(HEAD, Counter()), found, services),
        [
            "at rest: processor of the operator",
            f"{found.cpu / found.lasted:.2f} of a core",
            f"{found.cpu / max(questions, 1) * 1e3:.1f} ms a question",
        ],
    ]


def _pace(whom: str, asked: Counter[str], found: Idle, services: int) -> list[str]:
    """Return how often they were asked, against once for each in an interval."""
    expected = found.lasted / POLL_EVERY.total_seconds()
    each = asked.total() / services / expected
    least, most = min(asked.values(), default=0), max(asked.values(), default=0)
    spread = f"{least / expected:.2f} to {most / expected:.2f}"
    return [
        f"at rest: questions to {len(asked)} {whom} in {found.lasted:.0f} s",
        str(asked.total()),
        f"{each:.2f} x once an interval, {spread}; the limit is 1",
    ]


def _lines(operator: Process) -> int:
    return len(operator.said().splitlines())


async def _cpu(operator: Process) -> float:
    _, told = await asyncio.to_thread(operator.asked, "/metrics")
    values = (line.split() for line in told.splitlines() if line.startswith("process_cpu_seconds"))
    return next(float(value) for _, value in values)
