"""Any number of services in one process: open, supervise, drain, close."""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

from heliograph.assembly.adapters import open_bus, open_cluster
from heliograph.assembly.services import BUILDERS, NEEDS_CLUSTER, Plan, Ports
from shared.bus.jetstream import JetStreamBus
from shared.kube.reading import KubeReader
from shared.kube.session import Session
from shared.kube.writing import KubeStatusWriter, KubeWriter
from shared.runtime.clock import SystemClock
from shared.runtime.failures import Exit
from shared.runtime.health import Health, serving_health
from shared.runtime.settings import Settings
from shared.runtime.signals import obeying_signals
from shared.runtime.supervision import Supervisor

log = logging.getLogger(__name__)

CALL_DEADLINE = timedelta(seconds=5)
"""How long one call to Kubernetes may take, from the look at the log that allowed it."""


async def run_services(
    names: Sequence[str], settings: Settings, *, call_deadline: timedelta = CALL_DEADLINE
) -> Exit:
    """Run services until they are told to stop."""
    health = Health()
    async with opened(names, settings, call_deadline) as ports:
        bus = ports.bus
        health.add_ready("bus", bus.trouble)
        health.add_alive("bus", lambda: bus.trouble() if bus.ended else None)
        plan = Plan(settings=settings, ports=ports, health=health, call_deadline=call_deadline)
        supervisor = Supervisor(drain_timeout=settings.process.drain_timeout)
        health.add_ready("tasks", supervisor.trouble)
        host, port = settings.process.http_host, settings.process.http_port
        async with serving_health(health, host=host, port=port) as opened_port:
            log.info("running", extra={"services": ", ".join(names), "port": opened_port})
            with obeying_signals(supervisor):
                return await supervisor.run([BUILDERS[name](plan) for name in names])


@asynccontextmanager
async def opened(
    names: Sequence[str], settings: Settings, call_deadline: timedelta
) -> AsyncIterator[Ports]:
    """Open what these services need and nothing more, while the block runs."""
    client = f"{'+'.join(names)}/{settings.process.member_id}"
    async with open_bus(settings.bus, client) as bus:
        if not NEEDS_CLUSTER & set(names):
            yield Ports(bus=bus, clock=SystemClock())
            return
        async with open_cluster(
            settings.kube, call_seconds=call_deadline.total_seconds()
        ) as session:
            yield _ports(bus, settings, session, names)


def _ports(bus: JetStreamBus, settings: Settings, session: Session, names: Sequence[str]) -> Ports:
    namespaces = settings.kube.watch_namespace
    return Ports(
        bus=bus,
        clock=SystemClock(),
        reader=KubeReader(session, namespaces) if "watcher" in names else None,
        writer=KubeWriter(session) if "executor" in names else None,
        status_writer=KubeStatusWriter(session) if "status" in names else None,
    )
