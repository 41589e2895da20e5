"""What an operator can be told, as typed values: one struct per concern.

Only values: types, limits and defaults. How each is called as a flag and as a variable is the table
in `shared.runtime.options`; reading them is `shared.runtime.reading`. Nothing here looks at the
environment, so pure code may hold these values.
"""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct, field

from shared.kernel.features import Features
from shared.runtime.parts import Parts, Texts


class LogLevel(StrEnum):
    """How much is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    """For machines or for people."""

    JSON = "json"
    TEXT = "text"


class Inside(StrEnum):
    """Whether to use the credentials of the pod we run in."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


Name = Annotated[str, Meta(min_length=1)]
Port = Annotated[int, Meta(ge=0, le=65535)]
Rate = Annotated[float, Meta(gt=0)]
Count = Annotated[int, Meta(ge=1)]
Amount = Annotated[int, Meta(ge=0)]
ReplicaCount = Annotated[int, Meta(ge=1, le=5)]


class EventsMode(StrEnum):
    """Where a lifecycle event's attributes stand: in the message's body, or in its headers."""

    STRUCTURED = "structured"
    BINARY = "binary"


class BusSettings(Struct, frozen=True, kw_only=True):
    """Where the log is, how we show who we are, and how it keeps and tells things."""

    nats_url: Name = "nats://127.0.0.1:4222"
    nats_creds: str = ""
    nats_ca: str = ""
    nats_cert: str = ""
    nats_key: str = ""
    log_replicas: ReplicaCount = 1
    log_retention: timedelta = timedelta(days=7)
    events_retention: timedelta = timedelta(days=30)
    lifecycle_events: EventsMode = EventsMode.STRUCTURED


class KubeSettings(Struct, frozen=True, kw_only=True):
    """Which Kubernetes, which namespaces, how fast, and whether anything is changed there."""

    kubeconfig: str = ""
    kube_context: str = ""
    in_cluster: Inside = Inside.AUTO
    watch_namespace: tuple[str, ...] = ()
    qps: Rate = 100.0
    burst: Count = 200
    relist_every: timedelta = timedelta(minutes=10)
    use_kubernetes_proxy: bool = False
    dashboard_proxy: str = ""
    shadow: bool = False


class ProcessSettings(Struct, frozen=True, kw_only=True):
    """This process: its name among the others, its port, its logs, its end."""

    member_id: str = ""
    http_port: Port = 8080
    http_host: Name = "0.0.0.0"
    log_level: LogLevel = LogLevel.INFO
    log_format: LogFormat = LogFormat.JSON
    drain_timeout: timedelta = timedelta(seconds=20)


class RuleSettings(Struct, frozen=True, kw_only=True):
    """What decisions depend on besides the log; every act names these by digest."""

    feature_gates: Features = Features()
    cluster_domain: Name = "cluster.local"
    enable_probes_injection: bool = True
    enable_init_container_injection: bool = True
    enable_login_shell: bool = False
    enable_ray_head_cluster_ip_service: bool = False
    enable_deterministic_head_pod_name: bool = False
    enable_random_pod_delete: bool = False
    enable_gcs_ft_redis_cleanup: bool = True
    batch_scheduler: str = ""
    enable_batch_scheduler: bool = False
    openshift: bool = False
    use_ingress_on_openshift: bool = False
    delete_rayjob_after_finish: bool = False
    rayjob_transition_grace_seconds: Amount = 300
    rayjob_status_check_timeout_seconds: Count = 300
    cron_catch_up: bool = False
    enable_zero_downtime: bool = True
    head_sidecar_containers: Parts = ()
    worker_sidecar_containers: Parts = ()
    default_container_envs: Parts = ()
    default_pod_labels: Texts = field(default_factory=dict)
    default_pod_annotations: Texts = field(default_factory=dict)


class BudgetSettings(Struct, frozen=True, kw_only=True):
    """How much may be deleted in a while before people are asked; 0 for any number."""

    budget_window: timedelta = timedelta(minutes=10)
    budget_resource: Amount = 0
    budget_namespace: Amount = 0
    budget_fleet: Amount = 5000


class WebhookSettings(Struct, frozen=True, kw_only=True):
    """Where the webhook listens, and with which certificate."""

    webhook_port: Port = 9443
    webhook_host: Name = "0.0.0.0"
    webhook_cert: str = ""
    webhook_key: str = ""


class CourierSettings(Struct, frozen=True, kw_only=True):
    """Who gets lifecycle events over HTTP."""

    subscriptions: str = ""


class Settings(Struct, frozen=True, kw_only=True):
    """Everything that can be set, read once at the door."""

    bus: BusSettings = BusSettings()
    kube: KubeSettings = KubeSettings()
    process: ProcessSettings = ProcessSettings()
    rules: RuleSettings = RuleSettings()
    webhook: WebhookSettings = WebhookSettings()
    courier: CourierSettings = CourierSettings()
    budgets: BudgetSettings = BudgetSettings()
