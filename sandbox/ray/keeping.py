"""Keeps one container: starts it, asks its probes, and starts it again as its policy says.

What is known at any moment is one value, `life`, in the shape that scripted containers have. Told
to stop, it lets the hook before the end run, asks the process to end and, when the grace is over,
makes it. Read next: container.py.
"""

import asyncio
import contextlib
import logging
import signal
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sandbox.controllers.containers import Ending, Life, restarts
from sandbox.objects import Object, dig
from sandbox.ray.container import Run
from sandbox.ray.environment import ConfigError
from sandbox.ray.logbook import LogBook
from sandbox.ray.probes import Probe, Verdict, read_probe

log = logging.getLogger(__name__)

WAIT_FIRST, WAIT_MOST = 1.0, 300.0
CONFIG_AGAIN = 1.0
Starting: TypeAlias = Callable[[int], Awaitable[Run]]
Reaching: TypeAlias = Callable[[Probe], Awaitable[bool]]


class Ways(Struct, frozen=True, kw_only=True):
    """What a container needs of its pod: a start, a look over the network, a clock, an ear."""

    start: Starting
    reach: Reaching
    clock: Callable[[], datetime]
    changed: Callable[[], None]


class Keeper:
    """One container of a pod."""

    def __init__(self, spec: Object, policy: str, ways: Ways) -> None:
        self.name = str(spec.get("name"))
        self.life = Life()
        self.log: LogBook | None = None
        self.log_before: LogBook | None = None
        self._spec = spec
        self._policy = policy
        self._ways = ways
        self._told = asyncio.Event()
        self._grace = 0.0

    def stop(self, grace: float) -> None:
        """Ask for the end, so many seconds from now at most; a shorter grace is taken later too."""
        self._grace = min(grace, self._grace) if self._told.is_set() else grace
        self._told.set()

    async def keep(self) -> int:
        """Run it until it stays ended; return the last exit code."""
        wait, count = WAIT_FIRST, 0
        while True:
            code = await self._run(count)
            if self._told.is_set() or not restarts(self._policy, code):
                self._know(replace(self.life, finished=True))
                return code
            if await self._told_within(wait):
                self._know(replace(self.life, finished=True))
                return code
            wait, count = min(wait * 2, WAIT_MOST), count + 1

    async def _run(self, count: int) -> int:
        run = await self._start(count)
        if run is None:
            return 0
        self.log, self.log_before = run.log, self.log
        started = self._ways.clock()
        last = self.life.last
        self._know(Life(started_at=started, last=last, restart_count=count))
        asking = asyncio.create_task(self._ask(run), name=f"probes of {self.name}")
        try:
            code = await self._to_the_end(run)
        finally:
            asking.cancel()
            await asyncio.wait([asking])
        ending = Ending(
            started_at=started,
            finished_at=self._ways.clock(),
            exit_code=code,
            reason="Completed" if code == 0 else "Error",
        )
        self._know(Life(last=ending, restart_count=count))
        return code

    async def _start(self, count: int) -> Run | None:
        """Start a run; wait for what its environment lacks, unless the pod ends first."""
        complained = ""
        while not self._told.is_set():
            try:
                return await self._ways.start(count)
            except ConfigError as lacking:
                if str(lacking) != complained:
                    complained = str(lacking)
                    log.warning("container waits", extra={"because": complained})
            await self._told_within(CONFIG_AGAIN)
        return None

    async def _to_the_end(self, run: Run) -> int:
        ended = asyncio.create_task(run.wait())
        told = asyncio.create_task(self._told.wait())
        try:
            await asyncio.wait((ended, told), return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                await self._end(run, ended)
            return await ended
        except asyncio.CancelledError:
            run.signal(signal.SIGKILL)
            raise
        finally:
            told.cancel()

    async def _end(self, run: Run, ended: asyncio.Task[int]) -> None:
        """Ask the process to end, and make it when the grace is over."""
        self._know(replace(self.life, ready=False))
        loop = asyncio.get_running_loop()
        begun = loop.time()
        hook = dig(self._spec, "lifecycle.preStop.exec.command")
        if hook and self._grace:
            await run.execute([str(word) for word in hook], self._grace)
        run.signal(signal.SIGTERM)
        while not ended.done() and loop.time() < begun + self._grace:
            await asyncio.wait((ended,), timeout=min(0.5, max(self._grace, 0.01)))
        if not ended.done():
            run.signal(signal.SIGKILL)

    async def _ask(self, run: Run) -> None:
        """Ask every probe for as long as the run lasts."""
        startup = read_probe(self._spec, "startupProbe")
        if startup is not None and not await self._until_started(run, startup):
            return
        readiness = read_probe(self._spec, "readinessProbe")
        if readiness is None:
            self._know(replace(self.life, ready=True))
        liveness = read_probe(self._spec, "livenessProbe")
        async with asyncio.TaskGroup() as group:
            if readiness is not None:
                group.create_task(self._watch_ready(run, readiness))
            if liveness is not None:
                group.create_task(self._watch_alive(run, liveness))

    async def _until_started(self, run: Run, probe: Probe) -> bool:
        verdict = Verdict()
        await asyncio.sleep(probe.delay)
        while verdict.well is None:
            verdict = verdict.after(probe, answer=await self._answer(run, probe))
            if verdict.well is None:
                await asyncio.sleep(probe.period)
        if not verdict.well:
            run.signal(signal.SIGKILL)
        return verdict.well

    async def _watch_ready(self, run: Run, probe: Probe) -> None:
        verdict = Verdict(well=False)
        await asyncio.sleep(probe.delay)
        while True:
            verdict = verdict.after(probe, answer=await self._answer(run, probe))
            ready = bool(verdict.well) and not self._told.is_set()
            if ready != self.life.ready:
                self._know(replace(self.life, ready=ready))
            await asyncio.sleep(probe.period)

    async def _watch_alive(self, run: Run, probe: Probe) -> None:
        verdict = Verdict(well=True)
        await asyncio.sleep(probe.delay)
        while verdict.well:
            await asyncio.sleep(probe.period)
            verdict = verdict.after(probe, answer=await self._answer(run, probe))
        log.warning("container is not alive", extra={"container": self.name})
        run.signal(signal.SIGKILL)

    async def _answer(self, run: Run, probe: Probe) -> bool:
        if probe.command:
            return await run.execute(probe.command, probe.timeout) == 0
        return await self._ways.reach(probe)

    async def _told_within(self, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._told.wait()
        return self._told.is_set()

    def _know(self, life: Life) -> None:
        self.life = life
        self._ways.changed()
