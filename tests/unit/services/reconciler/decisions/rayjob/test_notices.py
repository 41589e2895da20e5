"""What people are told about what a RayJob makes and removes, word by word."""

import pytest

from shared.actions.objects import CreateObject, DeleteObject, Notice, PatchObject, Words
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import job_spec

VERBS = {CreateObject: "create", DeleteObject: "delete", PatchObject: "patch"}
NOTICES = {
    ("create", "raycluster"): (
        ("CreatedRayCluster", "Created RayCluster prod/{cluster}"),
        ("FailedToCreateRayCluster", "Failed to create RayCluster prod/{cluster}: "),
    ),
    ("create", "job"): (
        ("CreatedRayJobSubmitter", "Created Kubernetes Job prod/train"),
        ("FailedToCreateRayJobSubmitter", "Failed to create new Kubernetes Job prod/train: "),
    ),
    ("create", "service"): (
        ("CreatedService", "Created the service prod/train-head-svc"),
        ("FailedToCreateService", "Failed to create the service prod/train-head-svc, "),
    ),
    ("delete", "raycluster"): (
        ("DeletedRayCluster", "Deleted cluster prod/{cluster}"),
        ("FailedToDeleteRayCluster", "Failed to delete cluster prod/{cluster}: "),
    ),
    ("delete", "job"): (
        ("DeletedRayJobSubmitter", "Deleted submitter K8s Job prod/train"),
        ("FailedToDeleteRayJobSubmitter", "Failed to delete submitter K8s Job prod/train: "),
    ),
    ("patch", "service"): (
        ("UpdatedService", "Updated the service prod/train-head-svc"),
        ("FailedToUpdateService", "Failed to update the service prod/train-head-svc, "),
    ),
}


def twice() -> tuple[JobStory, str]:
    """A RayJob that failed once and runs again, and the name of its first cluster."""
    story = running(job_spec("K8sJobMode", backoffLimit=1))
    first = story.cluster_name
    story.job_is("FAILED")
    story.submitter_ends()
    story.goes_on()
    story.cluster_is("ready")
    story.goes_on()
    return story, first


@pytest.mark.parametrize(("verb", "kind"), NOTICES)
def test_people_are_told_in_these_words(verb: str, kind: str) -> None:
    """RayJob checklist 90: what was made and removed, and failures to, have their Events."""
    story, first = twice()
    done, refused = NOTICES[verb, kind]
    told = {
        (VERBS[type(action)], action.kind): action.notice
        for action in reversed(story.done)
        if isinstance(action, CreateObject | DeleteObject | PatchObject)
    }

    assert told[verb, kind] == Notice(
        done=Words(reason=done[0], message=done[1].format(cluster=first)),
        refused=Words(reason=refused[0], message=refused[1].format(cluster=first)),
    )


def test_a_refused_cluster_is_told_in_the_status_too() -> None:
    story = JobStory(job_spec())
    story.refuses["raycluster"] = "exceeded quota"
    story.goes_on()

    assert story.phase == "Initializing"
    assert story.status["message"] == (
        f"cannot create raycluster {story.cluster_name}: exceeded quota"
    )
