"""Environment variables of the containers, in their order.

What a user set is never changed. Some variables are only added where the user has none; others
are added in any case and win, because Kubernetes lets the last of a name win.
"""

from services.reconciler.manifests.names import head_fqdn, head_service_name
from services.reconciler.manifests.pods.draft import Part, PodDraft, add_once, parts
from shared.kernel.manifests import Raw
from shared.resources.labels import CLUSTER, GROUP
from shared.resources.predicates import creator
from shared.resources.raycluster import RayCluster

CLUSTER_NAME = "RAY_CLUSTER_NAME"
CLUSTER_NAMESPACE = "RAY_CLUSTER_NAMESPACE"
DEFAULT_HEAD_PORT = "6379"


def literal(name: str, value: str) -> Part:
    """Return a variable with this value."""
    return {"name": name, "value": value}


def of_field(name: str, path: str) -> Part:
    """Return a variable that takes a field of its pod."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def of_cluster() -> list[Part]:
    """Return the variables that tell a container which cluster it belongs to."""
    return [
        of_field(CLUSTER_NAME, f"metadata.labels['{CLUSTER}']"),
        of_field(CLUSTER_NAMESPACE, "metadata.namespace"),
    ]


def add(container: Part, *variables: Raw) -> None:
    """Add the variables where the user has none of that name."""
    for variable in variables:
        add_once(parts(container, "env"), variable)


def append(container: Part, *variables: Part) -> None:
    """Add the variables in any case; they win."""
    parts(container, "env").extend(variables)


def head_port(cluster: RayCluster) -> str:
    """Return the port of the head's store, which every node is told."""
    return cluster.head.ray_start_params.get("port") or DEFAULT_HEAD_PORT


def head_address(draft: PodDraft) -> list[Part]:
    """Return where the head is: full name, and the short one for older images."""
    return [
        literal("FQ_RAY_IP", head_fqdn(draft.cluster, draft.settings.cluster_domain)),
        literal("RAY_IP", head_service_name(draft.cluster)),
    ]


def add_ray_environment(draft: PodDraft, start_command: str, *, head: bool) -> None:
    """Give the Ray container all that Ray needs to know, after what earlier steps added."""
    ray = draft.ray
    add(ray, *draft.settings.default_container_envs)
    if not head:
        append(ray, *head_address(draft))
    append(
        ray,
        *of_cluster(),
        of_field("RAY_CLOUD_INSTANCE_ID", "metadata.name"),
        of_field("RAY_NODE_TYPE_NAME", f"metadata.labels['{GROUP}']"),
        literal("KUBERAY_GEN_RAY_START_CMD", start_command),
    )
    add(ray, literal("RAY_PORT", head_port(draft.cluster)))
    if creator(draft.cluster) == "RayService":
        add(ray, *_PATIENCE_OF_SERVICES)
    add(ray, literal("RAY_ADDRESS", _own_address(draft, head=head)))
    add(ray, literal("RAY_USAGE_STATS_KUBERAY_IN_USE", "1"))
    if head:
        append(ray, literal("RAY_USAGE_STATS_EXTRA_TAGS", _usage_tags(draft)))
    add(ray, literal("RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE", "1"))


_PATIENCE_OF_SERVICES = (
    literal("RAY_timeout_ms_task_wait_for_death_info", "0"),
    literal("RAY_gcs_server_request_timeout_seconds", "5"),
    literal("RAY_SERVE_KV_TIMEOUT_S", "5"),
)


def _own_address(draft: PodDraft, *, head: bool) -> str:
    host = "127.0.0.1" if head else head_fqdn(draft.cluster, draft.settings.cluster_domain)
    return f"{host}:{head_port(draft.cluster)}"


def _usage_tags(draft: PodDraft) -> str:
    return f"kuberay_version={draft.settings.version};kuberay_crd={creator(draft.cluster)}"
