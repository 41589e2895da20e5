"""What a batch scheduler keeps of a RayJob: Volcano's PodGroup, and what no scheduler can do.

The PodGroup comes before the cluster and has the size of everything that must run together; when an
attempt is over it is made as small as what is left of it. Where a scheduler cannot serve a RayJob
at all, nothing is made: the status says why, and the user's deadlines go on.
"""

from collections.abc import Iterator

from services.reconciler.decisions.raycluster.batch_scheduling import RULE, difference
from services.reconciler.decisions.rayjob.removing import owned_cluster
from services.reconciler.decisions.rayjob.situation import POD_GROUP, Situation
from services.reconciler.manifests.rayjob.scheduling import job_gang, pod_group_name, stand_in
from services.reconciler.manifests.schedulers.gang import Gang
from services.reconciler.manifests.schedulers.volcano import volcano_gang, volcano_problem
from shared.actions.objects import CreateObject, Notice, PatchObject, Words
from shared.actions.outcomes import Done
from shared.aggregates.expectations import answered
from shared.aggregates.raycluster import owned_by
from shared.aggregates.troubles import troubles
from shared.events.codec import encode
from shared.events.objects import ChildSeen
from shared.kernel.schedulers import KAI, SCHEDULER_PLUGINS, VOLCANO
from shared.resources.job_options import K8S_JOB_MODE

KIND = "volcanopodgroup"
NOTHING = Gang(members=0, resources={})
"""The gang of a RayJob of which nothing runs."""


def ensure(found: Situation) -> Iterator[CreateObject | PatchObject]:
    """Yield what brings the PodGroup of an attempt about."""
    wished, name = found.wished, pod_group_name(found.job.name)
    if not _volcano(found) or wished is None or problem(found):
        return
    if found.unsettled(KIND, name):
        return
    child = _child(found)
    if child is None:
        yield CreateObject(
            kind=KIND,
            name=name,
            manifest=POD_GROUP,
            rule=RULE,
            because=f"pod group {name} is missing",
        )
    else:
        yield from _resized(found, child, job_gang(found.job, wished))


def awaits(found: Situation) -> bool:
    """Whether an attempt must wait for what the scheduler keeps of it."""
    if not _volcano(found):
        return False
    refused = any(one.rule == RULE for one in troubles(found.view))
    return refused or _child(found) is None


def clean_up(found: Situation) -> Iterator[PatchObject]:
    """Make the PodGroup as small as what is left of the attempt."""
    child = _child(found)
    if not _volcano(found) or found.selects or child is None:
        return
    if found.unsettled(KIND, child.meta.name):
        return
    place = f"{found.job.namespace}/{found.job.name}"
    notice = Notice(
        done=Words(
            reason="BatchSchedulerCleanedUp",
            message=f"Cleaned up batch scheduler resources for RayJob {place}",
        ),
        refused=Words(
            reason="FailedToCleanupBatchScheduler",
            message=f"Failed to cleanup batch scheduler resources for RayJob {place}: ",
        ),
        verb="Cleanup",
    )
    yield from _resized(found, child, _left(found), notice)


def _volcano(found: Situation) -> bool:
    return found.settings.manifests.scheduler == VOLCANO


def problem(found: Situation) -> str:
    """Say why the scheduler cannot serve this RayJob; empty if it can."""
    scheduler, job = found.settings.manifests.scheduler, found.job
    if scheduler == SCHEDULER_PLUGINS:
        return "currently only RayCluster is supported, got *v1.RayJob"
    if scheduler == KAI and job.spec.submission_mode == K8S_JOB_MODE:
        return (
            "KAI-Scheduler does not support RayJob with K8sJobMode: the submitter pod is created "
            "after RayCluster is ready, preventing proper gang scheduling"
        )
    if scheduler != VOLCANO:
        return ""
    wished = found.wished
    if wished is None:
        place = f"{job.namespace}/{job.name}"
        return f"gang scheduling does not support RayJob {place} referencing an existing RayCluster"
    return volcano_problem(stand_in(job, wished))


def _child(found: Situation) -> ChildSeen | None:
    seen = found.view.children.get((KIND, pod_group_name(found.job.name)))
    owned = isinstance(seen, ChildSeen) and owned_by(seen.meta, found.job.uid)
    return seen if owned and isinstance(seen, ChildSeen) else None


def _left(found: Situation) -> Gang:
    """Return the gang of what is left: the cluster, unless it is gone or going."""
    seen = owned_cluster(found)
    if seen is None or seen.meta.deleted_at is not None or found.cluster is None:
        return NOTHING
    return volcano_gang(found.cluster)


def _resized(
    found: Situation, child: ChildSeen, gang: Gang, notice: Notice | None = None
) -> Iterator[PatchObject]:
    patch = difference(child, gang)
    if not patch or child.meta.deleted_at is not None or _tried(found, child, patch):
        return
    yield PatchObject(
        kind=KIND,
        name=child.meta.name,
        uid=child.meta.uid,
        patch=patch,
        rule=RULE,
        because=f"the gang of pod group {child.meta.name} is {gang.members} pods now",
        notice=notice,
    )


def _tried(found: Situation, child: ChildSeen, patch: dict[str, object]) -> bool:
    """Whether this very change was just made and does not show: somebody undoes it."""
    pairs = answered(found.view.act, found.view.answer) if found.view.act else ()
    return any(
        isinstance(action, PatchObject)
        and isinstance(outcome, Done)
        and (action.kind, outcome.resource_version) == (KIND, child.meta.resource_version)
        and encode(action.patch) == encode(patch)
        for action, outcome in pairs
    )
