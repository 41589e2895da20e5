"""The head pod, from the user's template: the assembly order, a line per step.

A function of the RayCluster and the settings alone. The pod has no name: whoever creates it asks
`head_name`. Its annotations say from which spec and by which version it was made, which is how a
later round finds out whether it must be made anew.
"""

from services.reconciler.manifests import names
from services.reconciler.manifests.labels import head_pod_labels
from services.reconciler.manifests.pods import auth, autoscaler, collector, gcs, tls
from services.reconciler.manifests.pods.draft import Part, draft_of, manifest
from services.reconciler.manifests.pods.finishing import (
    add_operator_defaults,
    finish,
    keep_command,
)
from services.reconciler.manifests.pods.ports import add_metrics_port
from services.reconciler.manifests.pods.start_params import group_params, with_common_defaults
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.hashing import recreate_hash
from shared.kernel.manifests import text_at
from shared.resources.labels import OPERATOR_VERSION, RECREATE_HASH
from shared.resources.predicates import autoscaling
from shared.resources.raycluster import RayCluster


def head_pod(cluster: RayCluster, settings: ManifestSettings) -> dict[str, object]:
    """Return the head pod's manifest, without a name."""
    draft = draft_of(cluster, cluster.head, settings)
    draft.labels = head_pod_labels(cluster, draft.labels)
    draft.start = head_start_params(cluster)
    keep_command(draft)
    log_readers: list[Part] = []
    if autoscaling(cluster):
        log_readers.append(autoscaler.add_autoscaler(draft))
    gcs.configure_head(draft)
    add_metrics_port(draft)
    auth.authenticate(draft, draft.ray)
    tls.secure(draft, draft.ray, head=True)
    tls.wait_for_address(draft, head=True)
    if (collecting := collector.add_collector(draft, head=True)) is not None:
        log_readers.append(collecting)
    add_operator_defaults(draft, settings.head_sidecars)
    finish(draft, head=True, log_readers=log_readers)
    draft.annotations[RECREATE_HASH] = recreate_hash(cluster.spec_as_written())
    draft.annotations[OPERATOR_VERSION] = settings.version
    return manifest(draft)


def head_name(cluster: RayCluster, settings: ManifestSettings) -> str:
    """Return the name of the head pod: the template's, a fixed one, or one from the uid."""
    given = text_at(cluster.head.template, "metadata", "name")
    if given:
        return given
    if settings.deterministic_head_pod_name:
        return names.head_pod_name_fixed(cluster.name)
    return names.head_pod_name(cluster.name, cluster.uid)


def head_start_params(cluster: RayCluster) -> dict[str, str]:
    """Return the parameters of the head's `ray start`, before later steps add theirs."""
    return {"dashboard-host": "0.0.0.0", **with_common_defaults(group_params(cluster.head))}
