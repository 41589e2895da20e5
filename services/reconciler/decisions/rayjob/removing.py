"""What goes: everything of an attempt that is suspended or tried again, and what an end leaves.

Only what the RayJob owns is deleted, by uid; a cluster that was selected stays. What a deletion
needs to be known for is told before: the status says how it ended before anything goes.
"""

from collections.abc import Iterator

from services.reconciler.decisions.rayjob.situation import Situation
from shared.actions.objects import Action, DeleteObject, Notice, PatchObject, Words
from shared.events.objects import ResourceSeen
from shared.kernel.manifests import entries_at, thawed


def remove_attempt(found: Situation, because: str) -> tuple[Action, ...]:
    """Remove cluster and submitter."""
    return (*remove_cluster(found, because), *_remove_submitter(found, because))


def remove_cluster(found: Situation, because: str) -> Iterator[DeleteObject]:
    """Remove the attempt's own cluster, unless it is going."""
    seen = owned_cluster(found)
    if seen is None or seen.meta.deleted_at or found.unsettled("raycluster", seen.meta.name):
        return
    place = f"{found.job.namespace}/{seen.meta.name}"
    yield DeleteObject(
        kind="raycluster",
        name=seen.meta.name,
        uid=seen.meta.uid,
        rule="removal",
        because=because,
        notice=Notice(
            done=Words(reason="DeletedRayCluster", message=f"Deleted cluster {place}"),
            refused=Words(
                reason="FailedToDeleteRayCluster", message=f"Failed to delete cluster {place}: "
            ),
        ),
    )


def owned_cluster(found: Situation) -> ResourceSeen | None:
    """Return the cluster, if it is the attempt's own."""
    return None if found.selects else found.state.cluster


def suspend_workers(found: Situation, because: str) -> Iterator[PatchObject]:
    """Suspend every worker group of the attempt's own cluster; its head stays."""
    seen = owned_cluster(found)
    if seen is None or seen.meta.deleted_at or workers_suspended(seen):
        return
    if found.unsettled("raycluster", seen.meta.name):
        return
    groups = [dict(thawed(one), suspend=True) for one in entries_at(seen.spec, "workerGroupSpecs")]
    place = f"{found.job.namespace}/{seen.meta.name}"
    yield PatchObject(
        kind="raycluster",
        name=seen.meta.name,
        uid=seen.meta.uid,
        resource_version=seen.meta.resource_version,
        patch={"spec": {"workerGroupSpecs": groups}},
        rule="removal",
        because=because,
        notice=Notice(
            done=Words(
                reason="UpdatedRayCluster",
                message=f"Set the `suspend` field to true for all worker groups in cluster {place}",
            ),
            refused=Words(
                reason="FailedToUpdateRayCluster",
                message=f"Failed to suspend worker groups in cluster {place}: ",
            ),
        ),
    )


def workers_suspended(cluster: ResourceSeen) -> bool:
    """Whether every worker group is suspended."""
    groups = entries_at(cluster.spec, "workerGroupSpecs")
    return all(group.get("suspend") is True for group in groups)


def remove_itself(found: Situation, because: str) -> Iterator[DeleteObject]:
    """Delete the RayJob; what it owns follows."""
    own = found.view.own
    if own is None or own.meta.deleted_at or found.unsettled("rayjob", own.meta.name):
        return
    yield DeleteObject(
        kind="rayjob", name=own.meta.name, uid=own.meta.uid, rule="removal", because=because
    )


def _remove_submitter(found: Situation, because: str) -> Iterator[DeleteObject]:
    job = found.state.submitter_job
    if job is None or job.meta.deleted_at or found.unsettled("job", job.meta.name):
        return
    place = f"{found.job.namespace}/{job.meta.name}"
    yield DeleteObject(
        kind="job",
        name=job.meta.name,
        uid=job.meta.uid,
        rule="removal",
        because=because,
        notice=Notice(
            done=Words(
                reason="DeletedRayJobSubmitter", message=f"Deleted submitter K8s Job {place}"
            ),
            refused=Words(
                reason="FailedToDeleteRayJobSubmitter",
                message=f"Failed to delete submitter K8s Job {place}: ",
            ),
        ),
    )
