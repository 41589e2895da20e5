"""The service by which people find the head of a RayJob's cluster, whichever attempt runs.

Like the head service of the cluster itself, under the RayJob's name and with its labels alone.
After a new attempt it is pointed at the new cluster and keeps its address.
"""

from services.reconciler.manifests.names import check_label
from services.reconciler.manifests.rayjob.submitter import Attempt
from services.reconciler.manifests.rayjob.words import origin, owner_reference
from services.reconciler.manifests.services import head_service
from services.reconciler.manifests.settings import ManifestSettings
from shared.aggregates.rayjob import head_service_name
from shared.kernel.manifests import annotations_of, mapping_at, texts_at, thawed
from shared.resources import labels as words


def job_head_service(attempt: Attempt, settings: ManifestSettings) -> dict[str, object]:
    """Return the service's manifest."""
    job, cluster = attempt.job, attempt.cluster
    spec = thawed(mapping_at(head_service(cluster, settings), "spec"))
    spec["selector"] = texts_at(spec, "selector") | {words.APP_NAME: words.APP}
    given = cluster.head.head_service
    annotations = annotations_of(given) if given is not None else {}
    labels = origin(job) | {
        words.NODE_TYPE: words.HEAD,
        words.IDENTIFIER: check_label(f"{job.name}-{words.HEAD}"),
    }
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": head_service_name(job.name),
            "namespace": job.namespace,
            "labels": labels,
            **({"annotations": dict(annotations)} if annotations else {}),
            "ownerReferences": [owner_reference(job)],
        },
        "spec": spec,
    }
