"""The Kubernetes Job that submits: made once, read right, made again when it was deleted."""

import pytest
from msgspec.structs import replace

from shared.actions.objects import CreateObject, DeleteObject
from shared.kernel.instants import print_instant
from tests.support.builders import NOON, Raw
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import job_spec, submitter

SPEC = job_spec("K8sJobMode")
GRACE = "JobDeploymentStatusTransitionGracePeriodExceeded"


def submitters(story: JobStory) -> list[CreateObject]:
    made = (action for action in story.done if isinstance(action, CreateObject))
    return [action for action in made if action.kind == "job"]


def test_a_job_that_is_there_is_left_alone() -> None:
    """RayJob checklist 16: the existing Job is used, a missing one is created."""
    story = JobStory(SPEC)
    story.submitter = submitter(5)
    story.sees(story.submitter)
    story.goes_on()
    story.cluster_is("ready")
    story.goes_on()

    assert story.phase == "Running"
    assert submitters(story) == []
    assert len(submitters(running(SPEC))) == 1


def test_a_refused_job_is_told_and_tried_again() -> None:
    """RayJob checklist 22: the state stays Initializing; people are told in these words."""
    story = JobStory(SPEC)
    story.refuses["job"] = "spec.template.spec.restartPolicy: Required value"
    story.goes_on()
    story.cluster_is("ready")
    story.goes_on()
    (asked,) = submitters(story)

    assert story.phase == "Initializing"
    assert asked.notice is not None
    assert (asked.notice.refused.reason, asked.notice.refused.message) == (
        "FailedToCreateRayJobSubmitter",
        "Failed to create new Kubernetes Job prod/train: ",
    )
    assert story.status["message"] == (
        "cannot create job train: spec.template.spec.restartPolicy: Required value"
    )
    story.refuses.clear()
    story.time_passes(10)
    assert story.phase == "Running"
    assert "message" not in story.status


@pytest.mark.parametrize("shutdown", [True, None])
def test_a_submitter_that_gives_up_fails_the_submission(shutdown: bool | None) -> None:
    """RayJob checklist 23: SubmissionFailed, job status empty; the Job stays."""
    story = running(job_spec("K8sJobMode", shutdownAfterJobFinishes=shutdown))
    story.submitter_ends("Failed", "BackoffLimitExceeded", "it tried too often")
    story.goes_on()
    status = story.status

    assert (status["jobDeploymentStatus"], status["reason"]) == ("Failed", "SubmissionFailed")
    assert status["message"] == (
        "Job submission has failed. Reason: BackoffLimitExceeded. Message: it tried too often"
    )
    assert "jobStatus" not in status
    assert bool(story.clusters) is not bool(shutdown)
    assert story.submitter is not None


def test_another_pod_of_the_submitter_changes_nothing() -> None:
    """RayJob checklist 24: the Job runs on with a new pod; the job is not submitted twice."""
    story = running(SPEC)
    story.job_is("RUNNING")
    story.goes_on()
    assert story.submitter is not None
    meta = replace(story.submitter.meta, resource_version=next(story.versions))
    story.submitter = replace(story.submitter, meta=meta, status={"active": 1, "failed": 1})
    story.sees(story.submitter)
    story.time_passes(60)
    assert story.phase == "Running"
    story.job_is("SUCCEEDED")
    story.submitter_ends()
    story.goes_on()

    assert story.phase == "Complete"
    assert len(submitters(story)) == 1


def test_a_job_that_outlives_its_submitter_fails_after_30_seconds() -> None:
    """RayJob checklist 28: about 30 s after the submitter ended, in these words."""
    story = running(SPEC)
    story.job_is("RUNNING")
    story.goes_on()
    story.submitter_ends("Complete")
    story.goes_on()
    story.time_passes(29)
    assert story.phase == "Running"
    story.time_passes(3)
    status = story.status

    assert (status["jobDeploymentStatus"], status["jobStatus"]) == ("Failed", "FAILED")
    assert (status["reason"], status["message"]) == (
        GRACE,
        (
            "The RayJob submitter finished at 2030-01-01 12:00:00 but the ray job did not reach "
            "terminal state within 30s"
        ),
    )


def test_an_operator_that_was_away_at_the_end_finds_out_how_it_ended() -> None:
    """What fails 30 s after its submitter is a job that runs, never one nobody asked about."""
    story = running(SPEC)
    story.job_is("RUNNING")
    story.goes_on()
    story.dashboard.answers = False
    story.submitter_ends("Complete")
    story.time_passes(120)
    assert story.phase == "Running"
    story.job_is("SUCCEEDED")
    story.dashboard.answers = True
    story.time_passes(3)

    assert (story.phase, story.status["succeeded"]) == ("Complete", 1)


def test_a_job_that_ray_does_not_know_after_its_submitter_ended_has_failed() -> None:
    story = running(SPEC)
    story.submitter_ends("Complete")
    story.goes_on()

    assert (story.status["reason"], story.status["message"]) == (
        "AppFailed",
        "Submitter completed but Ray job not found in RayCluster.",
    )


def test_a_submitter_that_never_ends_does_not_hold_a_finished_job_for_ever() -> None:
    story = running(SPEC)
    story.job_is("SUCCEEDED")
    story.goes_on()
    story.time_passes(299)
    assert story.phase == "Running"
    story.time_passes(2)

    assert (story.phase, story.status["reason"]) == ("Complete", GRACE)
    assert story.status["message"] == (
        "JobDeploymentStatus does not transition to Complete or Failed within the grace period "
        "after JobStatus reaches a terminal state."
    )


def test_a_deleted_submitter_is_made_again_and_the_job_completes() -> None:
    story = running(SPEC)
    story.job_is("RUNNING")
    story.goes_on()
    story.submitter_vanishes()
    story.cluster_is("", reason="a worker is away")
    story.goes_on()
    assert story.submitter is not None
    story.job_is("SUCCEEDED")
    story.submitter_ends()
    story.goes_on()

    assert story.phase == "Complete"
    assert len(submitters(story)) == 2
    assert not [one for one in story.done if isinstance(one, DeleteObject)]


def test_no_submitter_is_made_for_what_is_over() -> None:
    story = running(SPEC)
    story.job_is("SUCCEEDED")
    story.submitter_ends()
    story.goes_on()
    story.submitter_vanishes()
    story.goes_on()

    assert (story.phase, story.submitter) == ("Complete", None)


def test_an_answer_of_before_the_end_decides_nothing_whatever_the_clocks_say() -> None:
    """Kubernetes tells ends in whole seconds of its own clock, which may be behind ours."""
    story = running(SPEC)
    story.time_passes(60)
    assert story.submitter is not None
    behind: Raw = {"type": "Complete", "status": "True", "lastTransitionTime": print_instant(NOON)}
    meta = replace(story.submitter.meta, resource_version=next(story.versions))
    story.submitter = replace(story.submitter, meta=meta, status={"conditions": [behind]})
    story.job_is("SUCCEEDED")
    story.sees(story.submitter)
    story.status_tells()
    assert story.phase == "Running", "Ray was not asked since"
    story.goes_on()

    assert (story.phase, story.status["jobStatus"]) == ("Complete", "SUCCEEDED")
