"""A cluster, a bus, a watcher, and status services between them, for tests."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from sandbox.cluster import Cluster
from sandbox.objects import Object as Stored
from services.status.service import USUAL, Status, StatusSettings
from shared.aggregates.view import View, view
from shared.bus.memory import MemoryServer
from shared.events.codec import decode
from shared.events.envelope import Record
from shared.events.records import StatusWritten
from shared.events.subjects import PARTITIONS, everything_of
from shared.kernel.manifests import mapping_at, text_at
from shared.ports.cluster import Kind, Object
from shared.ports.event_log import FromSequence
from tests.support.sandbox_cluster import SandboxCluster
from tests.unit.services.watcher.watched import DEMO, child, new_cluster, resource, watching

Hook = Callable[[], Awaitable[None]]


async def nothing() -> None:
    """Do nothing."""


class Writer:
    """The sandbox as the status service reaches it; counts, and lets things happen around calls."""

    def __init__(self, cluster: Cluster) -> None:
        self._inner = SandboxCluster(cluster)
        self.asked = 0
        self.done = 0
        self.before: Hook = nothing
        self.after: Hook = nothing

    async def write_status(self, kind: Kind, namespace: str, name: str, patch: Object) -> Object:
        self.asked += 1
        before, self.before = self.before, nothing
        await before()
        stored = await self._inner.write_status(kind, namespace, name, patch)
        self.done += 1
        after, self.after = self.after, nothing
        await after()
        return stored


class Place:
    """One installation without reconciler and executor: what is there is put there by the test."""

    def __init__(self, **spec: object) -> None:
        self.cluster = new_cluster()
        self.server = MemoryServer()
        wanted = resource()
        wanted["spec"] = {**wanted["spec"], **spec}
        self.owner = self.cluster.create("rayclusters", wanted)

    def add_head(self) -> None:
        """A head pod comes."""
        labels = {
            "ray.io/cluster": DEMO.name,
            "ray.io/node-type": "head",
            "ray.io/group": "headgroup",
        }
        pod = child("demo-head", self.owner, labels)
        pod["spec"] = {"containers": [{"name": "ray-head", "image": "ray"}]}
        self.cluster.create("pods", pod)

    def make_head_ready(self) -> None:
        """The head runs and is ready."""
        status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        self.cluster.patch(
            "pods", DEMO.namespace, "demo-head", {"status": status}, subresource="status"
        )

    def touch(self, how: str = "yes") -> None:
        """Somebody changes the resource."""
        labels = {"metadata": {"labels": {"touched": how}}}
        self.cluster.patch("rayclusters", DEMO.namespace, DEMO.name, labels)

    def stored(self) -> Stored:
        """Return the resource as it stands in Kubernetes."""
        return self.cluster.get("rayclusters", DEMO.namespace, DEMO.name)

    def version(self) -> int:
        """Return its resourceVersion."""
        return int(text_at(self.stored(), "metadata", "resourceVersion"))

    def state(self) -> str:
        """Return the state its status tells."""
        return text_at(self.stored(), "status", "state")

    async def records(self) -> list[Record]:
        """Return everything the log holds of the resource."""
        log = self.server.connect("reader").log
        found = log.read((everything_of(DEMO),), FromSequence(1))
        return [decode(message) async for message in found]

    async def statuses(self) -> list[StatusWritten]:
        """Return what the log holds of written statuses."""
        bodies = [record.envelope.body for record in await self.records()]
        return [body for body in bodies if isinstance(body, StatusWritten)]

    async def view(self, at: int | None = None) -> View:
        """Fold the log up to a sequence."""
        records = [each for each in await self.records() if at is None or each.sequence <= at]
        return view(DEMO, records)

    def status(self) -> dict[str, object]:
        """Return the status in Kubernetes."""
        return dict(mapping_at(self.stored(), "status"))


@asynccontextmanager
async def everything() -> AsyncIterator[AsyncIterator[frozenset[int]]]:
    """Own all partitions, whoever else does."""

    async def owned() -> AsyncIterator[frozenset[int]]:
        yield frozenset(range(PARTITIONS))
        await asyncio.Event().wait()

    yield owned()


@asynccontextmanager
async def telling(
    place: Place,
    writer: Writer | None = None,
    member: str = "status-0",
    wishes: StatusSettings = USUAL,
) -> AsyncIterator[Status]:
    """Run one status service for as long as the block lasts."""
    bus = place.server.connect(member)
    port = writer or Writer(place.cluster)
    service = Status(bus, port, place.server.clock, everything, "test", wishes=wishes)
    task = asyncio.create_task(service.run())
    try:
        yield service
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def served(place: Place, *writers: Writer) -> AsyncIterator[None]:
    """Run a watcher, and a status service for each writer."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(watching(place.cluster, place.server))
        for number, writer in enumerate(writers):
            await stack.enter_async_context(telling(place, writer, f"status-{number}"))
        yield


async def settle(seconds: float = 30) -> None:
    """Let virtual time pass."""
    await asyncio.sleep(seconds)
