"""Outside, the controllers work through the doors of ordinary clients: here the sandbox's own."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from aiohttp import web

from sandbox.api.app import Face
from sandbox.cluster import Cluster
from sandbox.objects import Object, dig, rows
from sandbox.outside.connection import Access
from sandbox.outside.nameplate import PORT
from sandbox.outside.running import running_outside
from sandbox.server import system_clock

SOON = 10
EMPTY_NODE: Object = {"metadata": {"name": "sandbox"}}
POD: Object = {
    "metadata": {"name": "head", "namespace": "default"},
    "spec": {"nodeName": "sandbox", "containers": [{"name": "ray", "image": "ray"}]},
}


class Idle:
    """An API server whose own controllers never run."""

    def __init__(self, cluster: Cluster, url: str) -> None:
        self.cluster = cluster
        self.url = url
        self._news = asyncio.Event()
        cluster.state.store.listen(self._news.set)

    def pods(self) -> list[Any]:
        return list(self.cluster.list("pods", "default").items)

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(SOON):
            while not holds():
                await self._news.wait()
                self._news.clear()


@pytest.fixture
async def idle() -> AsyncIterator[Idle]:
    cluster = Cluster(system_clock)
    runner = web.AppRunner(
        Face(cluster).app(), access_log=None, handler_cancellation=True, shutdown_timeout=1
    )
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    yield Idle(cluster, f"http://{host}:{port}")
    await runner.cleanup()


def ready(obj: Object) -> bool:
    return any(
        entry["type"] == "Ready" and entry["status"] == "True"
        for entry in rows(obj, "status.conditions")
    )


async def test_makes_the_node_that_pods_shall_run_on(idle: Idle) -> None:
    async with running_outside(Access(url=idle.url), system_clock):
        await idle.until(lambda: any(ready(node) for node in idle.cluster.list("nodes").items))

    names = [dig(node, "metadata.name") for node in idle.cluster.list("nodes").items]
    assert names == ["sandbox"]


async def test_brings_a_bound_pod_up_and_takes_it_down(idle: Idle) -> None:
    idle.cluster.create("pods", POD)

    async with running_outside(Access(url=idle.url), system_clock):
        await idle.until(lambda: all(ready(pod) for pod in idle.pods()))
        up = idle.pods()
        idle.cluster.delete("pods", "default", "head")
        await idle.until(lambda: idle.pods() == [])

    assert [dig(pod, "status.phase") for pod in up] == ["Running"]


async def test_goes_on_where_another_stopped(idle: Idle) -> None:
    idle.cluster.create("nodes", EMPTY_NODE)
    idle.cluster.create("pods", POD)
    async with running_outside(Access(url=idle.url), system_clock):
        await idle.until(lambda: dig(idle.pods()[0], "status.startTime") is not None)

    async with running_outside(Access(url=idle.url), system_clock):
        await idle.until(lambda: ready(idle.pods()[0]))

    assert dig(idle.pods()[0], "status.containerStatuses")[0]["restartCount"] == 0


async def test_leaves_the_pods_of_other_namespaces_alone(idle: Idle) -> None:
    idle.cluster.create("pods", POD)
    idle.cluster.create("pods", {**POD, "metadata": {"name": "other", "namespace": "kube-system"}})

    async with running_outside(Access(url=idle.url), system_clock, namespace="default"):
        await idle.until(lambda: ready(idle.pods()[0]))

    other = idle.cluster.get("pods", "kube-system", "other")
    assert dig(other, "status.startTime") is None


def doors(idle: Idle) -> list[int]:
    return [dig(node, PORT) for node in idle.cluster.list("nodes").items]


async def test_a_node_names_the_door_of_who_came_after_another_stopped(idle: Idle) -> None:
    idle.cluster.create("nodes", EMPTY_NODE)
    async with running_outside(Access(url=idle.url), system_clock):
        await idle.until(lambda: all(doors(idle)))
        first = doors(idle)

    async with running_outside(Access(url=idle.url), system_clock):
        await idle.until(lambda: doors(idle) != first)

    assert all(doors(idle))


async def test_works_without_a_door_where_no_certificate_can_be_made(
    idle: Idle, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PATH", "")
    idle.cluster.create("pods", POD)

    async with running_outside(Access(url=idle.url), system_clock):
        await idle.until(lambda: all(ready(pod) for pod in idle.pods()))

    assert doors(idle) == [None]
    assert "nobody can ask for logs" in caplog.text
