"""One function per service: ports in, a duty out.

Only these know which ports each service gets: the reconciler and the scheduler get no cluster at
all, the watcher a reader, the executor a writer, the status service a writer of status.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from types import MappingProxyType

from msgspec import Struct

from heliograph.assembly.adapters import CODE, decision_settings
from heliograph.assembly.modes import keep_mode
from services.courier.loading import Source
from services.courier.round import Means
from services.courier.service import Courier
from services.executor.budgets import Budgets
from services.executor.service import Executor, ExecutorSettings
from services.reconciler.service import Reconciler
from services.scheduler.service import Scheduler
from services.status.service import Status, StatusSettings
from services.watcher.asking.asker import Asker, AskerSettings
from services.watcher.asking.questions import Questions
from services.watcher.service import Watcher
from services.watcher.sources.kinds import watched
from services.watcher.sources.session import WatcherSettings, World
from shared.bus.members import membership
from shared.dashboard.nowhere import NOWHERE
from shared.kernel.invariants import InvariantError
from shared.ports.clock import Clock
from shared.ports.cluster import ClusterReader, ClusterWriter, StatusWriter
from shared.ports.dashboard import Dashboard
from shared.ports.event_log import Bus
from shared.resources.observed import observed
from shared.runtime.failures import FatalError
from shared.runtime.health import Health
from shared.runtime.settings import BudgetSettings, Settings
from shared.runtime.supervision import Duty


class Ports(Struct, frozen=True, kw_only=True):
    """The world as one process sees it; None where it has no such right."""

    bus: Bus
    clock: Clock
    reader: ClusterReader | None = None
    writer: ClusterWriter | None = None
    status_writer: StatusWriter | None = None
    dashboard: Dashboard = NOWHERE


class Plan(Struct, frozen=True, kw_only=True):
    """What a process is to run with."""

    settings: Settings
    ports: Ports
    health: Health
    call_deadline: timedelta


Builder = Callable[[Plan], Duty]
_CLUSTER = "a service was built without its cluster"


def _ownership(
    plan: Plan, service: str
) -> Callable[[], AbstractAsyncContextManager[AsyncIterator[frozenset[int]]]]:
    return lambda: membership(plan.ports.bus, service, plan.settings.process.member_id)


def watcher(plan: Plan) -> Duty:
    """Build the watcher."""
    settings, ports = plan.settings, plan.ports
    if ports.reader is None:
        raise InvariantError(_CLUSTER)
    world = World(
        cluster=ports.reader, bus=ports.bus, clock=ports.clock, member=settings.process.member_id
    )
    wishes = WatcherSettings(
        code=CODE,
        relist_every=settings.kube.relist_every,
        refresh_after=settings.bus.log_retention / 3,
        call_deadline=plan.call_deadline,
    )
    kinds = watched(decision_settings(settings.rules, settings.bus).surroundings)
    service = Watcher(world, wishes, kinds=kinds)
    return Duty(service="watcher", name="watching", run=service.run)


def asker(plan: Plan) -> Duty:
    """Build what asks for the watcher: dashboards, and objects that resources do not own."""
    settings, ports = plan.settings, plan.ports
    if ports.reader is None:
        raise InvariantError(_CLUSTER)
    questions = Questions(ports.reader, ports.dashboard)
    wishes = AskerSettings(code=CODE, refresh_after=settings.bus.log_retention / 3)
    service = Asker(ports.bus, questions, ports.clock, _ownership(plan, "asker"), wishes)
    return Duty(service="watcher", name="asking", run=service.run)


def reconciler(plan: Plan) -> Duty:
    """Build the reconciler."""
    settings, ports = plan.settings, plan.ports
    wishes = decision_settings(settings.rules, settings.bus)
    service = Reconciler(ports.bus, ports.clock, _ownership(plan, "reconciler"), wishes, CODE)
    plan.health.add_ready("reconciler", service.trouble)
    return Duty(service="reconciler", name="deciding", run=service.run)


def marker(plan: Plan) -> Duty:
    """Build what keeps the mark of the installation's mode from ageing out."""
    settings, ports = plan.settings, plan.ports

    async def run() -> None:
        await keep_mode(ports.bus, ports.clock, settings)

    return Duty(service="reconciler", name="marking", run=run)


