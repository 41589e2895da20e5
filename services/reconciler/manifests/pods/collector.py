"""The collector that runs beside Ray and keeps logs and events for when the cluster is gone.

It reads Ray's log folder and is sent Ray's events; where it stores them is told by the user's own
variables. Ray is told to send, unless the user says otherwise.
"""

from services.reconciler.manifests.names import head_fqdn
from services.reconciler.manifests.pods import auth
from services.reconciler.manifests.pods.draft import Part, PodDraft, parts
from services.reconciler.manifests.pods.environment import (
    CLUSTER_NAME,
    CLUSTER_NAMESPACE,
    add,
    append,
    literal,
    of_field,
)
from shared.kernel.manifests import named, thawed
from shared.resources.labels import ORIGINATED_FROM_CRD, ORIGINATED_FROM_NAME
from shared.resources.options import CollectorOptions
from shared.resources.raycluster import RayCluster

NAME = "ray-history-collector"

_EVENTS_PORT = "8084"
_DASHBOARD = "RAY_DASHBOARD_ADDRESS"
_OWNERS = {"OWNER_KIND": ORIGINATED_FROM_CRD, "OWNER_NAME": ORIGINATED_FROM_NAME}
_EVENT_TYPES = (
    "TASK_DEFINITION_EVENT",
    "TASK_LIFECYCLE_EVENT",
    "ACTOR_TASK_DEFINITION_EVENT",
    "TASK_PROFILE_EVENT",
    "DRIVER_JOB_DEFINITION_EVENT",
    "DRIVER_JOB_LIFECYCLE_EVENT",
    "ACTOR_DEFINITION_EVENT",
    "ACTOR_LIFECYCLE_EVENT",
    "NODE_DEFINITION_EVENT",
    "NODE_LIFECYCLE_EVENT",
)
_AGENT = "RAY_DASHBOARD_AGGREGATOR_AGENT"


def add_collector(draft: PodDraft, *, head: bool) -> Part | None:
    """Run a collector in the pod, if the cluster asks for one; return its container."""
    options = _options(draft.cluster)
    if options is None:
        return None
    container = _container(draft, options, head=head)
    parts(draft.spec, "containers").append(container)
    return container


def send_events(draft: PodDraft) -> None:
    """Tell Ray to send its events to the collector beside it, if there is one."""
    if _options(draft.cluster) is None:
        return
    types = ",".join(_EVENT_TYPES)
    add(
        draft.ray,
        literal("RAY_enable_ray_event", "true"),
        literal("RAY_enable_core_worker_ray_event_to_aggregator", "true"),
        literal(f"{_AGENT}_EVENTS_EXPORT_ADDR", f"http://localhost:{_EVENTS_PORT}/v1/events"),
        literal(f"{_AGENT}_EXPOSABLE_EVENT_TYPES", types),
        literal(f"{_AGENT}_PUBLISHER_HTTP_ENDPOINT_EXPOSABLE_EVENT_TYPES", types),
    )


def _options(cluster: RayCluster) -> CollectorOptions | None:
    """Return what is asked for; a cluster that asks with the gate shut is never valid."""
    options = cluster.spec.history_server_options
    return options.collector_options if options else None


def _container(draft: PodDraft, options: CollectorOptions, *, head: bool) -> Part:
    cluster = draft.cluster
    container: Part = {
        "name": NAME,
        "image": options.image or "",
        "imagePullPolicy": options.image_pull_policy or "IfNotPresent",
        "resources": _resources(options),
        "env": [
            of_field("POD_IP", "status.podIP"),
            literal(CLUSTER_NAME, cluster.name),
            literal(CLUSTER_NAMESPACE, cluster.namespace),
            literal("RAY_ROLE", "Head" if head else "Worker"),
            literal("EVENTS_PORT", _EVENTS_PORT),
            literal("FQ_RAY_IP", head_fqdn(cluster, draft.settings.cluster_domain)),
        ],
    }
    for name, label in _OWNERS.items():
        if owner := cluster.labels.get(label):
            append(container, literal(name, owner))
    if head and named(options.env, _DASHBOARD) is None:
        append(container, literal(_DASHBOARD, "http://localhost:8265"))
    append(container, *(thawed(variable) for variable in options.env))
    auth.authenticate(draft, container)
    return container


def _resources(options: CollectorOptions) -> Part:
    if options.resources is not None:
        return thawed(options.resources)
    return {
        "limits": {"cpu": "200m", "memory": "256Mi"},
        "requests": {"cpu": "50m", "memory": "64Mi"},
    }
