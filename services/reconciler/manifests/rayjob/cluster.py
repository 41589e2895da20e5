"""The RayCluster that is made for one attempt at a RayJob, and the names of an attempt.

Names are derived, not drawn: asking twice asks for the same cluster and the same Ray job. Another
attempt has other names, because it is another generation of the spec or one failure more.
"""

from collections.abc import Mapping

from services.reconciler.manifests.rayjob.scheduling import marks
from services.reconciler.manifests.rayjob.submitter import Attempt, sidecar
from services.reconciler.manifests.rayjob.wished import cluster_as_wished
from services.reconciler.manifests.rayjob.words import origin, owner_reference, users_annotations
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.manifests import entries_at, mapping_at, thawed
from shared.resources import labels as words
from shared.resources.job_options import SIDECAR_MODE
from shared.resources.raycluster import KIND
from shared.resources.resource import GROUP, VERSION


def raycluster_manifest(
    attempt: Attempt, settings: ManifestSettings, *, restarts: bool
) -> dict[str, object]:
    """Return the RayCluster of an attempt."""
    job = attempt.job
    mode = job.spec.submission_mode
    wished = cluster_as_wished(job, attempt.cluster.name)
    scheduled = marks(job, wished, settings.scheduler)
    annotations = users_annotations(job) | scheduled.annotations
    spec = thawed(attempt.cluster.spec_as_written())
    if mode == SIDECAR_MODE:
        annotations[words.DISABLE_HEAD_RESTART] = "true"
        _add_to_head(spec, sidecar(attempt, settings, restarts=restarts))
    labels = dict(job.labels) | origin(job) | {words.JOB_SUBMISSION_MODE: mode} | scheduled.labels
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": KIND,
        "metadata": {
            "name": attempt.cluster.name,
            "namespace": job.namespace,
            "labels": labels,
            **({"annotations": annotations} if annotations else {}),
            "ownerReferences": [owner_reference(job)],
        },
        "spec": spec,
    }


def _add_to_head(spec: dict[str, object], container: Mapping[str, object]) -> None:
    head = dict(mapping_at(spec, "headGroupSpec"))
    template = dict(mapping_at(head, "template"))
    pod = dict(mapping_at(template, "spec"))
    pod["containers"] = [*entries_at(pod, "containers"), container]
    pod["restartPolicy"] = "Never"
    template["spec"] = pod
    head["template"] = template
    spec["headGroupSpec"] = head
