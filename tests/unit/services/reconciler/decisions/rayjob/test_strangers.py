"""Clusters that a RayJob does not own, RayJobs that are somebody else's, and leaving."""

import pytest

from shared.actions.jobs import StopJob
from shared.actions.objects import CreateObject, DeleteObject, PatchObject, PostNotice
from tests.support.builders import Raw, cluster_spec, group
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import cluster, job_spec

CHOSEN: Raw = {"clusterSelector": {"ray.io/cluster": "shared"}, "rayClusterSpec": None}


def selecting(**more: object) -> JobStory:
    story = JobStory(job_spec("HTTPMode", **{**CHOSEN, **more}))
    story.clusters["shared"] = cluster("shared", cluster_spec(group()), version=5, owned=False)
    story.goes_on()
    story.cluster_is("ready")
    story.goes_on()
    return story


def made(story: JobStory) -> list[str]:
    return [action.kind for action in story.done if isinstance(action, CreateObject)]


@pytest.mark.parametrize(("status", "phase"), [("SUCCEEDED", "Complete"), ("FAILED", "Failed")])
def test_a_selected_cluster_is_used_and_left_as_it_was(status: str, phase: str) -> None:
    """RayJob checklist 89: success and failure are told; the cluster is untouched."""
    rules = {"deletionRules": [{"policy": "DeleteSelf", "condition": {"jobStatus": status}}]}
    story = selecting(deletionStrategy=rules)
    before = story.clusters["shared"]
    assert (story.phase, made(story)) == ("Running", [])
    story.job_is(status)
    story.goes_on()
    story.time_passes(3600)

    assert story.phase == phase
    assert story.clusters == {"shared": before}
    assert not [one for one in story.done if isinstance(one, DeleteObject)]


def test_a_selected_cluster_outlives_the_rayjob_and_its_job_is_stopped() -> None:
    story = selecting(shutdownAfterJobFinishes=True)
    story.job_is("RUNNING")
    story.goes_on()
    story.is_deleted()
    story.goes_on()

    assert story.own is None
    assert story.dashboard.stopped == [story.done and story.dashboard.submitted[0]]
    assert list(story.clusters) == ["shared"]


def test_a_selected_cluster_that_is_not_there_is_told_once() -> None:
    story = JobStory(job_spec("HTTPMode", **CHOSEN))
    story.goes_on()
    story.time_passes(60)

    assert story.phase == "Initializing"
    assert [(notice.reason, notice.message) for notice in story.notices] == [
        (
            "RayClusterNotFound",
            (
                "RayCluster prod/shared set in the clusterSelector is not found. "
                "It must be created manually"
            ),
        )
    ]
    story.clusters["shared"] = cluster("shared", cluster_spec(), version=5, owned=False)
    story.cluster_is("ready")
    story.goes_on()
    assert story.phase == "Running"


def test_a_selected_cluster_that_vanishes_does_not_leave_the_job_running() -> None:
    story = selecting()
    story.job_is("RUNNING")
    story.goes_on()
    story.clusters.clear()
    story.dashboard.answers = False
    story.goes_on()
    story.time_passes(301)

    assert (story.phase, story.status["reason"]) == ("Failed", "JobStatusCheckTimeoutExceeded")


def test_what_another_operator_manages_is_left_alone() -> None:
    """RayJob checklist 88: no status, no cluster, no Job, no finalizer."""
    story = JobStory(job_spec("K8sJobMode", managedBy="kueue.x-k8s.io/multikueue"))
    story.reconciler_decides()
    story.is_deleted()
    story.reconciler_decides()

    assert story.done == []
    assert story.status == {}


def test_the_finalizer_comes_before_everything() -> None:
    story = JobStory(job_spec())
    story.goes_on()
    first = story.done[0]

    assert isinstance(first, PatchObject)
    assert first.patch == {"metadata": {"finalizers": ["ray.io/rayjob-finalizer"]}}


@pytest.mark.parametrize("mode", ["K8sJobMode", "HTTPMode"])
def test_a_deleted_rayjob_stops_its_job_and_goes(mode: str) -> None:
    """RayJob checklist 11: what it owns goes with it, by its owner references."""
    story = running(job_spec(mode))
    story.job_is("RUNNING")
    story.goes_on()
    job_id = story.job_id
    for kind in ("cluster", "head-service", *(("submitter",) if mode == "K8sJobMode" else ())):
        metadata = story.manifest(kind)["metadata"]
        assert isinstance(metadata, dict)
        (owner,) = metadata["ownerReferences"]
        assert (owner["uid"], owner["controller"]) == (story.uid, True)
    story.is_deleted()
    story.goes_on()

    assert story.own is None
    assert story.dashboard.stopped == [job_id]


def test_a_job_that_has_ended_needs_no_stopping() -> None:
    story = running(job_spec())
    story.job_is("SUCCEEDED")
    story.goes_on()
    story.is_deleted()
    story.goes_on()

    assert (story.own, story.did(StopJob)) == (None, [])


def test_a_rayjob_without_a_cluster_goes_at_once() -> None:
    story = JobStory(job_spec())
    story.goes_on()
    story.is_deleted()
    story.goes_on()

    assert (story.own, story.did(StopJob)) == (None, [])


def test_an_unreadable_rayjob_can_be_deleted() -> None:
    story = JobStory(job_spec())
    story.goes_on()
    story.wishes(rayClusterSpec="what")
    story.is_deleted()
    story.goes_on()

    assert story.own is None


def test_notices_are_for_people_only() -> None:
    story = running(job_spec())

    assert story.did(PostNotice) == []
