"""One process of the system: a real service under the real supervisor, on links that can break.

A crash is no cancellation in good manners: first its links are cut, so that no `finally` block can
say goodbye, then its tasks end. What it had sent may still arrive.
"""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from heliograph.assembly.services import Plan, Ports, duties_of
from shared.bus.memory import MemoryBus, MemoryServer
from shared.ports.clock import Clock
from shared.ports.dashboard import Dashboard
from shared.runtime.health import Health
from shared.runtime.settings import ProcessSettings, RuleSettings, Settings
from shared.runtime.supervision import Duty, Supervisor
from tests.simulation.kubernetes import CALL_DEADLINE, Kubernetes
from tests.simulation.loop import SimulationLoop, own_task

DRAIN_TIMEOUT = timedelta(seconds=5)
KILLED_AGAIN = 1.0
"""How long a killed process may take to end what it cannot help doing, in seconds."""
KILLED_MAX = 60
"""How often it is killed; one that is still there then would be there for ever."""


class Outside(Struct, frozen=True, kw_only=True):
    """What a process reaches, and the rules that it is told."""

    server: MemoryServer
    reach: Callable[[str], Kubernetes]
    dashboard: Dashboard
    rules: RuleSettings
    settings: Settings = Settings()
    """What it is told beside the rules."""
    accuse: Callable[[str], None]
    """Told of what must never happen."""


class WrongClock:
    """A process's own clock, which may be wrong."""

    def __init__(self, right: Clock) -> None:
        self._right = right
        self.wrong_by = timedelta()

    def now(self) -> datetime:
        """Return what this clock takes for the present moment."""
        return self._right.now() + self.wrong_by


class Process:
    """One replica of one service, over all its lives."""

    def __init__(
        self,
        service: str,
        number: int,
        outside: Outside,
        chance: Random,
    ) -> None:
        self.service = service
        self.name = f"{service}-{number}"
        self.frozen = False
        self.leaving = False
        self._outside = outside
        self._server = outside.server
        self.clock = WrongClock(outside.server.clock)
        self.rules = outside.rules
        """What its next life is told; a new version may have other ones."""
        self._chance = chance
        self._task: asyncio.Task[object] | None = None
        self.bus: MemoryBus
        self.kubernetes: Kubernetes
        self._supervisor: Supervisor

    @property
    def running(self) -> bool:
        return self._task is not None and not self._task.done()

    def start(self) -> None:
        """Begin a new life, which remembers nothing."""
        self.leaving = False
        self.bus = self._server.connect(self.name)
        self.bus.link.latency = self._chance.choice((0.0, 0.001, 0.01))
        self.kubernetes = self._outside.reach(self.name)
        self._supervisor = Supervisor(drain_timeout=DRAIN_TIMEOUT)
        self._task = own_task(self.name, self._supervisor.run(self._duties()), self.name)

    async def crash(self) -> None:
        """Die on the spot."""
        self.leaving = True
        self.kubernetes.cut()
        await self.bus.close()
        await self._end()

    async def stop(self) -> bool:
        """Go in good order, as in a rolling upgrade; say whether it went."""
        self.leaving = True
        self.thaw()
        self._supervisor.stop("a new version comes")
        if self._task is not None:
            await asyncio.wait([self._task], timeout=3 * DRAIN_TIMEOUT.total_seconds())
        went = not self.running or self.frozen
        await self.bus.close()
        await self._end()
        return went

    def freeze(self) -> None:
        """Sleep, with everything in hand."""
        self.frozen = True
        _loop().freeze(self.name)

    def thaw(self) -> None:
        """Wake up and go on."""
        if self.frozen:
            self.frozen = False
            _loop().thaw(self.name)

    async def mend(self) -> None:
        """Be awake, alive and connected; one that was about to end begins anew."""
        self.thaw()
        if self.leaving or not self.running or self.rules != self._outside.rules:
            self.rules = self._outside.rules
            await self._end()
            self.start()
        self.kubernetes.mend()
        self.clock.wrong_by = timedelta()
        self.bus.link.latency = 0.0
        if not self.bus.link.up:
            self.bus.link.come_back()

    async def _end(self) -> None:
        self.thaw()
        for _ in range(KILLED_MAX):
            if self._task is None or self._task.done():
                return
            self._task.cancel()
            await asyncio.wait([self._task], timeout=KILLED_AGAIN)
        self._outside.accuse(f"{self.name} does not end, however often it is told to")

    def _duties(self) -> list[Duty]:
        ports = Ports(
            bus=self.bus,
            clock=self.clock,
            reader=self.kubernetes,
            writer=self.kubernetes,
            status_writer=self.kubernetes,
            dashboard=self._outside.dashboard,
        )
        plan = Plan(
            settings=replace(
                self._outside.settings,
                process=ProcessSettings(member_id=self.name),
                rules=self.rules,
            ),
            ports=ports,
            health=Health(),
            call_deadline=timedelta(seconds=CALL_DEADLINE),
        )
        return duties_of((self.service,), plan)


def _loop() -> SimulationLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimulationLoop)
    return loop
