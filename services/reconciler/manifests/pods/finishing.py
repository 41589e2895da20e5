"""What head and workers have in common once their own steps are done."""

from collections.abc import Sequence

from services.reconciler.manifests.pods.collector import send_events
from services.reconciler.manifests.pods.draft import Part, PodDraft, parts
from services.reconciler.manifests.pods.environment import add_ray_environment
from services.reconciler.manifests.pods.init_containers import tell_init_containers
from services.reconciler.manifests.pods.probes import add_probes
from services.reconciler.manifests.pods.ray_start import ray_start_command, wrap_command
from services.reconciler.manifests.pods.start_params import with_container_resources
from services.reconciler.manifests.pods.volumes import add_shared_memory, share_logs
from services.reconciler.manifests.schedulers.pods import schedule
from shared.kernel.manifests import Raw, thawed
from shared.resources.labels import OVERWRITE_COMMAND
from shared.resources.predicates import keeps_command


def keep_command(draft: PodDraft) -> None:
    """Mark the pod whose user starts Ray in the container's own command."""
    if keeps_command(draft.cluster):
        draft.annotations[OVERWRITE_COMMAND] = "true"


def add_operator_defaults(draft: PodDraft, sidecars: Sequence[Raw]) -> None:
    """Add what the operator's configuration gives to every pod; users' own words win."""
    parts(draft.spec, "containers").extend(thawed(sidecar) for sidecar in sidecars)
    draft.annotations = {**draft.settings.default_pod_annotations, **draft.annotations}
    draft.labels = {**draft.settings.default_pod_labels, **draft.labels}


def finish(draft: PodDraft, *, head: bool, log_readers: Sequence[Part] = ()) -> None:
    """Make the Ray container run Ray: memory, logs, command, environment, probes."""
    add_shared_memory(draft)
    for sidecar in log_readers:
        share_logs(draft, sidecar)
    params = with_container_resources(draft.start, draft.ray)
    command = ray_start_command(params, head=head)
    wrap_command(draft, command)
    tell_init_containers(draft)
    add_ray_environment(draft, command, head=head)
    send_events(draft)
    add_probes(draft, head=head)
    schedule(draft)
