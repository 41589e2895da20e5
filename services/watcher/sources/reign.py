"""Compete for a kind's lease for ever; whoever has it begins a session.

A session is numbered one above the last that has listed. When the log may have lost something (the
connection was renewed, the log is another or shorter, or knows no session at all), the session
waits until every call begun before has ended: what such a call made must be in the list.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

from services.watcher import metrics
from services.watcher.publishing import Publisher, SessionOverError, Style
from services.watcher.sources.guard import Guard
from services.watcher.sources.marks import NO_MARK, Mark, last_mark, token
from services.watcher.sources.pauses import Pauses
from services.watcher.sources.session import Session, WatcherSettings, World
from shared.bus.tenancy import Held, Tenant
from shared.ports.cluster import Kind
from shared.ports.event_log import BusUnavailable, LogEnd
from shared.runtime.ending import apart

STEADY_AFTER = timedelta(seconds=10)

log = logging.getLogger(__name__)


class Reign:
    """All sessions of this process over one kind."""

    def __init__(
        self, kind: Kind, world: World, settings: WatcherSettings, *, tenant: Tenant, guard: Guard
    ) -> None:
        self._kind = kind
        self._tenant = tenant
        self._guard = guard
        self._world = world
        self._settings = settings
        self._pauses = Pauses(world.chance)
        self._generation = 0
        self._end: LogEnd | None = None

    async def run(self) -> None:
        """Hold sessions until cancelled."""
        while True:
            begun = asyncio.get_running_loop().time()
            over: BaseExceptionGroup[Exception] | None = None
            try:
                await apart(self._reign())
            except* (SessionOverError, BusUnavailable) as ended:
                over = ended
            if over is not None:
                because = "; ".join(str(each) for each in over.exceptions)
                log.warning("session is over", extra={"kind": self._kind.name, "because": because})
                if asyncio.get_running_loop().time() - begun > STEADY_AFTER.total_seconds():
                    self._pauses.reset()
                await self._pause()

    async def _pause(self) -> None:
        """Wait after a failure; a renewed connection ends the wait, for it may end the failures."""
        generation = self._world.bus.generation
        await _first_of(self._pauses.after(), self._world.bus.reconnected(generation))
        if generation != self._world.bus.generation:
            self._pauses.reset()

    async def _reign(self) -> None:
        generation = self._world.bus.generation
        if self._end is None:
            self._generation, self._end = generation, await self._world.bus.log.end()
        mark = await last_mark(self._world.bus.log, self._kind.name)
        session = token(mark.number + 1, self._world.member)
        async with self._tenant.hold(self._kind.name, session) as held:
            now = await last_mark(self._world.bus.log, self._kind.name)
            if now.number > mark.number or generation != self._world.bus.generation:
                return
            await self._let_calls_end(mark, generation)
            await self._hold_session(mark.number + 1, session, generation, held)

    async def _let_calls_end(self, mark: Mark, generation: int) -> None:
        end = await self._world.bus.log.end()
        broke = mark is NO_MARK or self._has_lost(end, generation)
        self._generation, self._end = generation, end
        if broke:
            log.info("waiting for calls begun before a break", extra={"kind": self._kind.name})
            await asyncio.sleep(self._settings.call_deadline.total_seconds())

    def _has_lost(self, end: LogEnd, generation: int) -> bool:
        """Whether the log may lack something that it held when we looked last."""
        if self._end is None or generation != self._generation:
            return True
        return end.identity != self._end.identity or end.last < self._end.last

    async def _hold_session(self, number: int, name: str, generation: int, held: Held) -> None:
        breaks = self._guard.breaks

        def still() -> bool:
            whole = self._guard.breaks == breaks and self._world.bus.generation == generation
            return held.valid and whole

        metrics.SESSIONS.labels(self._kind.name).inc()
        log.info("session begins", extra={"kind": self._kind.name, "session": name})
        async with asyncio.TaskGroup() as group:
            publisher = self._publisher(group, still)
            session = Session(
                self._kind,
                number,
                name,
                world=self._world,
                settings=self._settings,
                publisher=publisher,
            )
            group.create_task(
                self._look_after(publisher, held, generation, breaks),
                name=f"lease of {self._kind.name}",
            )
            group.create_task(session.run(), name=f"session of {self._kind.name}")

    async def _look_after(
        self, publisher: Publisher, held: Held, generation: int, breaks: int
    ) -> None:
        """End the session also while there is nothing to write."""
        renewed = self._world.bus.reconnected(generation)
        await _first_of(held.lost(), renewed, self._guard.broken(breaks))
        publisher.check()

    def _publisher(self, group: asyncio.TaskGroup, still: Callable[[], bool]) -> Publisher:
        style = Style(
            kind=self._kind.name,
            code=self._settings.code,
            in_flight_max=self._settings.in_flight_max,
        )
        world = self._world
        return Publisher(world.bus.log, world.clock, group, style=style, still=still)


async def _first_of(*waits: Coroutine[Any, Any, None]) -> None:
    """Wait until one of them has ended, and end the others."""
    tasks = [asyncio.create_task(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
