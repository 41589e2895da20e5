"""Many RayClusters through all services on the sandbox: how long, and what it costs the API server.

Everything shares this process and machine, the sandbox included, so the figure is a floor.
"""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import yaml

from heliograph.assembly.embedded import Embedded, embedded
from heliograph.assembly.everything import opened
from heliograph.assembly.services import BUILDERS, Plan
from heliograph.cli.up import CALL_DEADLINE
from heliograph.demo.script import example
from sandbox.requests import Request
from shared.kernel.manifests import text_at
from shared.runtime.health import Health
from shared.runtime.options import SERVICES
from shared.runtime.settings import ProcessSettings, Settings
from shared.runtime.supervision import Supervisor

LOOK_EVERY = 0.05
READING = frozenset({"get", "list", "watch"})


async def measure(clusters: int) -> list[list[str]]:
    """Return rows: time to ready, and requests per cluster by verb and resource."""
    settings = Settings(process=ProcessSettings(member_id="benchmark", http_port=0))
    with tempfile.TemporaryDirectory() as folder:
        async with (
            embedded(Path(folder), settings) as here,
            opened(SERVICES, here.settings, CALL_DEADLINE) as ports,
        ):
            plan = Plan(
                settings=here.settings, ports=ports, health=Health(), call_deadline=CALL_DEADLINE
            )
            supervisor = Supervisor(drain_timeout=settings.process.drain_timeout)
            services = asyncio.create_task(
                supervisor.run([BUILDERS[name](plan) for name in SERVICES])
            )
            rows = await _play(here, clusters)
            supervisor.stop("measured")
            await services
    return rows


async def _play(here: Embedded, clusters: int) -> list[list[str]]:
    await asyncio.sleep(CALL_DEADLINE.total_seconds() * 2)
    counted: Counter[str] = Counter()
    here.sandbox.cluster.faults = _counting(counted)
    begun = perf_counter()
    for number in range(clusters):
        manifest = yaml.safe_load(example().read_text())
        manifest["metadata"] = {"name": f"c{number}", "namespace": "default"}
        here.sandbox.cluster.create("rayclusters", manifest)
    while not _all_ready(here):  # noqa: ASYNC110 - the sandbox is asked as a user would
        await asyncio.sleep(LOOK_EVERY)
    took = perf_counter() - begun
    counted["create rayclusters"] -= clusters
    rows = [[f"{clusters} clusters of 1 + 3 to ready", f"{took:.1f} s", f"{clusters / took:.1f}/s"]]
    for what, count in sorted(counted.items()):
        rows.append([f"requests: {what}", str(count), f"{count / clusters:.1f} per cluster"])
    return rows


def _counting(counted: Counter[str]) -> Callable[[Request], None]:
    def count(request: Request) -> None:
        if request.verb not in READING:
            part = f"/{request.subresource}" if request.subresource else ""
            counted[f"{request.verb} {request.resource}{part}"] += 1

    return count


def _all_ready(here: Embedded) -> bool:
    found = here.sandbox.cluster.list("rayclusters", "default").items
    return all(text_at(one, "status", "state") == "ready" for one in found)
