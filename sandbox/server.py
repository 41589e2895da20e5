"""The sandbox as a server: HTTP on loopback, controllers on a real clock, a scripted Ray in pods.

`serve` starts one inside the running event loop; `python -m sandbox` is a process around it. The
controllers run after every change (a burst of changes counts as one) and whenever they said that
time alone would make a difference.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import yaml
from aiohttp import web

from sandbox.api.admin import Admin
from sandbox.api.app import Face
from sandbox.api.podlogs import PodLogs
from sandbox.api.proxying import Proxying
from sandbox.api.suffering import Suffering, slow_down
from sandbox.cluster import Cluster
from sandbox.controllers.index import Place
from sandbox.controllers.scenario import Scenario, ScenarioError, read_scenario
from sandbox.dashboard.door import Door
from sandbox.dashboard.network import Network
from sandbox.identity import numbered_uids
from sandbox.objects import Object
from sandbox.ray.machine import Machine
from sandbox.troubles import Troubles

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
GATHER_FOR = 0.005
HISTORY_MAX = 2_048
"""Events kept of each resource: enough to come back to a watch, few enough for 10,000 pods."""


def system_clock() -> datetime:
    """Return the time of the machine."""
    return datetime.now(tz=UTC)  # noqa: TID251 - the door through which time comes in


class Surroundings:
    """What an API server has around it: the pods' network, troubles, and our own calls."""

    def __init__(self, cluster: Cluster, seed: str) -> None:
        self.news = asyncio.Event()
        self.troubles = Troubles(seed)
        controllers = cluster.controllers
        index = controllers.driver.index
        self.network = Network(
            controllers.fleet, cluster.state.clock, lambda: cluster.scenario.ray, self.news.set
        )
        self.door = Door(self.network, index)
        self.logs = PodLogs(cluster)
        self._suffering = Suffering(cluster, self.troubles)
        self.parts = (
            self._suffer,
            Admin(cluster, self.troubles, self._suffering, self.door, self.news.set).add_routes,
            Proxying(self.network, index).add_routes,
            self.logs.add_routes,
        )

    def _suffer(self, app: web.Application) -> None:
        app.middlewares.append(self._suffering.layer)
        app.on_response_prepare.append(slow_down)


class RunningSandbox:
    """A sandbox that answers; `close` ends it."""

    def __init__(
        self, cluster: Cluster, runner: web.AppRunner, token: str, around: Surroundings
    ) -> None:
        self.cluster = cluster
        self.token = token
        self.troubles = around.troubles
        self.door = around.door
        self.network = around.network
        self._runner = runner
        self._around = around
        self._machine: Machine | None = None
        self._news = around.news
        self._forget = cluster.state.store.listen(self._news.set)
        self._controllers = asyncio.create_task(self._control(), name="sandbox controllers")
        self._controllers.add_done_callback(_tell_if_broken)

    @property
    def url(self) -> str:
        """The address of the API server."""
        host, port = self._runner.addresses[0][:2]
        return f"http://{host}:{port}"

    def run_pods_on(self, machine: Machine) -> None:
        """Let pods really run from now on; the machine is closed with the sandbox."""
        controllers = self.cluster.controllers

        def look_at(place: Place) -> None:
            controllers.driver.look_at(place)
            self._news.set()

        kubelet = machine.attach(controllers.driver.index, look_at, self.cluster.state.clock)
        controllers.driver.moving = kubelet.move
        controllers.scripted = False
        self._around.network.really = machine.answer
        self._around.logs.lines.really = kubelet.printed
        self._machine = machine

    async def close(self) -> None:
        """Stop the controllers, end every watch, close the port."""
        self._forget()
        self._controllers.cancel()
        await asyncio.wait([self._controllers])
        if self._machine is not None:
            await self._machine.close()
        await self.door.close()
        await self._runner.cleanup()

    async def _control(self) -> None:
        while True:
            self._news.clear()
            due_at = self.cluster.step()
            self._news.clear()
            await self._pause(due_at)
            await asyncio.sleep(GATHER_FOR)

    async def _pause(self, until: datetime | None) -> None:
        seconds = None
        if until is not None:
            seconds = max((until - self.cluster.state.clock()).total_seconds(), 0.001)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()


def _tell_if_broken(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("sandbox controllers stopped", exc_info=error)


def load_scenario(path: Path | None) -> Scenario:
    """Read a scenario from a YAML file; raises `ScenarioError` that names file and place."""
    if path is None:
        return Scenario()
    try:
        return read_scenario(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (ScenarioError, yaml.YAMLError) as error:
        raise ScenarioError(f"{path}: {error}") from error


async def serve(
    port: int = 0,
    *,
    crds: Sequence[Object] = (),
    clock: Callable[[], datetime] = system_clock,
    seed: str = "sandbox",
    token: str = "",
    scenario: Scenario | None = None,
) -> RunningSandbox:
    """Start a sandbox on a port of the loopback address (0: any free one).

    Its versions begin at the time of day: they never go back, whoever remembers an earlier one.
    """
    born = int(clock().timestamp() * 1000)
    cluster = Cluster(
        clock,
        numbered_uids(seed),
        scenario=scenario,
        history_max=HISTORY_MAX,
        first_revision=born,
    )
    for crd in crds:
        cluster.create("customresourcedefinitions", crd)
    cluster.controllers.driver.tells = True
    around = Surroundings(cluster, seed)
    face = Face(cluster, token=token, parts=around.parts)
    runner = web.AppRunner(
        face.app(), access_log=None, handler_cancellation=True, shutdown_timeout=1
    )
    await runner.setup()
    await web.TCPSite(runner, HOST, port).start()
    await around.door.open()
    return RunningSandbox(cluster, runner, token, around)
