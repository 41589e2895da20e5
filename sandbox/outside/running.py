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

from sandbox.containerlogs import ContainerLogs
from sandbox.controllers.concerns import Controller, Task
from sandbox.controllers.driver import Driver, Wish
from sandbox.controllers.index import PODS, place_of
from sandbox.controllers.scenario import Scenario
from sandbox.controllers.world import (
    Change,
    CreateObject,
    PutObject,
    PutStatus,
    RemoveObject,
    Steps,
)
from sandbox.dashboard.door import Door
from sandbox.dashboard.fleet import Fleet
from sandbox.dashboard.network import Network
from sandbox.dashboard.submitters import Submitters
from sandbox.objects import Object, metadata
from sandbox.outside.calls import Call, call_for
from sandbox.outside.certificate import NoCertificateError
from sandbox.outside.connection import Access, open_session
from sandbox.outside.door import KubeletDoor
from sandbox.outside.mirror import BROKEN, Mirror
from sandbox.outside.nameplate import is_free, plate, put_up

log = logging.getLogger(__name__)

AT_ONCE = 16
GATHER_FOR = 0.005
AGAIN_AFTER = timedelta(seconds=1)
TEND_EVERY = 2.0
REFUSED = 400
SERVERS_FAULT = 500
OURS: frozenset[Controller] = frozenset(("nodes", "kubelet", "submitters"))


class Outside:
    """Kubelet, scheduler, nodes and a scripted Ray over one connection."""

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
        self._driver = Driver(self._submit, tells=True, only=OURS)
        self._fleet = Fleet(self._driver.index, self._driver.look_at)
        self._submitters = Submitters(self._fleet)
        self._mirror = Mirror(session, _paths(namespace), self._note)
        self._slots = asyncio.Semaphore(AT_ONCE)
        network = Network(self._fleet, clock, lambda: scenario.ray, self._news.set)
        self.door = Door(network, self._driver.index)
        self.kubelet_door = KubeletDoor(
            ContainerLogs(self._find_pod, self._fleet, clock, lambda: scenario)
        )

    def _find_pod(self, namespace: str, name: str) -> Object | None:
        return self._driver.index.get((PODS, namespace, name))

    async def run(self) -> None:
        """Look after nodes and pods until the session is closed."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._mirror.follow(), name="mirror")
            group.create_task(self._control(), name="controllers outside")
            group.create_task(self._tend_plates(), name="name plates")

    async def _control(self) -> None:
        await self._mirror.wait_listed()
        await self._make_first_node()
        while not self._session.closed:
            self._news.clear()
            self._driver.begin()
            wishes = self._driver.wishes(self._clock(), self._scenario)
            carried = await asyncio.gather(*(self._attempt(each) for each in wishes))
            again = None if all(carried) else self._clock() + AGAIN_AFTER
            await self._pause(_nearest((self._driver.next_at, again)))
            await asyncio.sleep(GATHER_FOR)

    async def _make_first_node(self) -> None:
        """Make the default node where there is none: pods of a missing node are swept away."""
        if not tuple(self._driver.index.objects("nodes")):
            name = {"name": self._scenario.default_node}
            node: Object = {"apiVersion": "v1", "kind": "Node", "metadata": name}
            if self.kubelet_door.port:
                node["status"] = plate(self.kubelet_door.port)
            await self._attempt(_wish(CreateObject(plural="nodes", object=node)))

    async def _tend_plates(self) -> None:
        """Keep our door named on the nodes that name nobody else's, while it is open."""
        await self._mirror.wait_listed()
        while (port := self.kubelet_door.port) and not self._session.closed:
            for node in tuple(self._driver.index.objects("nodes")):
                if await is_free(node, port):
                    await self._attempt(_wish(put_up(node, port)))
            await asyncio.sleep(TEND_EVERY)

    def _note(self, plural: str, after: Object | None, before: Object | None) -> None:
        self._driver.note(plural, after, before)
        some = after if after is not None else before
        if plural == PODS and some is not None:
            self._fleet.noted(some, gone=after is None)
        self._news.set()

    def _submit(self, pod: Object, now: datetime, scenario: Scenario) -> Steps:
        return self._submitters.look(pod, now, scenario)

    async def _pause(self, until: datetime | None) -> None:
        seconds = None
        if until is not None:
            seconds = max((until - self._clock()).total_seconds(), 0.001)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()

    async def _attempt(self, wish: Wish) -> bool:
        """Make the call; tell whether the server had its say."""
        call = call_for(wish.change, self._mirror.find_uid(uid_of(wish.change)))
        if call is None:
            return True
        try:
            async with self._slots:
                status = await self._status_of(call)
        except BROKEN as error:
            log.warning("call failed", extra={"action": call.path, "error": str(error)})
            status = SERVERS_FAULT
        if status >= REFUSED:
            self._driver.refuse(wish.task)
        return status < SERVERS_FAULT

    async def _status_of(self, call: Call) -> int:
        if self._session.closed:
            return SERVERS_FAULT
        headers = {"Content-Type": call.content_type}
        async with self._session.request(
            call.method, call.path, json=call.body, headers=headers
        ) as answer:
            return answer.status


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
    async with opened_outside(access, clock, scenario, namespace=namespace) as (task, _):
        yield task


@contextlib.asynccontextmanager
async def opened_outside(
    access: Access,
    clock: Callable[[], datetime],
    scenario: Scenario | None = None,
    *,
    namespace: str = "",
) -> AsyncIterator[tuple[asyncio.Task[None], Door]]:
    """Look after a cluster for a while, and open the door to the network of its pods."""
    session = open_session(access)
    outside = Outside(session, scenario or Scenario(), clock, namespace)
    await outside.door.open()
    try:
        await outside.kubelet_door.open(access.authority)
    except NoCertificateError as problem:
        log.warning("nobody can ask for logs", extra={"because": str(problem)})
    task = asyncio.create_task(outside.run(), name="outside")
    try:
        yield task, outside.door
    finally:
        await outside.kubelet_door.close()
        await outside.door.close()
        await session.close()  # first: it waits for connections in use, but not for cancelled ones
        task.cancel()
        await asyncio.wait([task])


def _paths(namespace: str) -> Mapping[str, str]:
    place = f"/api/v1/namespaces/{namespace}" if namespace else "/api/v1"
    here = {plural: f"{place}/{plural}" for plural in ("pods", "services", "secrets")}
    return {"nodes": "/api/v1/nodes", **here}


def _wish(change: CreateObject | PutStatus) -> Wish:
    return Wish(task=Task("nodes", place_of(change.plural, change.object)), change=change)


def _nearest(moments: Sequence[datetime | None]) -> datetime | None:
    return min((moment for moment in moments if moment is not None), default=None)
