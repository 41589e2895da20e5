"""Start, restart, drain and stop: the life of every long-running task.

A process has one supervisor and one task group. A duty that breaks is logged, counted and begun
again after a growing pause; one that returns is done; a `FatalError` ends them all. Asked to stop,
duties that can drain are told to take no more work and get `drain_timeout` to finish what is in
hand; then the rest is cancelled. Asked again, everything is cancelled at once.

This is the only file that catches every exception, so nothing above or below needs to.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any

from msgspec import Struct

from shared.runtime.backoff import Backoff
from shared.runtime.chance import SYSTEM_CHANCE
from shared.runtime.failures import Exit, FatalError
from shared.telemetry.context import about
from shared.telemetry.metrics import counter

RESTARTS = counter("task_restarts", "Tasks that broke and began again.", ("service", "task"))
PAUSES = Backoff(first=timedelta(milliseconds=250), most=timedelta(seconds=30))
STEADY_AFTER = timedelta(seconds=10)

log = logging.getLogger(__name__)


class Duty(Struct, frozen=True, kw_only=True, eq=False):
    """One named task of a service.

    `drain` makes `run` return once what is in hand is finished; without it, stopping cancels `run`.
    """

    service: str
    name: str
    run: Callable[[], Coroutine[Any, Any, None]]
    drain: Callable[[], None] | None = None


class Supervisor:
    """Keeps duties running until it is told to stop."""

    def __init__(self, *, drain_timeout: timedelta, chance: Random = SYSTEM_CHANCE) -> None:
        self._drain_timeout = drain_timeout
        self._chance = chance
        self._stopping = asyncio.Event()
        self._hurried = asyncio.Event()
        self._patience: asyncio.Timeout | None = None
        self._troubles: dict[Duty, tuple[str, float]] = {}
        self._open_count = 0
        self._exit = Exit.DONE

    @property
    def stopping(self) -> bool:
        """Whether it was told to stop, or has nothing left to do."""
        return self._stopping.is_set()

    def stop(self, because: str) -> None:
        """Begin to drain; a second call ends the draining at once."""
        if not self._stopping.is_set():
            log.info("stopping", extra={"because": because})
            self._stopping.set()
        elif not self._hurried.is_set():
            log.warning("stopping at once", extra={"because": because})
            self._hurried.set()
            if self._patience is not None:
                self._patience.reschedule(asyncio.get_running_loop().time())

    def trouble(self) -> str | None:
        """Say that it stops, or which duties broke lately; made to be a readiness check."""
        if self._stopping.is_set():
            return "stopping"
        now = asyncio.get_running_loop().time()
        lately = [
            f"{duty.service}/{duty.name}: {reason}"
            for duty, (reason, again_at) in self._troubles.items()
            if now < again_at + STEADY_AFTER.total_seconds()
        ]
        return "; ".join(lately) or None

    async def run(self, duties: Collection[Duty]) -> Exit:
        """Keep all duties running; return when all are done or it was told to stop."""
        self._open_count = len(duties)
        async with asyncio.TaskGroup() as group:
            tasks = {
                duty: group.create_task(self._keep(duty), name=f"{duty.service}/{duty.name}")
                for duty in duties
            }
            if tasks:
                await self._stopping.wait()
            await self._drain(tasks)
            for task in tasks.values():
                task.cancel()
        return self._exit

    async def _keep(self, duty: Duty) -> None:
        with about(service=duty.service):
            try:
                await self._keep_trying(duty)
            finally:
                self._open_count -= 1
                if not self._open_count:
                    self._stopping.set()

    async def _keep_trying(self, duty: Duty) -> None:
        failures = 0
        while not self._stopping.is_set():
            began = asyncio.get_running_loop().time()
            error = await _attempt(duty)
            if error is None:
                return
            if fatal := _fatal(error):
                self._give_up(duty, fatal)
                return
            lasted = timedelta(seconds=asyncio.get_running_loop().time() - began)
            failures = 1 if lasted > STEADY_AFTER else failures + 1
            await self._pause(duty, error, failures)

    async def _pause(self, duty: Duty, error: BaseException, failures: int) -> None:
        pause = PAUSES.pause(failures, self._chance).total_seconds()
        again_at = asyncio.get_running_loop().time() + pause
        self._troubles[duty] = (_name(error), again_at)
        RESTARTS.labels(duty.service, duty.name).inc()
        log.error(
            "task broke and will begin again",
            exc_info=error,
            extra={"task": duty.name, "error": _name(error), "again_in": round(pause, 3)},
        )
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self._stopping.wait()

    def _give_up(self, duty: Duty, error: BaseException) -> None:
        log.error("cannot go on", extra={"task": duty.name, "error": str(error)})
        self._exit = Exit.BROKEN
        self._stopping.set()

    async def _drain(self, tasks: dict[Duty, asyncio.Task[None]]) -> None:
        draining = {task for duty, task in tasks.items() if duty.drain and not task.done()}
        for duty in tasks:
            if duty.drain:
                duty.drain()
        if not draining:
            return
        bound = 0.0 if self._hurried.is_set() else self._drain_timeout.total_seconds()
        try:
            async with asyncio.timeout(bound) as self._patience:
                await asyncio.wait(draining)
        except TimeoutError:
            left = sorted(task.get_name() for task in draining if not task.done())
            log.warning("work in hand is left undone", extra={"task": ", ".join(left)})
            self._exit = self._exit or Exit.HURRIED


async def contained(work: Coroutine[Any, Any, None]) -> Exception | None:
    """Await work whose failure must stay its own; return what broke it.

    Who is told to end meanwhile ends: a failure at that moment may have hidden it.
    """
    try:
        await work
    except Exception as error:
        if _told_to_end():
            raise asyncio.CancelledError from error
        return error
    return None


async def _attempt(duty: Duty) -> BaseException | None:
    """Run the duty once; return what broke it. Our own cancellation passes through."""
    try:
        return await contained(duty.run())
    except asyncio.CancelledError as error:
        if _told_to_end():
            raise
        return error


def _told_to_end() -> bool:
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _fatal(error: BaseException) -> BaseException | None:
    if isinstance(error, BaseExceptionGroup):
        inside = error.subgroup(FatalError)
        return _fatal(inside.exceptions[0]) if inside else None
    return error if isinstance(error, FatalError) else None


def _name(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
