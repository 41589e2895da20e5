"""A fleet of RayClusters in one namespace, driven over HTTP, and a look at it from outside.

`Fleet` is the user: it creates, scales and deletes, and remembers what it wants. `World` is an
observer that follows pods, services and RayClusters through watches of its own, keeps every
version it was told, and wakes whoever waits for something to hold.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Self, TypeAlias

import aiohttp
import msgspec

from sandbox.outside.connection import open_session, read_kubeconfig
from tests.support.processes import PATIENCE, Installation

Json: TypeAlias = dict[str, Any]

RAY = "/apis/ray.io/v1"
WATCHED = {"rayclusters": RAY, "pods": "/api/v1", "services": "/api/v1"}
GROUP = "small"
LINE_MOST = 1 << 22
UNLIMITED = aiohttp.ClientTimeout(total=None, sock_connect=PATIENCE)
SHOWN = ("type", "status", "reason", "message")


def manifest(name: str, workers: int) -> Json:
    """Return a RayCluster with a head and so many workers."""
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": name},
        "spec": {
            "rayVersion": "2.52.0",
            "headGroupSpec": {"rayStartParams": {}, "template": _template("ray-head")},
            "workerGroupSpecs": [
                {
                    "groupName": GROUP,
                    "replicas": workers,
                    "minReplicas": 0,
                    "maxReplicas": 10,
                    "rayStartParams": {},
                    "template": _template("ray-worker"),
                }
            ],
        },
    }


def _template(container: str) -> Json:
    return {"spec": {"containers": [{"name": container, "image": "rayproject/ray:2.52.0"}]}}


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """One version of an object, as the observer was told of it."""

    plural: str
    version: int
    gone: bool
    body: Json

    @property
    def uid(self) -> str:
        """The object's uid."""
        return str(self.body["metadata"]["uid"])

    @property
    def name(self) -> str:
        """The object's name."""
        return str(self.body["metadata"]["name"])

    @property
    def owner(self) -> str:
        """The uid of what owns it; empty without an owner."""
        owners = self.body["metadata"].get("ownerReferences", [])
        return str(owners[0]["uid"]) if owners else ""


class World:
    """Everything in one namespace: every version seen, and what is there now."""

    def __init__(self, session: aiohttp.ClientSession, namespace: str) -> None:
        self._session = session
        self._namespace = namespace
        self._news = asyncio.Event()
        self._listed = {plural: asyncio.Event() for plural in WATCHED}
        self.history: list[Seen] = []
        self.now: dict[str, dict[str, Seen]] = {plural: {} for plural in WATCHED}

    @asynccontextmanager
    async def following(self) -> AsyncIterator[Self]:
        """Follow while the block runs; what is there already is seen when it begins.

        Whoever acts in the block must not be quicker than the first lists: what came between would
        be in no watch.
        """
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._follow(plural)) for plural in WATCHED]
            for listed in self._listed.values():
                await listed.wait()
            yield self
            for task in tasks:
                task.cancel()

    async def until(
        self, holds: Callable[[Self], object], wish: str, within: float = PATIENCE
    ) -> float:
        """Wait until something holds; return how long that took, in seconds."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                while not holds(self):
                    self._news.clear()
                    await self._news.wait()
        assert holds(self), f"waited {within:.0f} s in vain until {wish}\n{self.told()}"
        return loop.time() - begun

    def told(self) -> str:
        """Say how everything stands, a line for each object."""
        return "\n".join(
            f"{plural} {seen.name} at {seen.version}: {_state(seen.body)}"
            for plural, objects in self.now.items()
            for seen in objects.values()
        )

    async def _follow(self, plural: str) -> None:
        path = f"{WATCHED[plural]}/namespaces/{self._namespace}/{plural}"
        async with self._session.get(path) as answer:
            assert answer.status == 200, await answer.text()
            listed = await answer.json()
        version = listed["metadata"]["resourceVersion"]
        for body in listed["items"] or ():
            self._take(plural, {"type": "ADDED", "object": body})
        self._listed[plural].set()
        while True:
            parameters = {"watch": "true", "resourceVersion": version}
            async with self._session.get(
                path, params=parameters, timeout=UNLIMITED, read_bufsize=LINE_MOST
            ) as answer:
                assert answer.status == 200, await answer.text()
                async for line in answer.content:
                    version = self._take(plural, json.loads(line)) or version

    def _take(self, plural: str, event: Json) -> str:
        assert event["type"] in {"ADDED", "MODIFIED", "DELETED"}, event
        body = event["object"]
        version: str = body["metadata"]["resourceVersion"]
        seen = Seen(plural=plural, version=int(version), gone=event["type"] == "DELETED", body=body)
        self.history.append(seen)
        if seen.gone:
            self.now[plural].pop(seen.name, None)
        else:
            self.now[plural][seen.name] = seen
        self._news.set()
        return version


class Fleet:
    """A user with many RayClusters; `wanted` says how many workers each living one should have."""

    def __init__(self, session: aiohttp.ClientSession, namespace: str) -> None:
        self._session = session
        self._path = f"{RAY}/namespaces/{namespace}/rayclusters"
        self.wanted: dict[str, int] = {}

    async def create(self, name: str, workers: int) -> None:
        """Create a RayCluster."""
        await self._ask("POST", self._path, json=manifest(name, workers))
        self.wanted[name] = workers

    async def scale(self, name: str, workers: int) -> None:
        """Change how many workers a RayCluster wants."""
        where = "/spec/workerGroupSpecs/0/replicas"
        patch = [{"op": "replace", "path": where, "value": workers}]
        await self._ask(
            "PATCH",
            f"{self._path}/{name}",
            data=json.dumps(patch),
            headers={"Content-Type": "application/json-patch+json"},
        )
        self.wanted[name] = workers

    async def delete(self, name: str) -> None:
        """Delete a RayCluster."""
        await self._ask("DELETE", f"{self._path}/{name}")
        del self.wanted[name]

    async def _ask(self, method: str, path: str, **more: Any) -> None:
        async with self._session.request(method, path, **more) as answer:
            assert answer.status < 300, await answer.text()


@asynccontextmanager
async def fleet_in(here: Installation) -> AsyncIterator[tuple[Fleet, World]]:
    """Yield the user of an installation's namespace and an observer of it."""
    async with (
        open_session(read_kubeconfig(here.kubeconfig)) as session,
        World(session, here.namespace).following() as world,
    ):
        yield Fleet(session, here.namespace), world


