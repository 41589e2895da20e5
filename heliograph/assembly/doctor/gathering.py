"""Everything that is judged, gathered in order: NATS, then Kubernetes. Nothing is changed."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from pathlib import Path

from msgspec import Struct

from heliograph import __version__
from heliograph.assembly.adapters import decision_settings, endpoint, open_cluster, shown
from heliograph.assembly.doctor.asking import told
from heliograph.assembly.doctor.cluster import ClusterDoctor
from heliograph.assembly.doctor.nats import BusDoctor
from heliograph.views.doctor.facts import Bus, Cluster, Facts, Here, Server, Unknown
from services.reconciler.decisions.decision import RULES
from shared.bus.connection import Connection
from shared.bus.declarations import Installation
from shared.ports.clock import Clock
from shared.resources.observed import observed
from shared.runtime.failures import FatalError
from shared.runtime.settings import Inside, KubeSettings, Settings

NO_KUBECONFIG = "not looked at: there is no kubeconfig here (--kubeconfig, or KUBECONFIG)"
GRACE = 1.0
"""So much longer is waited for who keeps the time themselves and says more, in seconds."""
_USUAL = Path("~/.kube/config")
_POD_TOKEN = Path("/var/run/secrets/kubernetes.io/serviceaccount/token")


class Wishes(Struct, frozen=True, kw_only=True):
    """What to look at; a text says why not."""

    namespace: str = "heliograph"
    within: float = 10.0
    bus: str = ""
    cluster: str = ""


Hear = Callable[[str], None]


async def gather(settings: Settings, wishes: Wishes, clock: Clock, hear: Hear) -> Facts:
    """Look at everything, and say to `hear` what is being looked at."""
    bus: Bus | str = wishes.bus
    if not bus:
        hear(f"looking at NATS at {shown(settings.bus.nats_url)}")
        bus = await _bus(settings, wishes, clock)
    skew = bus.server.skew if isinstance(bus, Bus) and isinstance(bus.server, Server) else None
    now = clock.now() + (skew or timedelta())
    cluster: Cluster | str = wishes.cluster
    if not cluster:
        hear("looking at Kubernetes")
        cluster = await _cluster(settings, wishes, clock.now())
    return Facts(now=now, here=_here(settings, wishes), bus=bus, cluster=cluster)


def _here(settings: Settings, wishes: Wishes) -> Here:
    surroundings = decision_settings(settings.rules, settings.bus).surroundings
    return Here(
        version=__version__,
        rules=int(RULES),
        kinds=observed(surroundings),
        namespace=wishes.namespace,
    )


async def _bus(settings: Settings, wishes: Wishes, clock: Clock) -> Bus:
    where = settings.bus.nats_url
    chosen = Installation(
        max_age=settings.bus.log_retention,
        news_age=settings.bus.events_retention,
        replicas=settings.bus.log_replicas,
    )
    doctor = await told(_met(settings, chosen, clock, wishes), wishes.within + GRACE)
    if isinstance(doctor, Unknown):
        return Bus(where=shown(where), server=doctor)
    try:
        return await doctor.whole(where, await doctor.server())
    finally:
        await doctor.close()


async def _met(settings: Settings, chosen: Installation, clock: Clock, wishes: Wishes) -> BusDoctor:
    """Connect; raise FatalError with what the library says if that fails."""
    connection = Connection(endpoint(settings.bus, "doctor"))
    opened = await told(connection.open(), wishes.within)
    if isinstance(opened, Unknown):
        await connection.close()
        last = f" ({connection.trouble})" if connection.trouble else ""
        raise FatalError(f"{opened.why}{last}")
    return BusDoctor(connection, chosen, clock, wishes.within)


async def _cluster(settings: Settings, wishes: Wishes, now: datetime) -> Cluster | str:
    async with AsyncExitStack() as stack:
        opening = stack.enter_async_context(open_cluster(settings.kube, call_seconds=wishes.within))
        session = await told(opening, wishes.within + GRACE)
        if isinstance(session, Unknown):
            return Cluster(where="", version=session)
        watched = settings.kube.watch_namespace
        return await ClusterDoctor(session, wishes.namespace, watched, wishes.within).whole(now)


def has_kubeconfig(settings: KubeSettings, variable: str) -> bool:
    """Whether anything says where Kubernetes is: a flag, a variable, a file, a pod's account."""
    if settings.kubeconfig or settings.in_cluster is Inside.ALWAYS or variable:
        return True
    inside = settings.in_cluster is Inside.AUTO and _POD_TOKEN.exists()
    return inside or _USUAL.expanduser().exists()
