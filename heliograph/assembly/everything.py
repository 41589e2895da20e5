"""Any number of services in one process: open, supervise, drain, close."""

import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from types import MappingProxyType

from heliograph.assembly.adapters import open_bus, open_cluster
from heliograph.assembly.dashboards import open_dashboards
from heliograph.assembly.gates import check_gates
from heliograph.assembly.modes import claim_mode
from heliograph.assembly.services import NEEDS_CLUSTER, Plan, Ports, duties_of
from heliograph.assembly.webhook import webhook
from shared.bus.jetstream import JetStreamBus
from shared.kube.reading import KubeReader
from shared.kube.session import Session
from shared.kube.writing import KubeStatusWriter, KubeWriter
from shared.ports.dashboard import Dashboard
from shared.runtime.clock import SystemClock
from shared.runtime.failures import Exit
from shared.runtime.health import Health, serving_health
from shared.runtime.settings import Settings
from shared.runtime.signals import obeying_signals
from shared.runtime.supervision import Duty, Supervisor

log = logging.getLogger(__name__)

APART: Mapping[str, Callable[[Settings, Health], Duty]] = MappingProxyType({"webhook": webhook})
"""Services that need neither the log nor Kubernetes."""
CALL_DEADLINE = timedelta(seconds=5)
"""How long one call to Kubernetes may take, from the look at the log that allowed it."""


async def run_services(
    names: Sequence[str], settings: Settings, *, call_deadline: timedelta = CALL_DEADLINE
) -> Exit:
    """Run services until they are told to stop."""
    health = Health()
    async with _duties(names, settings, health, call_deadline) as duties:
        supervisor = Supervisor(drain_timeout=settings.process.drain_timeout)
        health.add_ready("tasks", supervisor.trouble)
        host, port = settings.process.http_host, settings.process.http_port
        async with serving_health(health, host=host, port=port) as opened_port:
            log.info("running", extra={"services": ", ".join(names), "port": opened_port})
            with obeying_signals(supervisor):
                return await supervisor.run(duties)


@asynccontextmanager
async def _duties(
    names: Sequence[str], settings: Settings, health: Health, call_deadline: timedelta
) -> AsyncIterator[list[Duty]]:
    """Build every service, with what it needs open while the block runs."""
    apart = [APART[name](settings, health) for name in names if name in APART]
    bound = [name for name in names if name not in APART]
    if not bound:
        yield apart
        return
    async with opened(bound, settings, call_deadline) as ports:
        bus = ports.bus
        health.add_ready("bus", bus.trouble)
        health.add_alive("bus", lambda: bus.trouble() if bus.ended else None)
        plan = Plan(settings=settings, ports=ports, health=health, call_deadline=call_deadline)
        yield [*duties_of(bound, plan), *apart]


@asynccontextmanager
async def opened(
    names: Sequence[str], settings: Settings, call_deadline: timedelta
) -> AsyncIterator[Ports]:
    """Open what these services need and nothing more, while the block runs."""
    client = f"{'+'.join(names)}/{settings.process.member_id}"
    async with open_bus(settings.bus, client) as bus:
        await claim_mode(bus, SystemClock(), settings)
        if not NEEDS_CLUSTER & set(names):
            yield Ports(bus=bus, clock=SystemClock())
            return
        async with (
            open_cluster(settings.kube, call_seconds=call_deadline.total_seconds()) as session,
            open_dashboards(settings.kube, session) as dashboard,
        ):
            await check_gates(session, settings.rules.feature_gates)
            yield _ports(bus, settings, session, names, dashboard)


def _ports(
    bus: JetStreamBus,
    settings: Settings,
    session: Session,
    names: Sequence[str],
    dashboard: Dashboard,
) -> Ports:
    namespaces = settings.kube.watch_namespace
    return Ports(
        bus=bus,
        clock=SystemClock(),
        reader=KubeReader(session, namespaces) if "watcher" in names else None,
        writer=KubeWriter(session) if "executor" in names else None,
        status_writer=KubeStatusWriter(session) if _writes_status(names, settings) else None,
        dashboard=dashboard,
    )


def _writes_status(names: Sequence[str], settings: Settings) -> bool:
    return "status" in names and not settings.kube.shadow