def is_settled(world: World, wanted: Mapping[str, int]) -> bool:
    """Whether every cluster has its head and workers, ready, a true status, and nothing else is."""
    clusters, pods, services = (world.now[plural] for plural in WATCHED)
    if clusters.keys() != wanted.keys() or len(pods) != sum(wanted.values()) + len(wanted):
        return False
    if len(services) != len(wanted) or not all(is_ready(pod.body) for pod in pods.values()):
        return False
    owned = [(pod.owner, role_of(pod.body)) for pod in pods.values()]
    return all(
        owned.count((cluster.uid, "head")) == 1
        and owned.count((cluster.uid, "worker")) == wanted[name]
        and told_of(cluster.body) == truth(cluster.body, wanted[name])
        for name, cluster in clusters.items()
    )


def is_empty(world: World) -> bool:
    """Whether nothing is left."""
    return not any(world.now.values())


def told_of(cluster: Json) -> Json:
    """Return what the status says that can be checked from outside."""
    status = cluster.get("status", {})
    conditions = {one["type"]: one["status"] for one in status.get("conditions", [])}
    return {
        "generation": status.get("observedGeneration"),
        "state": status.get("state"),
        "desired": status.get("desiredWorkerReplicas", 0),
        "available": status.get("availableWorkerReplicas", 0),
        "ready": status.get("readyWorkerReplicas", 0),
        "head": conditions.get("HeadPodReady"),
        "provisioned": conditions.get("RayClusterProvisioned"),
    }


def truth(cluster: Json, workers: int) -> Json:
    """Return what the status of a settled cluster must say."""
    return {
        "generation": cluster["metadata"]["generation"],
        "state": "ready",
        "desired": workers,
        "available": workers,
        "ready": workers,
        "head": "True",
        "provisioned": "True",
    }


def role_of(pod: Json) -> str:
    """Return head or worker."""
    return str(pod["metadata"]["labels"]["ray.io/node-type"])


def is_ready(pod: Json) -> bool:
    """Whether a pod is ready and stays."""
    conditions = pod.get("status", {}).get("conditions", [])
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
    return ready and "deletionTimestamp" not in pod["metadata"]


def _state(body: Json) -> str:
    """Return what an object says of itself that tells why something is waited for."""
    meta, status = body["metadata"], body.get("status", {})
    conditions = [
        {key: one[key] for key in SHOWN if one.get(key)} for one in status.get("conditions", [])
    ]
    told = {key: value for key, value in status.items() if isinstance(value, str | int)}
    going = {key: meta[key] for key in ("deletionTimestamp", "finalizers") if key in meta}
    return json.dumps({"generation": meta.get("generation"), **going, **told, "is": conditions})
