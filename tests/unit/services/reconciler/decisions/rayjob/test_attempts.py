"""Deadlines, further attempts, and suspending."""

import pytest
from msgspec.structs import replace

from shared.actions.objects import DeleteObject
from shared.events.records import StatusWritten
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import gone_soon, job_spec

SUSPENDABLE = {"shutdownAfterJobFinishes": True}


def deleted(story: JobStory) -> list[tuple[str, str]]:
    gone = (action for action in story.done if isinstance(action, DeleteObject))
    return [(action.kind, action.name) for action in gone]


def phases(story: JobStory) -> list[str]:
    """Every phase that was told, one after another."""
    bodies = (record.envelope.body for record in story.records)
    told = [
        str(body.status.get("jobDeploymentStatus", ""))
        for body in bodies
        if isinstance(body, StatusWritten)
    ]
    return [phase for index, phase in enumerate(told) if index == 0 or told[index - 1] != phase]


def ready(story: JobStory) -> None:
    story.cluster_is("ready")
    story.goes_on()


def fails(story: JobStory, mode: str) -> None:
    """The attempt fails, in the way of its mode."""
    ready(story)
    if mode == "K8sJobMode":
        story.submitter_ends("Failed", "BackoffLimitExceeded")
    elif mode == "HTTPMode":
        story.job_is("FAILED", "boom")
    story.goes_on()


@pytest.mark.parametrize("state", ["ready", ""])
def test_an_attempt_may_not_take_longer_than_its_deadline(state: str) -> None:
    """RayJob checklist 58: in Initializing and in Running, DeadlineExceeded."""
    story = JobStory(job_spec(activeDeadlineSeconds=60))
    story.goes_on()
    story.cluster_is(state)
    story.goes_on()
    story.time_passes(59)
    assert story.phase == ("Running" if state else "Initializing")
    story.time_passes(1)

    assert (story.phase, story.status["reason"]) == ("Failed", "DeadlineExceeded")
    assert story.status["message"] == (
        "The RayJob has passed the activeDeadlineSeconds. "
        "StartTime: 2030-01-01 12:00:00 +0000 UTC. ActiveDeadlineSeconds: 60"
    )


def test_a_deadline_is_not_tried_again() -> None:
    """RayJob checklist 59: with backoffLimit 2 a deadline still gives one failure, no retry."""
    story = running(job_spec(activeDeadlineSeconds=60, backoffLimit=2))
    story.time_passes(61)

    assert (story.phase, story.status["failed"]) == ("Failed", 1)
    assert "Retrying" not in phases(story)


def test_a_job_that_does_not_run_in_time_is_tried_again() -> None:
    story = JobStory(job_spec(preRunningDeadlineSeconds=60, backoffLimit=1))
    story.goes_on()
    first = story.cluster_name
    story.time_passes(61)

    assert (story.phase, story.status["failed"]) == ("Initializing", 1)
    assert story.cluster_name != first
    assert story.status["startTime"] == "2030-01-01T12:01:00Z"


def test_a_second_attempt_has_everything_new() -> None:
    """RayJob checklist 60: Retrying, New, Initializing; a new cluster; then success."""
    story = running(job_spec("K8sJobMode", backoffLimit=1))
    before = (story.cluster_name, story.job_id)
    story.job_is("FAILED", "boom")
    story.submitter_ends()
    story.goes_on()
    assert story.phase == "Initializing"
    assert deleted(story) == [("raycluster", before[0]), ("job", "train")]
    assert phases(story) == ["Initializing", "Running", "Retrying", "", "Initializing"]
    assert not {story.cluster_name, story.job_id} & set(before)
    assert set(story.clusters) == {story.cluster_name}
    for field in ("reason", "message", "jobStatus", "rayJobInfo", "dashboardURL", "endTime"):
        assert field not in story.status
    ready(story)
    story.job_is("SUCCEEDED")
    story.submitter_ends()
    story.goes_on()

    assert story.phase == "Complete"
    assert (story.status["succeeded"], story.status["failed"]) == (1, 1)
    assert story.service is not None
    assert story.service.selector["ray.io/cluster"] == story.cluster_name


