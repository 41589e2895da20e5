"""A log, a cluster and executors between them, for tests."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import count

from msgspec.structs import replace

from sandbox.cluster import Cluster
from sandbox.errors import ApiError
from sandbox.faults import LOSE_ANSWER, Fault, Refuse
from sandbox.objects import Object
from sandbox.requests import Request, Verb
from services.executor.finding import Job
from services.executor.service import USUAL, Executor, ExecutorSettings
from shared.actions.objects import Action, DeleteObject
from shared.actions.outcomes import Outcome
from shared.bus.memory import MemoryBus, MemoryServer
from shared.events import subjects
from shared.events.codec import decode, encode
from shared.events.decisions import Answered, Decided
from shared.events.envelope import SCHEMA, Body, Envelope
from shared.ports.cluster import Kind
from shared.ports.cluster import Object as Manifest
from shared.ports.event_log import Appended, Batch, Entry, FromSnapshot
from tests.support.builders import KEY, NOON, UID, act, deletion, resource
from tests.support.sandbox_cluster import SandboxCluster

MANIFEST: dict[str, object] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "labels": {"ray.io/node-type": "worker"},
        "ownerReferences": [
            {
                "apiVersion": "ray.io/v1",
                "kind": "RayCluster",
                "name": KEY.name,
                "uid": UID,
                "controller": True,
            }
        ],
    },
    "spec": {"containers": [{"name": "ray", "image": "ray"}]},
}
QUOTA = Refuse(error=ApiError.forbidden("pods", "w1", "exceeded quota: pods=4"))
LOST = LOSE_ANSWER


def asking(*actions: Action, id_: str = "act-1") -> Decided:
    """An act with the manifests that builders' creations name."""
    manifests = dict.fromkeys(("worker/small", "worker/headgroup", "service"), MANIFEST)
    return replace(act(*actions, id_=id_), manifests=manifests)


def job_of(*actions: Action) -> Job:
    return Job(key=KEY, uid=UID, act=asking(*actions))


def deletion_of(stored: Object, *, version: int | None = None) -> DeleteObject:
    meta = stored["metadata"]
    return replace(deletion(meta["name"], version=version), uid=meta["uid"])


def version_of(stored: Object) -> int:
    return int(stored["metadata"]["resourceVersion"])


class SlowCluster(SandboxCluster):
    """An API server that takes its time to create something."""

    seconds = 0.0

    async def create(self, kind: Kind, namespace: str, manifest: Manifest) -> Manifest:
        await asyncio.sleep(self.seconds)
        return await super().create(kind, namespace, manifest)


class World:
    """One server, one cluster."""

    def __init__(self) -> None:
        self.server = MemoryServer()
        self.bus = self.server.connect("test")
        self.cluster = Cluster(lambda: NOON)
        self.cluster.create("namespaces", {"metadata": {"name": KEY.namespace}})
        self.port = SlowCluster(self.cluster)
        self.requests: list[Request] = []
        self._faults: dict[Verb, list[Fault | None]] = {}
        self._numbers = count(1)
        self.cluster.faults = self._fate

    def meets(self, verb: Verb, *faults: Fault | None) -> None:
        """Let the next requests of this verb meet these faults, one after the other."""
        self._faults.setdefault(verb, []).extend(faults)

    @staticmethod
    def unavailable(times: int) -> tuple[Fault, ...]:
        """So many refusals that tell nothing."""
        return (Refuse(error=ApiError.internal("down")),) * times

    def _fate(self, request: Request) -> Fault | None:
        self.requests.append(request)
        waiting = self._faults.get(request.verb)
        return waiting.pop(0) if waiting else None

    def calls(self, verb: Verb, resource: str = "pods") -> list[str]:
        """Names of the objects that the executor asked to create or delete, in order."""
        asked = [one for one in self.requests if (one.verb, one.resource) == (verb, resource)]
        return [one.name or one.body["metadata"]["name"] for one in asked]

    def pod(self, name: str, *, owner: str = UID, finalizers: tuple[str, ...] = ()) -> Object:
        """Put a pod into the cluster, unnoticed."""
        faults, self.cluster.faults = self.cluster.faults, lambda _: None
        reference = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "name": KEY.name}
        metadata = {
            "name": name,
            "namespace": KEY.namespace,
            "finalizers": list(finalizers),
            "ownerReferences": [{**reference, "uid": owner, "controller": True}],
        }
        stored = self.cluster.create("pods", {"metadata": metadata, "spec": MANIFEST["spec"]})
        self.cluster.faults = faults
        return stored

    def names(self, resource: str = "pods") -> list[str]:
        return [one["metadata"]["name"] for one in self.cluster.list(resource, KEY.namespace).items]

    async def write(self, subject: str, body: Body, *, uid: str = UID) -> int:
        """Append a record to the log; return its sequence."""
        identity = f"record-{next(self._numbers)}"
        envelope = Envelope(
            schema=SCHEMA, id=identity, body=body, code="test", written_at=NOON, key=KEY, uid=uid
        )
        entry = Entry(subject=subject, id=identity, data=encode(envelope))
        answer = await self.bus.log.append(entry)
        assert isinstance(answer, Appended)
        return answer.sequence

    async def ask(self, *actions: Action, id_: str = "act-1", deleting: bool = False) -> Decided:
        """Have an act decided for a resource that has been seen."""
        if await self.bus.log.last(subjects.own(KEY)) is None:
            await self.write(subjects.own(KEY), resource())
        decided = asking(*actions, id_=id_)
        decided = replace(decided, seen=replace(decided.seen, deleting=deleting))
        await self.write(subjects.act(KEY), decided)
        return decided

    async def outcomes(self, id_: str = "act-1") -> tuple[Outcome, ...]:
        """Wait for the answer to an act."""
        async with (
            asyncio.timeout(1000),
            self.server.connect("reader").log.follow((subjects.res(KEY),), FromSnapshot()) as tail,
        ):
            async for news in tail:
                for message in news.messages if isinstance(news, Batch) else ():
                    body = decode(message).envelope.body
                    if isinstance(body, Answered) and body.act == id_:
                        return body.outcomes
        raise AssertionError("the log ended")

    async def answers(self) -> int:
        """How many answers were ever written."""
        read = self.bus.log.read((subjects.res(KEY),), FromSnapshot())
        return len([message async for message in read])

    @asynccontextmanager
    async def executing(
        self,
        bus: MemoryBus | None = None,
        port: SandboxCluster | None = None,
        wishes: ExecutorSettings = USUAL,
    ) -> AsyncIterator[Executor]:
        """Run an executor for as long as the block lasts."""
        ours = bus or self.server.connect("executor")
        executor = Executor(ours, port or self.port, self.server.clock, "test", wishes=wishes)
        task = asyncio.create_task(executor.run())
        try:
            yield executor
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def until(true: Callable[[], bool], *, within: float = 1000) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(within):
        while not true():  # noqa: ASYNC110 - what is waited for does not call back
            await asyncio.sleep(0.01)