def executor(plan: Plan) -> Duty:
    """Build the executor."""
    ports = plan.ports
    if ports.writer is None:
        raise InvariantError(_CLUSTER)
    rules = decision_settings(plan.settings.rules, plan.settings.bus)
    service = Executor(
        ports.bus,
        ports.writer,
        ports.clock,
        CODE,
        dashboard=ports.dashboard,
        wishes=ExecutorSettings(
            call_deadline=plan.call_deadline,
            kinds=observed(rules.surroundings),
            budgets=_budgets(plan.settings),
            shadow=plan.settings.kube.shadow,
        ),
    )
    return Duty(service="executor", name="acting", run=service.run, drain=service.drain)


def _budgets(settings: Settings) -> Budgets:
    """Return how much may be destroyed; who destroys nothing needs no limit."""
    chosen = settings.budgets
    if settings.kube.shadow:
        chosen = BudgetSettings(budget_resource=0, budget_namespace=0, budget_fleet=0)
    return Budgets(
        window=chosen.budget_window,
        resource=chosen.budget_resource,
        namespace=chosen.budget_namespace,
        fleet=chosen.budget_fleet,
    )


def status(plan: Plan) -> Duty:
    """Build the status service; that of a shadow has nothing to write with."""
    ports, settings = plan.ports, plan.settings
    if ports.status_writer is None and not settings.kube.shadow:
        raise InvariantError(_CLUSTER)
    wishes = decision_settings(settings.rules, settings.bus)
    service = Status(
        ports.bus,
        None if settings.kube.shadow else ports.status_writer,
        ports.clock,
        _ownership(plan, "status"),
        CODE,
        wishes=StatusSettings(
            features=settings.rules.feature_gates,
            events=settings.bus.lifecycle_events.value,
            kinds=observed(wishes.surroundings),
            refresh_after=wishes.refresh_after,
        ),
    )
    plan.health.add_ready("status", service.trouble)
    return Duty(service="status", name="telling", run=service.run)


def scheduler(plan: Plan) -> Duty:
    """Build the scheduler."""
    service = Scheduler(plan.ports.bus, plan.ports.clock, CODE)
    plan.health.add_ready("scheduler", service.trouble)
    return Duty(service="scheduler", name="timing", run=service.run)


def courier(plan: Plan) -> Duty:
    """Build the courier; raise FatalError if nobody says where its subscriptions are."""
    path = plan.settings.courier.subscriptions
    if not path:
        raise FatalError("the courier needs subscriptions: --subscriptions names their file")
    means = Means(
        bus=plan.ports.bus, clock=plan.ports.clock, member=plan.settings.process.member_id
    )
    service = Courier(means, Source(path), CODE)
    return Duty(service="courier", name="carrying", run=service.run, drain=service.drain)


BUILDERS: Mapping[str, Builder] = MappingProxyType(
    {
        "watcher": watcher,
        "reconciler": reconciler,
        "executor": executor,
        "status": status,
        "scheduler": scheduler,
        "courier": courier,
    }
)
ALONGSIDE: Mapping[str, tuple[Builder, ...]] = MappingProxyType(
    {"watcher": (asker,), "reconciler": (marker,)}
)
"""What runs in the process of a service, under its name."""


def duties_of(names: Iterable[str], plan: Plan) -> list[Duty]:
    """Build services with everything that runs alongside them."""
    return [build(plan) for name in names for build in (BUILDERS[name], *ALONGSIDE.get(name, ()))]


NEEDS_CLUSTER = frozenset({"watcher", "executor", "status"})
