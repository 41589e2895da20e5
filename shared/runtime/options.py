"""How each setting is called: the table behind the flags, the variables and the reference page.

One row per field of `shared.runtime.settings`, which holds its type and default; a test keeps the
two in step. Variables that KubeRay, NATS or Kubernetes already have a name for keep that name.
What decisions depend on is in `shared.runtime.rule_options`.
"""

from shared.runtime.option import (
    APART,
    BESIDE,
    EVERYBODY,
    KUBE_USERS,
    LOGGED,
    SERVICES,
    Option,
    option,
)
from shared.runtime.rule_options import DECISIONS, JOBS, PODS

__all__ = ["APART", "BESIDE", "DECISIONS", "JOBS", "PODS", "SERVICES", "Option"]

BUS = (
    option("nats_url", "NATS_URL", LOGGED, "NATS servers, comma-separated."),
    option("nats_creds", "NATS_CREDS", LOGGED, "File with NATS user credentials."),
    option("nats_ca", "NATS_CA", LOGGED, "File with the authorities that NATS is trusted by."),
    option("nats_cert", "NATS_CERT", LOGGED, "File with our certificate for NATS."),
    option("nats_key", "NATS_KEY", LOGGED, "File with the key of that certificate."),
    option(
        "log_replicas",
        "HELIOGRAPH_LOG_REPLICAS",
        LOGGED,
        "NATS servers that hold each record; 3 in production, never more than there are servers.",
    ),
    option(
        "log_retention",
        "HELIOGRAPH_LOG_RETENTION",
        LOGGED,
        "How long records stay in the log.",
    ),
    option(
        "events_retention",
        "HELIOGRAPH_EVENTS_RETENTION",
        LOGGED,
        "How long lifecycle events can be heard after they were told.",
    ),
    option(
        "lifecycle_events",
        "HELIOGRAPH_LIFECYCLE_EVENTS",
        ("status",),
        "How lifecycle events are written: as a whole in the body, or with their attributes in "
        "headers.",
    ),
)
KUBE = (
    option("kubeconfig", "KUBECONFIG", KUBE_USERS, "File that says how to reach Kubernetes."),
    option(
        "kube_context", "HELIOGRAPH_KUBE_CONTEXT", KUBE_USERS, "Context of the kubeconfig to use."
    ),
    option(
        "in_cluster",
        "HELIOGRAPH_IN_CLUSTER",
        KUBE_USERS,
        "Use the pod's own credentials: always, never, or auto, that is when there is no "
        "kubeconfig.",
    ),
    option(
        "watch_namespace",
        "WATCH_NAMESPACE",
        KUBE_USERS,
        "Namespaces to look after, comma-separated; empty for all.",
    ),
    option("qps", "HELIOGRAPH_QPS", KUBE_USERS, "Requests to Kubernetes per second, lasting."),
    option("burst", "HELIOGRAPH_BURST", KUBE_USERS, "Requests to Kubernetes at once."),
    option(
        "relist_every",
        "HELIOGRAPH_RELIST_EVERY",
        ("watcher",),
        "How often everything is listed again, as a safety net.",
    ),
    option(
        "use_kubernetes_proxy",
        "HELIOGRAPH_USE_KUBERNETES_PROXY",
        ("watcher", "executor"),
        "Reach Ray dashboards through the API server instead of straight.",
    ),
    option(
        "dashboard_proxy",
        "HELIOGRAPH_DASHBOARD_PROXY",
        ("watcher", "executor"),
        "HTTP proxy through which Ray dashboards are reached, as a URL; empty for none.",
    ),
    option(
        "shadow",
        "HELIOGRAPH_SHADOW",
        LOGGED,
        "Only look on: decide beside another operator and change nothing, in a log of its own.",
    ),
)
PROCESS = (
    option(
        "member_id",
        "HELIOGRAPH_MEMBER_ID",
        EVERYBODY,
        "Name of this process among its replicas; empty for host name and process id.",
    ),
    option(
        "http_port",
        "HELIOGRAPH_HTTP_PORT",
        EVERYBODY,
        "Port of /healthz, /readyz and /metrics; 0 for any free one.",
    ),
    option("http_host", "HELIOGRAPH_HTTP_HOST", EVERYBODY, "Address to open that port on."),
    option("log_level", "HELIOGRAPH_LOG_LEVEL", EVERYBODY, "How much is logged."),
    option("log_format", "HELIOGRAPH_LOG_FORMAT", EVERYBODY, "JSON lines, or text for people."),
    option(
        "drain_timeout",
        "HELIOGRAPH_DRAIN_TIMEOUT",
        EVERYBODY,
        "How long work in hand may take to finish when asked to stop.",
    ),
)
WEBHOOK = (
    option("webhook_port", "HELIOGRAPH_WEBHOOK_PORT", APART, "Port of the webhook; 0 for any."),
    option("webhook_host", "HELIOGRAPH_WEBHOOK_HOST", APART, "Address to open that port on."),
    option("webhook_cert", "HELIOGRAPH_WEBHOOK_CERT", APART, "File with its certificate."),
    option("webhook_key", "HELIOGRAPH_WEBHOOK_KEY", APART, "File with the key of it."),
)
BUDGETS = (
    option(
        "budget_window",
        "HELIOGRAPH_BUDGET_WINDOW",
        ("executor",),
        "The span in which deletions are counted.",
    ),
    option(
        "budget_resource",
        "HELIOGRAPH_BUDGET_RESOURCE",
        ("executor",),
        "Deletions of one resource in that span before people are asked; 0 for any number.",
    ),
    option(
        "budget_namespace",
        "HELIOGRAPH_BUDGET_NAMESPACE",
        ("executor",),
        "Deletions in one namespace in that span before people are asked; 0 for any number.",
    ),
    option(
        "budget_fleet",
        "HELIOGRAPH_BUDGET_FLEET",
        ("executor",),
        "Deletions in all in that span before people are asked; 0 for any number.",
    ),
)
COURIER = (
    option(
        "subscriptions",
        "HELIOGRAPH_SUBSCRIPTIONS",
        BESIDE,
        "File that says who gets lifecycle events over HTTP; `run all` then runs the courier, too.",
    ),
)
OPTIONS: tuple[Option, ...] = (
    *BUS,
    *KUBE,
    *PROCESS,
    *DECISIONS,
    *JOBS,
    *PODS,
    *WEBHOOK,
    *BUDGETS,
    *COURIER,
)
