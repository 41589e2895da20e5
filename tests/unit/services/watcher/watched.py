"""A cluster, a bus and a watcher between them, for tests."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import yaml

from sandbox.cluster import Cluster
from sandbox.objects import Object
from services.watcher.service import Watcher
from services.watcher.sources.session import WatcherSettings, World
from shared.bus.memory import MemoryServer
from shared.events.codec import decode
from shared.events.envelope import Body
from shared.events.records import KindListed
from shared.events.subjects import observed, sync
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Batch, FromSnapshot, Reset
from shared.resources.observed import OBSERVED
from tests.support.sandbox_cluster import SandboxCluster

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
CRD = Path(__file__).parents[4] / "deploy" / "crds" / "ray.io_rayclusters.yaml"
DEMO = ResourceKey(kind="raycluster", namespace="default", name="demo")
HEAD = observed(DEMO, "pod", "demo-head")
SETTINGS = WatcherSettings(code="test")
KINDS = OBSERVED

Bodies = dict[str, Body]


@cache
def _definition() -> Object:
    loaded: Object = yaml.load(CRD.read_text(), yaml.CSafeLoader)
    return loaded


def new_cluster() -> Cluster:
    """Return a cluster that serves RayClusters and in which nothing moves by itself."""
    cluster = Cluster(lambda: NOON)
    cluster.create("customresourcedefinitions", _definition())
    return cluster


def resource(name: str = "demo") -> Object:
    template = {"spec": {"containers": [{"name": "ray-head", "image": "ray"}]}}
    return {
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"headGroupSpec": {"rayStartParams": {}, "template": template}},
    }


def child(name: str, owner: Object, labels: dict[str, str]) -> Object:
    reference = {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
    }
    return {"metadata": {"name": name, "labels": labels, "ownerReferences": [reference]}}


def head(owner: Object) -> Object:
    pod = child("demo-head", owner, {"ray.io/node-type": "head"})
    return {**pod, "spec": {"containers": [{"name": "ray-head", "image": "ray"}]}}


def head_service(owner: Object) -> Object:
    service = child("demo-head-svc", owner, {"app.kubernetes.io/created-by": "kuberay-operator"})
    return {**service, "spec": {"ports": [{"port": 6379}]}}


@asynccontextmanager
async def watching(
    cluster: Cluster,
    server: MemoryServer,
    member: str = "one",
    settings: WatcherSettings = SETTINGS,
) -> AsyncIterator[SandboxCluster]:
    """Run a watcher for as long as the block lasts."""
    port = SandboxCluster(cluster)
    world = World(cluster=port, bus=server.connect(member), clock=server.clock, member=member)
    task = asyncio.create_task(Watcher(world, settings).run())
    try:
        yield port
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def told(server: MemoryServer, enough: Callable[[Bodies], bool]) -> Bodies:
    """Follow the log until the last records of all subjects are what is waited for."""
    bodies: Bodies = {}
    async with (
        asyncio.timeout(1000),
        server.connect("reader").log.follow(["ray.>"], FromSnapshot()) as tail,
    ):
        async for news in tail:
            match news:
                case Reset():
                    bodies = {}
                case Batch(messages=messages):
                    bodies.update((each.subject, decode(each).envelope.body) for each in messages)
            if enough(bodies):
                return bodies
    raise AssertionError("the log ended")


def listed(number: int, *kinds: str) -> Callable[[Bodies], bool]:
    """Wait until sessions of this number have listed the kinds."""

    def enough(bodies: Bodies) -> bool:
        marks = [bodies.get(sync(kind)) for kind in kinds or KINDS]
        return all(isinstance(mark, KindListed) and mark.number == number for mark in marks)

    return enough


def kinds_told(bodies: Bodies) -> dict[str, type[Body]]:
    return {subject: type(body) for subject, body in bodies.items() if ".obs." in subject}


async def end_of(server: MemoryServer) -> int:
    return (await server.connect("reader").log.end()).last
