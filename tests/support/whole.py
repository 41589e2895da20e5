"""The whole system in one process on virtual time: bus in memory, sandbox, every service once.

No fault, no chance, no HTTP: for tests and benchmarks that count what a change costs. Run it on a
`VirtualLoop`.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from time import process_time

from msgspec.structs import replace

from heliograph.assembly.services import BUILDERS, Plan, Ports
from heliograph.simulator.living import live
from sandbox.cluster import Cluster
from sandbox.controllers.scenario import PodRule, Scenario
from sandbox.identity import numbered_uids
from sandbox.objects import Object
from sandbox.requests import WRITING, Request
from shared.bus.memory import MemoryServer
from shared.kernel.manifests import text_at, thawed
from shared.runtime.health import Health
from shared.runtime.options import SERVICES
from shared.runtime.settings import BudgetSettings, ProcessSettings, RuleSettings, Settings
from shared.runtime.supervision import Duty, Supervisor
from tests.support.definitions import thin_definitions
from tests.support.sandbox_cluster import SandboxCluster

CALL_DEADLINE = timedelta(seconds=5)
REACTION = 0.02
LOOK_EVERY = 0.05


class Whole:
    """A Kubernetes that lives by itself, the log, and what the operator asked Kubernetes for."""

    def __init__(self, rule: PodRule) -> None:
        self.server = MemoryServer()
        self.cluster = Cluster(
            self.server.clock.now, numbered_uids("whole"), scenario=Scenario(otherwise=rule)
        )
        for definition in thin_definitions():
            self.cluster.create("customresourcedefinitions", thawed(definition))
        self.asked: Counter[str] = Counter()
        self.kubernetes_cpu = 0.0
        """What the controllers of Kubernetes took of the processor, in seconds."""
        self._changed = asyncio.Event()
        self.cluster.state.store.listen(self._changed.set)

    def count(self) -> None:
        """Count from now on what is asked of Kubernetes and changes something."""
        self.asked.clear()
        self.cluster.faults = self._note

    def _note(self, request: Request) -> None:
        if request.verb in WRITING:
            part = f"/{request.subresource}" if request.subresource else ""
            self.asked[f"{request.verb} {request.resource}{part}"] += 1

    def state(self, name: str) -> str:
        """Return the state that a RayCluster's status tells."""
        found = self.cluster.get("rayclusters", "default", name)
        return text_at(found, "status", "state")

    def left(self, resource: str) -> tuple[Object, ...]:
        """Return what is there of a kind."""
        return tuple(self.cluster.list(resource, "default").items)

    async def until(self, holds: Callable[[], bool], within: float = 600) -> None:
        """Let virtual time pass until something holds."""
        async with asyncio.timeout(within):
            while not holds():  # noqa: ASYNC110 - the sandbox is asked as a user would
                await asyncio.sleep(LOOK_EVERY)

    async def live(self) -> None:
        """Let the controllers work until cancelled."""
        await live(self._changed, self._step, self.server.clock.now, lambda: REACTION)

    def _step(self) -> datetime | None:
        begun = process_time()
        next_at = self.cluster.step()
        self.kubernetes_cpu += process_time() - begun
        return next_at


@asynccontextmanager
async def whole(
    rule: PodRule | None = None,
    rules: RuleSettings | None = None,
    budgets: BudgetSettings | None = None,
) -> AsyncIterator[Whole]:
    """Run everything while the block runs; it begins with watchers that have listed."""
    here = Whole(rule or PodRule())
    settings = Settings(rules=rules or RuleSettings(), budgets=budgets or BudgetSettings())
    supervisor = Supervisor(drain_timeout=CALL_DEADLINE)
    living = asyncio.create_task(here.live())
    serving = asyncio.create_task(
        supervisor.run([_duty(here, name, settings) for name in SERVICES])
    )
    try:
        await asyncio.sleep(2 * CALL_DEADLINE.total_seconds())
        here.count()
        yield here
    finally:
        supervisor.stop("the test is over")
        await serving
        living.cancel()
        await asyncio.wait([living])


def _duty(here: Whole, service: str, settings: Settings) -> Duty:
    cluster = SandboxCluster(here.cluster)
    ports = Ports(
        bus=here.server.connect(service),
        clock=here.server.clock,
        reader=cluster,
        writer=cluster,
        status_writer=cluster,
    )
    plan = Plan(
        settings=replace(settings, process=ProcessSettings(member_id=service)),
        ports=ports,
        health=Health(),
        call_deadline=CALL_DEADLINE,
    )
    return BUILDERS[service](plan)
