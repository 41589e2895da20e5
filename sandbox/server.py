"""The sandbox as a server: HTTP on loopback, controllers on a real clock.

`serve` starts one inside the running event loop; `python -m sandbox` is a process around it. The
controllers run after every change (a burst of changes counts as one) and whenever they said that
time alone would make a difference.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from aiohttp import web

from sandbox.api.app import Face
from sandbox.cluster import Cluster
from sandbox.controllers.scenario import Scenario
from sandbox.identity import numbered_uids
from sandbox.objects import Object

log = logging.getLogger(__name__)

HOST = "127.0.0.1"
GATHER_FOR = 0.005


def system_clock() -> datetime:
    """Return the time of the machine."""
    return datetime.now(tz=UTC)  # noqa: TID251 - the door through which time comes in


class RunningSandbox:
    """A sandbox that answers; `close` ends it."""

    def __init__(self, cluster: Cluster, runner: web.AppRunner, token: str) -> None:
        self.cluster = cluster
        self.token = token
        self._runner = runner
        self._news = asyncio.Event()
        self._forget = cluster.state.store.listen(self._news.set)
        self._controllers = asyncio.create_task(self._control(), name="sandbox controllers")
        self._controllers.add_done_callback(_tell_if_broken)

    @property
    def url(self) -> str:
        """The address of the API server."""
        host, port = self._runner.addresses[0][:2]
        return f"http://{host}:{port}"

    async def close(self) -> None:
        """Stop the controllers, end every watch, close the port."""
        self._forget()
        self._controllers.cancel()
        await asyncio.wait([self._controllers])
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
    cluster = Cluster(clock, numbered_uids(seed), scenario=scenario, first_revision=born)
    for crd in crds:
        cluster.create("customresourcedefinitions", crd)
    face = Face(cluster, token=token)
    runner = web.AppRunner(
        face.app(), access_log=None, handler_cancellation=True, shutdown_timeout=1
    )
    await runner.setup()
    await web.TCPSite(runner, HOST, port).start()
    return RunningSandbox(cluster, runner, token)
