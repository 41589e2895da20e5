"""The loop of the controllers outside: look, step, call.

A call that is refused is dropped: the object has moved on, the watch will tell, and the next step
asks again. One that could not be made at all is asked for again after a while. Nothing is
remembered but what is stored in the cluster, so it may be stopped and started at any time.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import assert_never

import aiohttp

from sandbox.controllers import kubelet, nodes
from sandbox.controllers.scenario import Scenario
from sandbox.controllers.world import (
    Change,
    CreateObject,
    PutObject,
    PutStatus,
    RemoveObject,
    Steps,
    World,
    joined,
)
from sandbox.objects import Object, metadata
from sandbox.outside.calls import Call, call_for
from sandbox.outside.connection import Access, open_session
from sandbox.outside.mirror import BROKEN, Mirror

log = logging.getLogger(__name__)

AT_ONCE = 16
GATHER_FOR = 0.005
AGAIN_AFTER = timedelta(seconds=1)
SERVERS_FAULT = 500


class Outside:
    """Kubelet, scheduler and nodes over one connection."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        scenario: Scenario,
        clock: Callable[[], datetime],
        namespace: str = "",
    ) -> None:
        self._session = session
        self._scenario = scenario
        self._clock = clock
        self._news = asyncio.Event()
        self._mirror = Mirror(session, _paths(namespace), self._news.set)
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def run(self) -> None:
        """Look after nodes and pods until the session is closed."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._mirror.follow(), name="mirror")
            group.create_task(self._control(), name="controllers outside")

    async def _control(self) -> None:
        await self._mirror.wait_listed()
        while not self._session.closed:
            self._news.clear()
            steps = step(self._mirror, self._clock(), self._scenario)
            carried = await asyncio.gather(*(self._attempt(each) for each in steps.changes))
            again = None if all(carried) else self._clock() + AGAIN_AFTER
            await self._pause(_nearest((steps.next_at, again)))
            await asyncio.sleep(GATHER_FOR)

    async def _pause(self, until: datetime | None) -> None:
        seconds = None
        if until is not None:
            seconds = max((until - self._clock()).total_seconds(), 0.001)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()

    async def _attempt(self, change: Change) -> bool:
        """Make the call; tell whether the server had its say."""
        call = call_for(change, self._mirror.find_uid(uid_of(change)))
        if call is None:
            return True
        try:
            async with self._slots:
                return await self._status_of(call) < SERVERS_FAULT
        except BROKEN as error:
            log.warning("call failed", extra={"action": call.path, "error": str(error)})
            return False

    async def _status_of(self, call: Call) -> int:
        if self._session.closed:
            return SERVERS_FAULT
        headers = {"Content-Type": call.content_type}
        async with self._session.request(
            call.method, call.path, json=call.body, headers=headers
        ) as answer:
            return answer.status


def step(world: World, now: datetime, scenario: Scenario) -> Steps:
    """Ask the controllers that have no counterpart in a control plane without nodes."""
    return joined(
        (
            _first_node(world, scenario),
            nodes.step(world, now, scenario),
            kubelet.step(world, now, scenario),
        )
    )


def uid_of(change: Change) -> str:
    """Return the uid of the object that a change is about."""
    match change:
        case RemoveObject(uid=uid):
            return uid
        case CreateObject(object=obj) | PutObject(object=obj) | PutStatus(object=obj):
            return str(metadata(obj).get("uid", ""))
        case _:
            assert_never(change)


@contextlib.asynccontextmanager
async def running_outside(
    access: Access,
    clock: Callable[[], datetime],
    scenario: Scenario | None = None,
    *,
    namespace: str = "",
) -> AsyncIterator[asyncio.Task[None]]:
    """Look after the nodes of a cluster, and its pods or those of one namespace, for a while."""
    session = open_session(access)
    outside = Outside(session, scenario or Scenario(), clock, namespace)
    task = asyncio.create_task(outside.run(), name="outside")
    try:
        yield task
    finally:
        await session.close()  # first: it waits for connections in use, but not for cancelled ones
        task.cancel()
        await asyncio.wait([task])


def _paths(namespace: str) -> Mapping[str, str]:
    pods = f"/api/v1/namespaces/{namespace}/pods" if namespace else "/api/v1/pods"
    return {"nodes": "/api/v1/nodes", "pods": pods}


def _first_node(world: World, scenario: Scenario) -> Steps:
    """Make the default node where there is none: pods of a missing node are swept away."""
    if any(True for _ in world.objects("nodes")):
        return Steps()
    node: Object = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": scenario.default_node},
    }
    return Steps(changes=(CreateObject(plural="nodes", object=node),))


def _nearest(moments: Sequence[datetime | None]) -> datetime | None:
    return min((moment for moment in moments if moment is not None), default=None)
