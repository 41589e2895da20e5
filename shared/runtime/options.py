"""How each setting is called: the table behind the flags, the variables and the reference page.

One row per field of `shared.runtime.settings`, which holds its type and default; a test keeps the
two in step. Variables that KubeRay, NATS or Kubernetes already have a name for keep that name.
"""

from msgspec import Struct

from shared.kernel.schedulers import NAMED, VOLCANO

SERVICES = ("watcher", "reconciler", "executor", "status", "scheduler")
"""What makes the operator: `all` of them."""
BESIDE = ("courier",)
"""What works on the log as well, and runs with `all` only where something is set for it to do."""
APART = ("webhook",)
"""What runs only where it is asked for by name, and needs no log."""
_KUBE = ("watcher", "executor", "status")
_DECIDING = ("reconciler", "status")
_LOOKING = ("watcher", *_DECIDING)
"""Whoever must know which kinds are looked at."""
_LOGGED = (*SERVICES, *BESIDE)
_EVERYBODY = (*_LOGGED, *APART)


class Option(Struct, frozen=True, kw_only=True):
    """One setting as a user meets it."""

    name: str
    variable: str
    services: tuple[str, ...]
    help: str

    @property
    def flag(self) -> str:
        """The setting on a command line."""
        return "--" + self.name.replace("_", "-")


def _option(name: str, variable: str, services: tuple[str, ...], sentence: str) -> Option:
    return Option(name=name, variable=variable, services=services, help=sentence)


