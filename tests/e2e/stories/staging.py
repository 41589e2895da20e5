"""One story of one RayCluster: its user, what an observer saw, and what must hold afterwards.

A story is told in the namespace of an installation that all stories share, one after the other.
Beside the cluster stand a pod and a service of somebody else that look like the cluster's own; they
must be as they were when the story ends. When it is over nothing of it is left, no law was broken
(`tests/e2e/laws.py`), and every decision is made again the same.
"""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import aiohttp

from sandbox.outside.connection import open_session, read_kubeconfig
from shared.kernel.keys import ResourceKey
from shared.resources.labels import CLUSTER
from tests.e2e.laws import broken_laws
from tests.e2e.story import closed_books, replay_problems
from tests.support.fleet import RAY, Json, Seen, World, is_ready, role_of, told_of, truth
from tests.support.processes import PATIENCE, Installation

STRANGER = "stranger"
JSON_PATCH = {"Content-Type": "application/json-patch+json"}


class Stage:
    """The cluster of one story, as its user and an observer see it."""

    def __init__(
        self, session: aiohttp.ClientSession, here: Installation, world: World, name: str
    ) -> None:
        self.here = here
        self.world = world
        self.name = name
        self._session = session

    @property
    def cluster(self) -> Json:
        """The cluster as it was seen last; empty if it is not there."""
        seen = self.world.now["rayclusters"].get(self.name)
        return seen.body if seen else {}

    def pods(self, role: str = "") -> list[Seen]:
        """Return the cluster's own pods that are there, by name."""
        uid = self.cluster.get("metadata", {}).get("uid")
        pods = sorted(self.world.now["pods"].values(), key=lambda pod: pod.name)
        owned = [pod for pod in pods if pod.owner == uid]
        return [pod for pod in owned if not role or role_of(pod.body) == role]

    def uids(self, role: str = "") -> set[str]:
        """Return the uids of the cluster's own pods."""
        return {pod.uid for pod in self.pods(role)}

    async def create(self, manifest: Json) -> None:
        """Create the cluster."""
        await self.ask("POST", f"{RAY}/{self._place('rayclusters')}", manifest)

    async def change(self, *operations: tuple[str, str, object]) -> None:
        """Patch the cluster: operation, path, value."""
        patch = [{"op": op, "path": path, "value": value} for op, path, value in operations]
        path = f"{RAY}/{self._place('rayclusters')}/{self.name}"
        await self.ask("PATCH", path, patch, JSON_PATCH)

    async def delete(self) -> None:
        """Delete the cluster."""
        await self.ask("DELETE", f"{RAY}/{self._place('rayclusters')}/{self.name}")

    async def delete_pod(self, pod: Seen) -> None:
        """Delete a pod, as a node that is drained would."""
        await self.ask("DELETE", f"/api/v1/{self._place('pods')}/{pod.name}")

    async def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Json:
        """Make a call that must succeed; return the answer."""
        data = None if body is None else json.dumps(body)
        told = headers or {"Content-Type": "application/json"}
        async with self._session.request(method, path, data=data, headers=told) as answer:
            assert answer.status < 300, f"{method} {path}: {await answer.text()}"
            found: Json = await answer.json()
            return found

    async def items(self, api: str, plural: str) -> list[Json]:
        """Return the objects of a kind in our namespace."""
        listed = await self.ask("GET", f"{api}/{self._place(plural)}")
        items: list[Json] = listed["items"] or []
        return items

    async def until(self, holds: Callable[[], object], wish: str) -> None:
        """Wait until something holds that the observer sees."""
        await self.world.until(lambda _: holds(), wish)

    async def settled(self, workers: int) -> None:
        """Wait until the cluster has its head and so many workers, ready, and says so."""
        await self.until(lambda: self.is_settled(workers), f"{self.name} has {workers} workers")

    def is_settled(self, workers: int) -> bool:
        """Whether the cluster has its head and so many workers, ready, and says so."""
        pods = self.pods()
        counts = (len(self.pods("head")), len(self.pods("worker")))
        whole = counts == (1, workers) and all(is_ready(pod.body) for pod in pods)
        return whole and told_of(self.cluster) == truth(self.cluster, workers)

    async def gone(self) -> None:
        """Wait until nothing of the cluster is left."""
        await self.until(self._is_gone, f"nothing of {self.name} is left")

    def _is_gone(self) -> bool:
        left = [seen for kind in ("pods", "services") for seen in self.world.now[kind].values()]
        return not self.cluster and all(seen.name == STRANGER for seen in left)

    async def bring_strangers(self) -> None:
        """Put a pod and a service of somebody else beside the cluster."""
        metadata = {"name": STRANGER, "labels": {CLUSTER: self.name, "ray.io/group": "small"}}
        container = {"name": "ray", "image": "somebody/else:1"}
        for plural, kind, spec in (
            ("pods", "Pod", {"containers": [container]}),
            ("services", "Service", {"ports": [{"port": 1}]}),
        ):
            body = {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec}
            await self.ask("POST", f"/api/v1/{self._place(plural)}", body)
        await self.until(self._strangers_stand, "the strangers are there")

    async def send_strangers_away(self) -> None:
        """Let the next story begin with an empty namespace."""
        for plural in ("pods", "services"):
            await self.ask("DELETE", f"/api/v1/{self._place(plural)}/{STRANGER}")
        await self.until(lambda: not any(self.world.now.values()), "the namespace is empty")

    def _strangers_stand(self) -> bool:
        pod = self.world.now["pods"].get(STRANGER)
        return pod is not None and is_ready(pod.body) and STRANGER in self.world.now["services"]

    def _place(self, plural: str) -> str:
        return f"namespaces/{self.here.namespace}/{plural}"


@asynccontextmanager
async def told(here: Installation, name: str) -> AsyncIterator[Stage]:
    """Tell the story of a cluster; it must be deleted when the block ends, and all of it gone."""
    async with (
        open_session(read_kubeconfig(here.kubeconfig)) as session,
        World(session, here.namespace).following() as world,
    ):
        stage = Stage(session, here, world, name)
        await stage.bring_strangers()
        yield stage
        await stage.gone()
        history = tuple(world.history)
        await stage.send_strangers_away()
    key = ResourceKey("raycluster", here.namespace, name)
    records = [
        record
        for record in await closed_books(here, here.namespace, PATIENCE)
        if record.envelope.key in (None, key)
    ]
    assert broken_laws(history, records, lossy=True) == []
    assert replay_problems(tuple(records)) == []


def times_made(history: Sequence[Seen], plural: str) -> list[str]:
    """Return the names of everything of a kind that was ever there, once for each uid."""
    made = {seen.uid: seen.name for seen in history if seen.plural == plural}
    return sorted(name for name in made.values() if name != STRANGER)
