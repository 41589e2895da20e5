"""A worker pod, from its group's template: the assembly order, a line per step.

A function of the RayCluster, the group and the settings alone; where the pod stands in its group
is told by a `Place`. The pod has no name: whoever creates it gives it one.
"""

from msgspec import Struct

from services.reconciler.manifests.labels import worker_pod_labels
from services.reconciler.manifests.names import head_fqdn
from services.reconciler.manifests.pods import auth, collector, gcs, tls
from services.reconciler.manifests.pods.draft import PodDraft, draft_of, manifest
from services.reconciler.manifests.pods.environment import head_port
from services.reconciler.manifests.pods.finishing import (
    add_operator_defaults,
    finish,
    keep_command,
)
from services.reconciler.manifests.pods.init_containers import (
    add_wait_gcs_ready,
    waiting_container,
)
from services.reconciler.manifests.pods.ports import add_metrics_port
from services.reconciler.manifests.pods.start_params import group_params, with_common_defaults
from services.reconciler.manifests.settings import ManifestSettings
from shared.resources.groups import WorkerGroup
from shared.resources.labels import HOST_INDEX, REPLICA_INDEX, REPLICA_NAME
from shared.resources.predicates import autoscaler_version, autoscaling
from shared.resources.raycluster import RayCluster


class Place(Struct, frozen=True, kw_only=True):
    """Where a worker stands in its group: which replica, and which host of it."""

    replica_index: int
    replica_name: str = ""
    host_index: int = 0


def worker_pod(
    cluster: RayCluster,
    group: WorkerGroup,
    settings: ManifestSettings,
    place: Place | None = None,
) -> dict[str, object]:
    """Return a worker pod's manifest, without a name."""
    draft = draft_of(cluster, group, settings)
    add_wait_gcs_ready(draft)
    draft.labels = worker_pod_labels(cluster, group, draft.labels)
    draft.labels |= place_labels(group, place)
    draft.start = worker_start_params(draft, group)
    keep_command(draft)
    gcs.configure_worker(draft)
    add_metrics_port(draft)
    if autoscaling(cluster) and autoscaler_version(cluster) == "v2":
        draft.spec["restartPolicy"] = "Never"
    _admit(draft)
    collecting = collector.add_collector(draft, head=False)
    add_operator_defaults(draft, settings.worker_sidecars)
    finish(draft, head=False, log_readers=[collecting] if collecting is not None else [])
    return manifest(draft)


def place_labels(group: WorkerGroup, place: Place | None) -> dict[str, str]:
    """Return the labels that say where a worker stands in its group."""
    if place is None:
        return {}
    index = {REPLICA_INDEX: str(place.replica_index)}
    if group.num_of_hosts <= 1:
        return index
    return index | {REPLICA_NAME: place.replica_name, HOST_INDEX: str(place.host_index)}


def worker_start_params(draft: PodDraft, group: WorkerGroup) -> dict[str, str]:
    """Return the parameters of a worker's `ray start`, before its container's own are added."""
    host = head_fqdn(draft.cluster, draft.settings.cluster_domain)
    address = f"{host}:{head_port(draft.cluster)}"
    return {"address": address, **with_common_defaults(group_params(group))}


def _admit(draft: PodDraft) -> None:
    """Let in what talks to the head: Ray, and the container that waits for it."""
    waiting = waiting_container(draft)
    for container in (draft.ray, waiting) if waiting is not None else (draft.ray,):
        auth.authenticate(draft, container)
        tls.secure(draft, container, head=False)
    tls.wait_for_address(draft, head=False)