BUS = (
    _option("nats_url", "NATS_URL", _LOGGED, "NATS servers, comma-separated."),
    _option("nats_creds", "NATS_CREDS", _LOGGED, "File with NATS user credentials."),
    _option("nats_ca", "NATS_CA", _LOGGED, "File with the authorities that NATS is trusted by."),
    _option("nats_cert", "NATS_CERT", _LOGGED, "File with our certificate for NATS."),
    _option("nats_key", "NATS_KEY", _LOGGED, "File with the key of that certificate."),
    _option(
        "log_replicas",
        "HELIOGRAPH_LOG_REPLICAS",
        _LOGGED,
        "NATS servers that hold each record; 3 in production, never more than there are servers.",
    ),
    _option(
        "log_retention",
        "HELIOGRAPH_LOG_RETENTION",
        _LOGGED,
        "How long records stay in the log.",
    ),
    _option(
        "events_retention",
        "HELIOGRAPH_EVENTS_RETENTION",
        _LOGGED,
        "How long lifecycle events can be heard after they were told.",
    ),
    _option(
        "lifecycle_events",
        "HELIOGRAPH_LIFECYCLE_EVENTS",
        ("status",),
        "How lifecycle events are written: as a whole in the body, or with their attributes in "
        "headers.",
    ),
)
KUBE = (
    _option("kubeconfig", "KUBECONFIG", _KUBE, "File that says how to reach Kubernetes."),
    _option("kube_context", "HELIOGRAPH_KUBE_CONTEXT", _KUBE, "Context of the kubeconfig to use."),
    _option(
        "in_cluster",
        "HELIOGRAPH_IN_CLUSTER",
        _KUBE,
        "Use the pod's own credentials: always, never, or auto, that is when there is no "
        "kubeconfig.",
    ),
    _option(
        "watch_namespace",
        "WATCH_NAMESPACE",
        _KUBE,
        "Namespaces to look after, comma-separated; empty for all.",
    ),
    _option("qps", "HELIOGRAPH_QPS", _KUBE, "Requests to Kubernetes per second, lasting."),
    _option("burst", "HELIOGRAPH_BURST", _KUBE, "Requests to Kubernetes at once."),
    _option(
        "relist_every",
        "HELIOGRAPH_RELIST_EVERY",
        ("watcher",),
        "How often everything is listed again, as a safety net.",
    ),
    _option(
        "use_kubernetes_proxy",
        "HELIOGRAPH_USE_KUBERNETES_PROXY",
        ("watcher", "executor"),
        "Reach Ray dashboards through the API server instead of straight.",
    ),
    _option(
        "dashboard_proxy",
        "HELIOGRAPH_DASHBOARD_PROXY",
        ("watcher", "executor"),
        "HTTP proxy through which Ray dashboards are reached, as a URL; empty for none.",
    ),
)
PROCESS = (
    _option(
        "member_id",
        "HELIOGRAPH_MEMBER_ID",
        _EVERYBODY,
        "Name of this process among its replicas; empty for host name and process id.",
    ),
    _option(
        "http_port",
        "HELIOGRAPH_HTTP_PORT",
        _EVERYBODY,
        "Port of /healthz, /readyz and /metrics; 0 for any free one.",
    ),
    _option("http_host", "HELIOGRAPH_HTTP_HOST", _EVERYBODY, "Address to open that port on."),
    _option("log_level", "HELIOGRAPH_LOG_LEVEL", _EVERYBODY, "How much is logged."),
    _option("log_format", "HELIOGRAPH_LOG_FORMAT", _EVERYBODY, "JSON lines, or text for people."),
    _option(
        "drain_timeout",
        "HELIOGRAPH_DRAIN_TIMEOUT",
        _EVERYBODY,
        "How long work in hand may take to finish when asked to stop.",
    ),
)
DECISIONS = (
    _option(
        "feature_gates",
        "HELIOGRAPH_FEATURE_GATES",
        (*_LOOKING, *APART),
        "Features to switch, as Name=true,Other=false.",
    ),
    _option("cluster_domain", "CLUSTER_DOMAIN", _DECIDING, "The cluster's DNS suffix."),
    _option(
        "enable_probes_injection",
        "ENABLE_PROBES_INJECTION",
        _DECIDING,
        "Add health probes to Ray containers that have none.",
    ),
    _option(
        "enable_init_container_injection",
        "ENABLE_INIT_CONTAINER_INJECTION",
        _DECIDING,
        "Let workers wait for the head's GCS before they start.",
    ),
    _option(
        "enable_login_shell",
        "ENABLE_LOGIN_SHELL",
        _DECIDING,
        "Start Ray in a login shell.",
    ),
    _option(
        "enable_ray_head_cluster_ip_service",
        "ENABLE_RAY_HEAD_CLUSTER_IP_SERVICE",
        _DECIDING,
        "Give the head service an address of its own instead of making it headless.",
    ),
    _option(
        "enable_deterministic_head_pod_name",
        "ENABLE_DETERMINISTIC_HEAD_POD_NAME",
        _DECIDING,
        "Name the head pod after its cluster alone.",
    ),
    _option(
        "enable_random_pod_delete",
        "ENABLE_RANDOM_POD_DELETE",
        _DECIDING,
        "Let us choose which workers go when the autoscaler is on.",
    ),
    _option(
        "enable_gcs_ft_redis_cleanup",
        "ENABLE_GCS_FT_REDIS_CLEANUP",
        _DECIDING,
        "Remove a deleted cluster's data from Redis before letting it go.",
    ),
    _option(
        "batch_scheduler",
        "HELIOGRAPH_BATCH_SCHEDULER",
        _LOOKING,
        f"The batch scheduler that places pods: {', '.join(NAMED)}; empty for none.",
    ),
    _option(
        "enable_batch_scheduler",
        "HELIOGRAPH_ENABLE_BATCH_SCHEDULER",
        _LOOKING,
        f"Deprecated: the same as --batch-scheduler {VOLCANO}.",
    ),
    _option(
        "openshift",
        "HELIOGRAPH_OPENSHIFT",
        _LOOKING,
        "This is OpenShift: clusters that ask for an ingress get a route.",
    ),
    _option(
        "use_ingress_on_openshift",
        "USE_INGRESS_ON_OPENSHIFT",
        _LOOKING,
        "Make ingresses on OpenShift, too.",
    ),
)
JOBS = (
    _option(
        "delete_rayjob_after_finish",
        "DELETE_RAYJOB_CR_AFTER_JOB_FINISHES",
        _DECIDING,
        "Delete a finished RayJob itself where its cluster would be shut down.",
    ),
    _option(
        "rayjob_transition_grace_seconds",
        "RAYJOB_DEPLOYMENT_STATUS_TRANSITION_GRACE_PERIOD_SECONDS",
        _DECIDING,
        "How long a submitter may take to end once its job has.",
    ),
    _option(
        "rayjob_status_check_timeout_seconds",
        "RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS",
        _DECIDING,
        "How long nobody may be able to tell how a job is, until it counts as failed.",
    ),
    _option(
        "cron_catch_up",
        "HELIOGRAPH_CRON_CATCH_UP",
        _DECIDING,
        "Make up for every missed run of a RayCronJob, as KubeRay does, not for the latest alone.",
    ),
    _option(
        "enable_zero_downtime",
        "ENABLE_ZERO_DOWNTIME",
        _DECIDING,
        "Give a RayService without a strategy a new cluster for a new cluster spec.",
    ),
)
PODS = (
    _option(
        "head_sidecar_containers",
        "HELIOGRAPH_HEAD_SIDECAR_CONTAINERS",
        _DECIDING,
        "Containers to add to every head pod, after all others.",
    ),
    _option(
        "worker_sidecar_containers",
        "HELIOGRAPH_WORKER_SIDECAR_CONTAINERS",
        _DECIDING,
        "Containers to add to every worker pod, after all others.",
    ),
    _option(
        "default_container_envs",
        "HELIOGRAPH_DEFAULT_CONTAINER_ENVS",
        _DECIDING,
        "Variables for every Ray container that has none of the name.",
    ),
    _option(
        "default_pod_labels",
        "HELIOGRAPH_DEFAULT_POD_LABELS",
        _DECIDING,
        "Labels for every Ray pod that has none of the key.",
    ),
    _option(
        "default_pod_annotations",
        "HELIOGRAPH_DEFAULT_POD_ANNOTATIONS",
        _DECIDING,
        "Annotations for every Ray pod that has none of the key.",
    ),
)
WEBHOOK = (
    _option("webhook_port", "HELIOGRAPH_WEBHOOK_PORT", APART, "Port of the webhook; 0 for any."),
    _option("webhook_host", "HELIOGRAPH_WEBHOOK_HOST", APART, "Address to open that port on."),
    _option("webhook_cert", "HELIOGRAPH_WEBHOOK_CERT", APART, "File with its certificate."),
    _option("webhook_key", "HELIOGRAPH_WEBHOOK_KEY", APART, "File with the key of it."),
)
BUDGETS = (
    _option(
        "budget_window",
        "HELIOGRAPH_BUDGET_WINDOW",
        ("executor",),
        "The span in which deletions are counted.",
    ),
    _option(
        "budget_resource",
        "HELIOGRAPH_BUDGET_RESOURCE",
        ("executor",),
        "Deletions of one resource in that span before people are asked; 0 for any number.",
    ),
    _option(
        "budget_namespace",
        "HELIOGRAPH_BUDGET_NAMESPACE",
        ("executor",),
        "Deletions in one namespace in that span before people are asked; 0 for any number.",
    ),
    _option(
        "budget_fleet",
        "HELIOGRAPH_BUDGET_FLEET",
        ("executor",),
        "Deletions in all in that span before people are asked; 0 for any number.",
    ),
)
COURIER = (
    _option(
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
