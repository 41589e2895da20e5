"""What becomes of a RayJob that is over: by the old way, by rules, by the operator's setting."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.settings import JobSettings
from shared.actions.objects import DeleteObject, PatchObject
from shared.events.decisions import Decided
from shared.events.records import StatusWritten
from shared.kernel.manifests import entries_at
from tests.support.builders import CONTEXT, SETTINGS, Raw
from tests.support.jobstory import JobStory
from tests.support.rayjobs import job_spec

ENDS = {"SUCCEEDED": "onSuccess", "FAILED": "onFailure"}
WORKERS, CLUSTER, SELF, NONE = "DeleteWorkers", "DeleteCluster", "DeleteSelf", "DeleteNone"


def rule(policy: str, ttl: int = 0, **condition: str) -> Raw:
    wanted = condition or {"jobStatus": "SUCCEEDED"}
    return {"policy": policy, "condition": {"ttlSeconds": ttl, **wanted}}


def rules(*each: Raw) -> Raw:
    return {"deletionStrategy": {"deletionRules": list(each)}}


def over(status: str = "SUCCEEDED", context: Context = CONTEXT, /, **spec: object) -> JobStory:
    """A RayJob with a submitter whose job has ended so, at noon."""
    story = JobStory(job_spec("K8sJobMode", **spec), context)
    story.goes_on()
    story.cluster_is("ready")
    story.goes_on()
    story.job_is(status)
    story.submitter_ends()
    story.goes_on()
    return story


def left(story: JobStory) -> str:
    """Say what is left of it."""
    if story.own is None:
        return "nothing"
    if not story.clusters:
        return "itself"
    (seen,) = story.clusters.values()
    suspended = [one.get("suspend") is True for one in entries_at(seen.spec, "workerGroupSpecs")]
    return "its head" if all(suspended) else "everything"


LEFT = {WORKERS: "its head", CLUSTER: "itself", SELF: "nothing", NONE: "everything"}


@pytest.mark.parametrize("status", ENDS)
def test_a_cluster_is_shut_down_when_its_time_is_over(status: str) -> None:
    """RayJob checklist 68: the cluster goes, the Job stays, and nothing is early."""
    story = over(status, shutdownAfterJobFinishes=True, ttlSecondsAfterFinished=10)
    assert left(story) == "everything"
    story.time_passes(9)
    assert left(story) == "everything"
    story.time_passes(1)

    assert left(story) == "itself"
    assert story.submitter is not None
    (gone,) = story.did(DeleteObject)
    assert isinstance(gone, DeleteObject)
    assert gone.notice is not None
    assert (gone.notice.done.reason, gone.notice.done.message) == (
        "DeletedRayCluster",
        f"Deleted cluster prod/{story.cluster_name}",
    )
    story.time_passes(3600)
    assert len(story.did(DeleteObject)) == 1, "once"


def test_without_a_word_everything_stays() -> None:
    story = over()
    story.time_passes(86_400)

    assert left(story) == "everything"


def test_the_operator_may_delete_what_has_finished() -> None:
    """RayJob checklist 69: with the setting the RayJob itself goes."""
    settings = replace(SETTINGS, jobs=JobSettings(delete_after_finish=True))
    context = Context(settings=settings, session=CONTEXT.session)
    story = over("SUCCEEDED", context, shutdownAfterJobFinishes=True)

    assert left(story) == "nothing"


@pytest.mark.parametrize("status", ENDS)
@pytest.mark.parametrize("policy", LEFT)
def test_the_older_pair_of_policies(policy: str, status: str) -> None:
    """RayJob checklist 70: each policy, on success and on failure."""
    sides = {side: {"policy": policy if end == status else NONE} for end, side in ENDS.items()}

    assert left(over(status, deletionStrategy=sides)) == LEFT[policy]


def test_the_older_pair_says_nothing_of_a_job_that_was_stopped() -> None:
    both = {side: {"policy": CLUSTER} for side in ENDS.values()}

    assert left(over("STOPPED", deletionStrategy=both)) == "everything"


def test_workers_are_suspended_once_and_the_rest_stays() -> None:
    """RayJob checklist 71: every group suspended, the head and the Job kept, told once."""
    story = over(**rules(rule(WORKERS)))
    story.time_passes(3600)
    patches = [
        action
        for action in story.done
        if isinstance(action, PatchObject) and action.kind == "raycluster"
    ]

    assert left(story) == "its head"
    assert story.submitter is not None
    (patch,) = patches
    assert patch.notice is not None
    assert (patch.notice.done.reason, patch.notice.done.message) == (
        "UpdatedRayCluster",
        (
            "Set the `suspend` field to true for all worker groups in cluster "
            f"prod/{story.cluster_name}"
        ),
    )


@pytest.mark.parametrize("status", ENDS)
@pytest.mark.parametrize("policy", LEFT)
def test_one_rule_of_each_policy(policy: str, status: str) -> None:
    """RayJob checklist 72: on success and on failure; a rule for the other end does nothing."""
    other = next(end for end in ENDS if end != status)

    assert left(over(status, **rules(rule(policy, jobStatus=status)))) == LEFT[policy]
    assert left(over(status, **rules(rule(policy, jobStatus=other)))) == "everything"


def test_of_rules_that_are_due_at_once_the_strongest_acts() -> None:
    """RayJob checklist 73: only DeleteSelf runs."""
    story = over(**rules(rule(WORKERS), rule(CLUSTER), rule(SELF)))

    assert left(story) == "nothing"
    assert [getattr(one, "kind", "") for one in story.did(DeleteObject)] == ["rayjob"]


def test_staged_rules_act_one_after_another_and_never_early() -> None:
    """RayJob checklist 74: workers, then the cluster, then the RayJob, each at its time."""
    story = over(**rules(rule(SELF, 30), rule(WORKERS, 10), rule(CLUSTER, 20)))
    seen = []
    for _ in range(31):
        seen.append(left(story))
        story.time_passes(1)
    seen.append(left(story))

    stages = ["everything"] * 10 + ["its head"] * 10 + ["itself"] * 10 + ["nothing"] * 2
    assert seen == stages


@pytest.mark.parametrize("policy", LEFT)
def test_rules_for_a_rayjob_that_failed_without_its_job(policy: str) -> None:
    """RayJob checklist 75: after a deadline only such rules act."""
    failed = rule(policy, jobDeploymentStatus="Failed")
    story = JobStory(job_spec("K8sJobMode", activeDeadlineSeconds=60, **rules(failed)))
    story.goes_on()
    story.cluster_is("ready")
    story.goes_on()
    story.job_is("RUNNING")
    story.time_passes(61)

    assert left(story) == LEFT[policy]


def test_the_end_is_told_before_its_cluster_goes() -> None:
    story = over(shutdownAfterJobFinishes=True)
    bodies = [record.envelope.body for record in story.records]
    told = [
        index
        for index, body in enumerate(bodies)
        if isinstance(body, StatusWritten) and "endTime" in body.status
    ]
    gone = [
        index
        for index, body in enumerate(bodies)
        if isinstance(body, Decided) and any(isinstance(one, DeleteObject) for one in body.actions)
    ]

    assert told[0] < gone[0]
