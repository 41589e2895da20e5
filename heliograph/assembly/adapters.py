"""Settings to ports: the bus, the cluster, what decisions may know.

What cannot be reached is told in one sentence that says where we looked and which setting to
change.
"""

import asyncio
import re
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from msgspec import UNSET

from heliograph import __version__
from services.reconciler.decisions.settings import DecisionSettings, JobSettings
from services.reconciler.manifests.settings import ManifestSettings
from shared.bus.connection import Connection, Endpoint
from shared.bus.errors import ApiError
from shared.bus.jetstream import JetStreamBus
from shared.kernel.schedulers import choose_scheduler
from shared.kube.credentials import Source
from shared.kube.errors import ConfigurationError
from shared.kube.session import Limits, Session, connect
from shared.ports.cluster import ClusterRefusal, ClusterUnavailable
from shared.ports.event_log import BusUnavailable
from shared.runtime.failures import FatalError
from shared.runtime.settings import BusSettings, Inside, KubeSettings, RuleSettings

CODE = f"heliograph/{__version__}"
_USERINFO = re.compile(r"^([a-z+]+://)?[^/@]*@")
REACH_WITHIN = 10.0
"""How long a server may take to answer when a process starts, in seconds."""


def endpoint(settings: BusSettings, name: str) -> Endpoint:
    """Say where the bus is and who we are there."""
    return Endpoint(
        servers=tuple(url.strip() for url in settings.nats_url.split(",")),
        name=name,
        credentials_file=settings.nats_creds or None,
        tls=_tls(settings),
    )


def shown(urls: str) -> str:
    """Return addresses as people may read them: without who we are there."""
    return ",".join(_USERINFO.sub(r"\1", url.strip()) for url in urls.split(","))


def _tls(settings: BusSettings) -> ssl.SSLContext | None:
    if not (settings.nats_ca or settings.nats_cert):
        return None
    try:
        context = ssl.create_default_context(cafile=settings.nats_ca or None)
        if settings.nats_cert:
            context.load_cert_chain(settings.nats_cert, settings.nats_key or None)
    except OSError as problem:
        raise FatalError(
            f"the TLS files for NATS cannot be used: {problem} (--nats-ca, --nats-cert, --nats-key)"
        ) from problem
    return context


@asynccontextmanager
async def connected(settings: BusSettings, name: str) -> AsyncIterator[Connection]:
    """Connect to NATS while the block runs."""
    connection = Connection(endpoint(settings, name))
    try:
        async with asyncio.timeout(REACH_WITHIN):
            await connection.open()
    except (TimeoutError, BusUnavailable) as problem:
        await connection.close()
        why = str(problem) or connection.trouble
        raise FatalError(
            f"NATS cannot be reached at {shown(settings.nats_url)} within {REACH_WITHIN:.0f} s"
            f"{f' ({why})' if why else ''}: is it running there? (--nats-url, or NATS_URL)"
        ) from problem
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def open_bus(settings: BusSettings, name: str) -> AsyncIterator[JetStreamBus]:
    """Open the bus while the block runs; refuse if its streams are not there."""
    async with connected(settings, name) as connection:
        bus = JetStreamBus(connection)
        try:
            await bus.log.end()
        except (ApiError, BusUnavailable) as problem:
            raise FatalError(
                f"the log is not there on {shown(settings.nats_url)} ({problem}): "
                "run `heliograph init` first, against a server with JetStream"
            ) from problem
        yield bus


@asynccontextmanager
async def open_cluster(settings: KubeSettings, *, call_seconds: float) -> AsyncIterator[Session]:
    """Open Kubernetes while the block runs; refuse if it does not answer."""
    inside = {Inside.AUTO: None, Inside.ALWAYS: True, Inside.NEVER: False}[settings.in_cluster]
    source = Source(
        kubeconfig=settings.kubeconfig, context=settings.kube_context, in_cluster=inside
    )
    limits = Limits(
        call_seconds=call_seconds, writes_per_second=settings.qps, writes_burst=settings.burst
    )
    try:
        session = await connect(source, limits)
    except ConfigurationError as problem:
        raise FatalError(f"{problem} (--kubeconfig, --kube-context)") from problem
    async with session:
        try:
            await session.check()
        except (ClusterUnavailable, ClusterRefusal) as problem:
            raise FatalError(
                f"Kubernetes cannot be reached at {session.host}: {problem} (--kubeconfig)"
            ) from problem
        yield session


def _scheduler(rules: RuleSettings) -> str:
    return choose_scheduler(
        rules.batch_scheduler, enabled=rules.enable_batch_scheduler, features=rules.feature_gates
    )


def decision_settings(rules: RuleSettings, bus: BusSettings) -> DecisionSettings:
    """Return what decisions may know of the settings."""
    manifests = ManifestSettings(
        version=f"heliograph-{__version__}",
        cluster_domain=rules.cluster_domain,
        injects_probes=rules.enable_probes_injection,
        injects_init_containers=rules.enable_init_container_injection,
        login_shell=rules.enable_login_shell,
        deterministic_head_pod_name=rules.enable_deterministic_head_pod_name,
        head_cluster_ip_service=rules.enable_ray_head_cluster_ip_service,
        default_container_envs=rules.default_container_envs,
        default_pod_labels=rules.default_pod_labels,
        default_pod_annotations=rules.default_pod_annotations,
        head_sidecars=rules.head_sidecar_containers,
        worker_sidecars=rules.worker_sidecar_containers,
        batch_scheduler=_scheduler(rules) or UNSET,
    )
    return DecisionSettings(
        manifests=manifests,
        features=rules.feature_gates,
        refresh_after=bus.log_retention / 3,
        random_pod_delete=rules.enable_random_pod_delete,
        redis_cleanup=rules.enable_gcs_ft_redis_cleanup,
        openshift_routes=(rules.openshift and not rules.use_ingress_on_openshift) or UNSET,
        one_cluster=UNSET if rules.enable_zero_downtime else True,
        jobs=UNSET if _jobs(rules) == JobSettings() else _jobs(rules),
    )


def _jobs(rules: RuleSettings) -> JobSettings:
    return JobSettings(
        transition_grace=timedelta(seconds=rules.rayjob_transition_grace_seconds),
        status_check_timeout=timedelta(seconds=rules.rayjob_status_check_timeout_seconds),
        delete_after_finish=rules.delete_rayjob_after_finish,
        cron_catch_up=rules.cron_catch_up,
    )
