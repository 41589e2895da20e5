"""Interactive jobs, and submitters beside the head."""

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from shared.actions.objects import CreateObject
from shared.events.objects import Container
from shared.kernel.features import SIDECAR_SUBMITTER_RESTART, Features
from shared.kernel.manifests import Raw, entries_at, mapping_at, text_at
from tests.support.builders import CONTEXT, SETTINGS
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import head_with, job_spec

SIDECAR = "ray-job-submitter"
RESTARTS = Context(
    settings=replace(SETTINGS, features=Features(enabled=frozenset({SIDECAR_SUBMITTER_RESTART}))),
    session=CONTEXT.session,
)


def beside(story: JobStory, **container: object) -> None:
    """The submitter beside the head is so."""
    story.heads = (head_with(Container(name=SIDECAR, **container)),)  # type: ignore[arg-type]
    story.goes_on()


def sidecar(context: Context = CONTEXT, /, **more: object) -> JobStory:
    """A RayJob that runs with its submitter beside the head."""
    story = JobStory(job_spec("SidecarMode", **more), context)
    story.goes_on()
    story.cluster_is("ready", head={"serviceName": f"{story.cluster_name}-head-svc"})
    beside(story, state="running")
    return story


def ends(story: JobStory, code: int = 0, reason: str = "") -> None:
    beside(story, state="terminated", exit_code=code, finished_at=story.now, reason=reason)


def test_a_mode_that_was_left_empty_is_the_default() -> None:
    story = running(job_spec(""))

    assert (story.phase, story.submitter is not None) == ("Running", True)


def test_an_interactive_job_runs_once_its_user_names_it() -> None:
    """RayJob checklist 47: ready -> Waiting; spec.jobId -> Running under that id."""
    story = running(job_spec("InteractiveMode"))
    assert story.phase == "Waiting"
    assert story.submitter is None
    story.wishes(jobId="by-hand")
    story.goes_on()
    assert (story.phase, story.job_id) == ("Running", "by-hand")
    story.job_is("SUCCEEDED")
    story.goes_on()

    assert story.phase == "Complete"
    assert story.dashboard.submitted == []


@pytest.mark.parametrize("state", ["", "ready"])
@pytest.mark.parametrize("mode", ["HTTPMode", "K8sJobMode"])
@pytest.mark.parametrize("named", [{}, {"jobId": "mine"}])
def test_a_job_that_stops_being_interactive_in_initializing_gets_an_id_first(
    state: str, mode: str, named: dict[str, str]
) -> None:
    """It had none: nobody could submit it, or somebody without an id, and it ran for ever."""
    story = JobStory(job_spec("InteractiveMode"))
    story.goes_on()
    assert (story.phase, story.job_id) == ("Initializing", "")
    story.wishes(submissionMode=mode, **named)
    ready = {"head": {"serviceName": f"{story.cluster_name}-head-svc"}}
    story.cluster_is(state, **ready)
    story.goes_on()
    story.cluster_is("ready", **ready)
    story.goes_on()

    assert (story.phase, story.job_id) == ("Running", named.get("jobId", story.cluster_name))
    if mode == "HTTPMode":
        assert story.dashboard.submitted == [story.job_id]
    else:
        assert submission_ids(story.manifest("submitter")) == {story.job_id}


def submission_ids(manifest: Raw) -> set[str]:
    containers = entries_at(manifest, "spec", "template", "spec", "containers")
    env = [one for container in containers for one in entries_at(container, "env")]
    return {text_at(one, "value") for one in env if one["name"] == "RAY_JOB_SUBMISSION_ID"}


def test_a_cluster_that_is_made_after_a_change_of_mode_submits_under_the_id() -> None:
    story = JobStory(job_spec("InteractiveMode"))
    story.goes_on()
    story.wishes(submissionMode="SidecarMode")
    story.cluster_vanishes()
    story.goes_on()
    head = mapping_at(story.manifest("cluster"), "spec", "headGroupSpec")

    assert story.job_id == story.cluster_name
    assert submission_ids({"spec": head}) == {story.job_id}


def test_a_head_that_was_made_for_another_mode_has_no_submitter_and_that_is_said() -> None:
    story = JobStory(job_spec("InteractiveMode"))
    story.goes_on()
    story.wishes(submissionMode="SidecarMode")
    story.goes_on()
    story.cluster_is("ready", head={"serviceName": f"{story.cluster_name}-head-svc"})
    story.goes_on()
    assert story.phase == "Initializing"
    assert story.status["message"] == (
        f"the head of RayCluster {story.cluster_name} was made without a submitter: "
        "submissionMode was changed to SidecarMode too late; "
        "choose another mode, or create the RayJob anew"
    )
    story.wishes(submissionMode="HTTPMode")
    story.goes_on()

    assert (story.phase, story.dashboard.submitted) == ("Running", [story.job_id])
    assert "message" not in story.status


def test_an_interactive_job_waits_for_its_user_and_says_so() -> None:
    """It may be named long before it is submitted, and is asked about meanwhile."""
    story = running(job_spec("InteractiveMode", jobId="by-hand"))
    story.time_passes(3600)
    assert (story.phase, story.status["message"]) == (
        "Running",
        "Ray does not know job by-hand, which is yours to submit",
    )
    story.job_is("RUNNING")
    story.goes_on()

    assert (story.phase, "message" in story.status) == ("Running", False)


def test_nobody_asks_about_a_job_without_a_name() -> None:
    story = running(job_spec("InteractiveMode"))

    assert story.view().told == {}


