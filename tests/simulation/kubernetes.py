"""Kubernetes as one process reaches it: a network that is slow, breaks, and loses answers.

Between the process and the sandbox cluster stand two things. The `Door` is where requests arrive:
it may refuse them or lose their answers, and everybody who keeps watch sees them there. The
`Kubernetes` around it is the way: a call that was sent arrives even if its sender is dead by then,
but never later than the call deadline.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from random import Random
from typing import TypeVar, cast

from sandbox.cluster import Cluster
from sandbox.errors import AnswerLostError, ApiError
from sandbox.faults import Faults, LoseAnswer, Refuse, no_faults
from sandbox.requests import Answer, Request
from sandbox.watching import Subscription
from shared.ports.cluster import (
    ClusterUnavailable,
    ExpiredVersion,
    Found,
    Happening,
    Kind,
    Listing,
    Object,
)
from tests.simulation.loop import own_task
from tests.support.sandbox_cluster import SandboxCluster

T = TypeVar("T")
CALL_DEADLINE = 5.0
USUAL_DELAY = 0.01
NO_ROUTE_AFTER = 1.0
Listener = Callable[[str, Request, Answer | None], None]


class Door:
    """Where one process's requests arrive. `faults` decides their fate."""

    def __init__(self, cluster: Cluster, name: str, listener: Listener) -> None:
        self._cluster = cluster
        self._name = name
        self._listener = listener
        self.faults: Faults = no_faults

    def carry_out(self, request: Request) -> Answer:
        fault = self.faults(request)
        if isinstance(fault, Refuse):
            raise fault.error
        lost = AnswerLostError(f"the answer to {request.verb} {request.resource} was lost")
        self._listener(self._name, request, None)
        try:
            answer = self._cluster.carry_out(request)
        except ApiError as refusal:
            raise lost if isinstance(fault, LoseAnswer) else refusal from None
        self._listener(self._name, request, answer)
        if isinstance(fault, LoseAnswer):
            raise lost
        return answer

    def watch(self, request: Request) -> Subscription:
        fault = self.faults(request)
        if isinstance(fault, Refuse):
            raise fault.error
        return self._cluster.watch(request)


class Kubernetes:
    """The three ports of `shared.ports.cluster` for one process."""

    def __init__(self, door: Door, chance: Random) -> None:
        self.door = door
        self.lag = 0.0
        """How long watch events are on their way, in seconds."""
        self.late: dict[str, float] = {}
        """How much longer those of some kinds are, so that kinds overtake each other."""
        self.delay_max = USUAL_DELAY
        """How long a request or an answer may be on its way, in seconds."""
        self.expired = False
        """Whether the next watch is told that its past is lost."""
        self.stale: dict[str, Listing] = {}
        """What an API server that lags behind answers to lists, by kind."""
        self._listed: dict[str, Kind] = {}
        self.writing = asyncio.Event()
        """Set whenever a request is sent that changes something."""
        self._inner = SandboxCluster(cast("Cluster", door))
        self._chance = chance
        self._reachable = asyncio.Event()
        self._reachable.set()

    def mend(self) -> None:
        """Be a good network again."""
        self.door.faults = no_faults
        self.lag, self.delay_max, self.expired = 0.0, USUAL_DELAY, False
        self.late.clear()
        self.stale.clear()
        self._reachable.set()

    def cut(self) -> None:
        """Let nothing through."""
        self._reachable.clear()

    def end_watches(self, *, expired: bool = False) -> None:
        """End the open watches; `expired` ones cannot be resumed."""
        self.expired = expired
        self._inner.end_watches()

    async def lag_behind(self) -> None:
        """Let lists show, until this is mended, what is there now."""
        for name, kind in self._listed.items():
            with suppress(ClusterUnavailable):
                self.stale[name] = await self._inner.list(kind)

    async def list(self, kind: Kind) -> Listing:
        async def listed() -> Listing:
            return self.stale.get(kind.name) or await self._inner.list(kind)

        answer = await self._call(listed)
        self._listed[kind.name] = kind
        return answer

    async def look(self, kind: Kind, namespace: str, *, name: str, selector: str) -> Listing:
        return await self._call(
            lambda: self._inner.look(kind, namespace, name=name, selector=selector)
        )

    async def find(self, kind: Kind, namespace: str, name: str) -> Found:
        return await self._call(lambda: self._inner.find(kind, namespace, name))

    async def find_all(
        self, kind: Kind, namespace: str, labels: Mapping[str, str]
    ) -> AsyncIterator[Object]:
        async def found() -> tuple[Object, ...]:
            return tuple([one async for one in self._inner.find_all(kind, namespace, labels)])

        for one in await self._call(found):
            yield one

    async def create(self, kind: Kind, namespace: str, manifest: Object) -> Object:
        self.writing.set()
        return await self._call(lambda: self._inner.create(kind, namespace, manifest))

    async def delete(
        self,
        kind: Kind,
        namespace: str,
        name: str,
        *,
        uid: str,
        resource_version: int | None = None,
    ) -> Object | None:
        return await self._call(
            lambda: self._inner.delete(
                kind, namespace, name, uid=uid, resource_version=resource_version
            )
        )

    async def patch(self, kind: Kind, namespace: str, name: str, patch: Object) -> Object:
        self.writing.set()
        return await self._call(lambda: self._inner.patch(kind, namespace, name, patch))

    async def write_status(self, kind: Kind, namespace: str, name: str, patch: Object) -> Object:
        self.writing.set()
        return await self._call(lambda: self._inner.write_status(kind, namespace, name, patch))

    def watch(
        self, kind: Kind, resource_version: int
    ) -> AbstractAsyncContextManager[AsyncIterator[tuple[Happening, ...]]]:
        return self._watch(kind, resource_version)

    @asynccontextmanager
    async def _watch(
        self, kind: Kind, resource_version: int
    ) -> AsyncIterator[AsyncIterator[tuple[Happening, ...]]]:
        await self._reachable.wait()
        if self.expired:
            self.expired = False
            raise ExpiredVersion("too old resource version")
        async with self._inner.watch(kind, resource_version) as batches:
            yield self._lagging(kind.name, batches)

    async def _lagging(
        self, kind: str, batches: AsyncIterator[tuple[Happening, ...]]
    ) -> AsyncIterator[tuple[Happening, ...]]:
        async for batch in batches:
            lag = self.lag + self.late.get(kind, 0.0)
            if lag:
                await asyncio.sleep(lag)
            await self._reachable.wait()
            yield batch

    async def _call(self, work: Callable[[], Awaitable[T]]) -> T:
        if not self._reachable.is_set():
            await asyncio.sleep(NO_ROUTE_AFTER)
            raise ClusterUnavailable("no route to the API server")
        there, back = (self._chance.uniform(0.0005, self.delay_max) for _ in range(2))
        landing = own_task("", _land(work, min(there, CALL_DEADLINE * 0.9), back), "call")
        landing.add_done_callback(_look_at)
        try:
            async with asyncio.timeout(CALL_DEADLINE):
                return await asyncio.shield(landing)
        except TimeoutError as late:
            raise ClusterUnavailable("no answer within the call deadline") from late


async def _land(work: Callable[[], Awaitable[T]], there: float, back: float) -> T:
    await asyncio.sleep(there)
    answer = await work()
    await asyncio.sleep(back)
    return answer


def _look_at(landing: asyncio.Task[T]) -> None:
    """Take note of the outcome, so that nobody complains if its sender is dead."""
    if not landing.cancelled():
        landing.exception()
