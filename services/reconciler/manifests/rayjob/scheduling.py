"""What batch schedulers want of a RayJob: marks on what it makes, and Volcano's PodGroup.

Cluster and submitter are one gang. Marks are put where there is a submitter that somebody else
schedules (K8sJobMode); in the other modes the cluster's own pods carry everything. The PodGroup is
sized by the spec that the user wrote, so that a submitter beside the head counts once.
"""

from msgspec import Struct, field

from services.reconciler.manifests.rayjob.words import (
    SUBMITTER_RESOURCES,
    owner_reference,
    users_annotations,
)
from services.reconciler.manifests.schedulers import words
from services.reconciler.manifests.schedulers.gang import Gang
from services.reconciler.manifests.schedulers.volcano import volcano_gang, volcano_pod_group
from services.reconciler.manifests.schedulers.yunikorn import task_groups
from shared.kernel.manifests import Raw, mapping_at
from shared.kernel.quantities import ZERO, parse_quantity
from shared.kernel.schedulers import VOLCANO, YUNIKORN
from shared.resources.job_options import K8S_JOB_MODE, SIDECAR_MODE
from shared.resources.raycluster import RayCluster
from shared.resources.rayjob import RayJob
from shared.resources.totals import pod_resources

SUBMITTER_GROUP = "submittergroup"


class Marks(Struct, frozen=True, kw_only=True):
    """What is put on an object for the scheduler in use."""

    labels: dict[str, str] = field(default_factory=dict)
    annotations: dict[str, str] = field(default_factory=dict)
    scheduler: str = ""


def pod_group_name(rayjob: str) -> str:
    """Return the name of the PodGroup that all pods of a RayJob share."""
    return f"ray-{rayjob}-pg"


def marks(job: RayJob, wished: RayCluster | None, scheduler: str, group: str = "") -> Marks:
    """Return the marks of a RayJob's cluster (no group) or of its submitter."""
    if job.spec.submission_mode != K8S_JOB_MODE:
        return Marks()
    if scheduler == VOLCANO:
        kept = (words.VOLCANO_QUEUE, words.PRIORITY_CLASS)
        return Marks(
            labels={key: job.labels[key] for key in kept if job.labels.get(key)},
            annotations={
                words.VOLCANO_GROUP: pod_group_name(job.name),
                words.VOLCANO_TASK: group,
            },
            scheduler=VOLCANO,
        )
    return _for_yunikorn(job, wished, group) if scheduler == YUNIKORN else Marks()


def _for_yunikorn(job: RayJob, wished: RayCluster | None, group: str) -> Marks:
    named = {
        words.YUNIKORN_POD_APP: job.labels.get(words.YUNIKORN_APP),
        words.YUNIKORN_POD_QUEUE: job.labels.get(words.YUNIKORN_QUEUE),
    }
    own = job.annotations.get(words.YUNIKORN_TASK_GROUPS)
    annotations: dict[str, str] = {}
    if words.GANG in job.labels and (own or wished is not None):
        described = own or (_described(job, wished) if wished is not None else "")
        annotations = {words.YUNIKORN_TASK_GROUPS: described}
        annotations |= {words.YUNIKORN_TASK_GROUP: group} if group else {}
    labels = {key: value for key, value in named.items() if value}
    return Marks(labels=labels, annotations=annotations, scheduler=YUNIKORN)


def _described(job: RayJob, wished: RayCluster) -> str:
    return task_groups(wished, {SUBMITTER_GROUP: _submitter_template(job)})


def _submitter_template(job: RayJob) -> Raw:
    """Return the pod that submits, as far as its size goes."""
    given = job.spec.submitter_pod_template
    if given is not None and job.spec.submission_mode == K8S_JOB_MODE:
        return given
    return {"spec": {"containers": [{"resources": SUBMITTER_RESOURCES}]}}


def job_gang(job: RayJob, wished: RayCluster) -> Gang:
    """Return the gang of a RayJob: its cluster's pods, and the resources of whoever submits."""
    gang = volcano_gang(wished)
    if job.spec.submission_mode not in (K8S_JOB_MODE, SIDECAR_MODE):
        return gang
    total = {name: parse_quantity(text) or ZERO for name, text in gang.resources.items()}
    for name, amount in pod_resources(_submitter_template(job)).items():
        total[name] = total.get(name, ZERO) + amount
    resources = {name: str(amount) for name, amount in sorted(total.items())}
    return Gang(members=gang.members, resources=resources)


def job_pod_group(job: RayJob, wished: RayCluster) -> dict[str, object]:
    """Return Volcano's PodGroup of a RayJob whose labels make sense."""
    made = volcano_pod_group(stand_in(job, wished))
    gang = job_gang(job, wished)
    metadata = {**mapping_at(made, "metadata"), "ownerReferences": [owner_reference(job)]}
    sizes = {"minMember": gang.members, "minResources": gang.resources}
    return {**made, "metadata": metadata, "spec": {**mapping_at(made, "spec"), **sizes}}


def stand_in(job: RayJob, wished: RayCluster) -> RayCluster:
    """Return a cluster with the RayJob's name, labels and annotations, for what reads those."""
    given = {"name": job.name, "annotations": users_annotations(job)}
    return wished.model_copy(update={"metadata": wished.metadata.model_copy(update=given)})