@pytest.mark.parametrize("mode", ["K8sJobMode", "HTTPMode", "SidecarMode"])
def test_a_job_that_always_fails_is_tried_as_often_as_allowed(mode: str) -> None:
    """RayJob checklist 61: backoffLimit 2 ends with three failures, no success."""
    story = JobStory(job_spec(mode, backoffLimit=2))
    story.goes_on()
    names = set()
    for _ in range(3):
        names.add(story.cluster_name)
        fails(story, mode)
    story.time_passes(600)

    assert (story.phase, len(names)) == ("Failed", 3)
    assert (story.status["failed"], story.status["succeeded"]) == (3, 0)


def test_a_job_that_is_born_suspended_makes_nothing_until_it_is_resumed() -> None:
    """RayJob checklist 63: Suspended without a cluster; resumed, cluster and then Job."""
    story = JobStory(job_spec("K8sJobMode", suspend=True, **SUSPENDABLE))
    story.goes_on()
    assert (story.phase, story.clusters, story.submitter) == ("Suspended", {}, None)
    assert "rayClusterName" not in story.status
    story.wishes(suspend=None)
    story.goes_on()
    assert (len(story.clusters), story.submitter) == (1, None)
    ready(story)

    assert story.phase == "Running"
    assert story.submitter is not None


def test_suspending_waits_for_a_cluster_that_others_hold() -> None:
    """RayJob checklist 64: it waits, changes of mind included, and ends Suspended."""
    story = running(job_spec(**SUSPENDABLE))
    name = story.cluster_name
    held = gone_soon(story.clusters[name])
    version = next(story.versions)
    story.clusters[name] = replace(held, meta=replace(held.meta, resource_version=version))
    story.sees_cluster(name)
    story.wishes(suspend=True)
    story.goes_on()
    assert story.phase == "Suspending"
    story.wishes(suspend=None)
    story.goes_on()
    story.wishes(suspend=True)
    story.time_passes(120)
    assert (story.phase, deleted(story)) == ("Suspending", [])
    story.cluster_vanishes()
    story.goes_on()

    assert story.phase == "Suspended"


def test_a_suspended_job_rests() -> None:
    """RayJob checklist 65: nothing is asked, armed or written; resumed, it begins anew."""
    story = JobStory(job_spec(suspend=True, **SUSPENDABLE))
    story.goes_on()
    before = len(story.records)
    assert set(story.timers()) == {"refresh"}
    assert story.act.wants == ()
    story.passes(3600)
    story.goes_on()
    assert len(story.records) == before
    story.wishes(suspend=None)
    story.goes_on()

    assert story.phase == "Initializing"
    assert story.status["startTime"] == "2030-01-01T13:00:00Z"


@pytest.mark.parametrize(
    ("mode", "phase"), [("InteractiveMode", "Waiting"), ("HTTPMode", "Suspended")]
)
def test_only_what_begins_or_runs_can_be_suspended(mode: str, phase: str) -> None:
    """RayJob checklist 66: not from Waiting; from Running it can."""
    story = running(job_spec(mode, **SUSPENDABLE))
    story.wishes(suspend=True)
    story.goes_on()

    assert story.phase == phase
    assert bool(story.clusters) is (phase == "Waiting")


def test_suspending_what_runs_removes_it_and_resuming_runs_it_anew() -> None:
    """RayJob checklist 67: cluster and Job go; resumed it is Running again, with new names."""
    story = running(job_spec("K8sJobMode", **SUSPENDABLE))
    before = story.cluster_name
    story.job_is("RUNNING")
    story.goes_on()
    story.wishes(suspend=True)
    story.goes_on()
    assert (story.phase, story.clusters, story.submitter) == ("Suspended", {}, None)
    assert story.dashboard.stopped == []
    assert "jobStatus" not in story.status
    story.wishes(suspend=None)
    story.goes_on()
    ready(story)

    assert story.phase == "Running"
    assert story.cluster_name != before
    assert story.submitter is not None