@pytest.mark.parametrize("state", ["ready", ""])
def test_a_job_that_does_not_run_in_time_fails(state: str) -> None:
    """RayJob checklist 48, 49: in Waiting, and in Initializing with an image that never comes."""
    story = JobStory(job_spec("InteractiveMode", preRunningDeadlineSeconds=60))
    story.goes_on()
    story.cluster_is(state)
    story.goes_on()
    assert story.phase == ("Waiting" if state else "Initializing")
    story.time_passes(59)
    assert story.phase != "Failed"
    story.time_passes(1)

    assert (story.phase, story.status["reason"]) == ("Failed", "PreRunningDeadlineExceeded")
    assert story.status["message"] == (
        "The RayJob has passed the preRunningDeadlineSeconds. "
        "StartTime: 2030-01-01 12:00:00 +0000 UTC. PreRunningDeadlineSeconds: 60"
    )


def test_a_submitter_beside_the_head() -> None:
    """RayJob checklist 50: in the head's pod, no batch Job; success removes the cluster."""
    story = sidecar(shutdownAfterJobFinishes=True)
    (seen,) = story.clusters.values()
    pod = mapping_at(seen.spec, "headGroupSpec", "template", "spec")
    names = [container["name"] for container in entries_at(pod, "containers")]
    assert (names[-1], pod["restartPolicy"]) == (SIDECAR, "Never")
    story.job_is("SUCCEEDED")
    story.goes_on()
    assert story.phase == "Running", "its submitter has not ended"
    ends(story)

    assert (story.phase, story.clusters, story.submitter) == ("Complete", {}, None)


@pytest.mark.parametrize(("status", "phase"), [("FAILED", "Failed"), ("STOPPED", "Complete")])
def test_a_program_beside_the_head_ends_as_ray_says(status: str, phase: str) -> None:
    """RayJob checklist 51, 12: AppFailed for a failure; STOPPED is Complete."""
    story = sidecar()
    story.job_is(status)
    ends(story, 1 if status == "FAILED" else 0)

    assert (story.phase, story.status.get("reason")) == (
        phase,
        "AppFailed" if status == "FAILED" else None,
    )


def test_a_head_that_is_gone_takes_the_job_along() -> None:
    """RayJob checklist 52: not made again, and the RayJob is Failed at once."""
    story = sidecar()
    metadata = mapping_at(story.manifest("cluster"), "metadata")
    annotations = mapping_at(metadata, "annotations")
    assert annotations["ray.io/disable-provisioned-head-restart"] == "true"
    assert mapping_at(metadata, "labels")["ray.io/job-submission-mode"] == "SidecarMode"
    story.job_is("RUNNING")
    story.heads = ()
    story.goes_on()

    assert (story.phase, story.status["reason"]) == ("Failed", "AppFailed")
    assert story.status["message"] == "Ray head pod not found."


def test_with_a_batch_job_the_head_is_made_again() -> None:
    """RayJob checklist 53: no such annotation; it fails when the submitter gives up."""
    story = running(job_spec("K8sJobMode"))
    metadata = mapping_at(story.manifest("cluster"), "metadata")
    assert "annotations" not in metadata
    story.job_is("RUNNING")
    story.goes_on()
    story.dashboard.jobs.clear()
    story.submitter_ends("Failed", "BackoffLimitExceeded")
    story.goes_on()

    assert story.phase == "Failed"


def test_a_submitter_that_may_restart() -> None:
    """RayJob checklist 54, 32: the gate gives the container its restart policy and the check."""
    story = sidecar(RESTARTS)
    pod = mapping_at(story.manifest("cluster"), "spec", "headGroupSpec", "template", "spec")
    container = entries_at(pod, "containers")[-1]

    assert container["restartPolicy"] == "OnFailure"
    assert "ray job status" in str(container["args"])
    plain = mapping_at(sidecar().manifest("cluster"), "spec", "headGroupSpec", "template", "spec")
    assert "restartPolicy" not in entries_at(plain, "containers")[-1]


def test_a_submitter_that_restarts_is_not_a_failed_job() -> None:
    """RayJob checklist 56: the id stays, the RayJob is not Failed and ends Complete."""
    story = sidecar(RESTARTS)
    before = story.job_id
    story.job_is("RUNNING")
    beside(story, state="running", restarts=1, crashed_before=True)
    assert (story.phase, story.job_id) == ("Running", before)
    story.job_is("SUCCEEDED")
    beside(
        story,
        state="terminated",
        exit_code=0,
        restarts=1,
        crashed_before=True,
        finished_at=story.now,
    )

    assert story.phase == "Complete"


def test_a_submitter_that_wears_out_fails_the_submission() -> None:
    story = sidecar(RESTARTS)
    beside(story, state="waiting", restarts=2, crashed_before=True)

    assert (story.phase, story.status["reason"]) == ("Failed", "SubmissionFailed")
    assert story.status["message"] == (
        "Ray head pod submitter container ray-job-submitter terminated after exceeding the "
        "maximum restart count"
    )


def test_a_submitter_that_crashes_fails_the_submission() -> None:
    story = sidecar()
    ends(story, 2, "Error")

    assert (story.phase, story.status["reason"]) == ("Failed", "SubmissionFailed")
    assert story.status["message"] == (
        "Ray head pod container ray-job-submitter terminated with exit code 2: Error"
    )


def test_only_the_cluster_and_its_service_are_made_beside_the_head() -> None:
    story = sidecar()
    kinds = [action.kind for action in story.done if isinstance(action, CreateObject)]

    assert kinds == ["raycluster", "service"]
