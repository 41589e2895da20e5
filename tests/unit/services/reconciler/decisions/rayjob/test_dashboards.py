"""Jobs that the operator submits itself, and dashboards that do not answer."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.settings import JobSettings
from shared.actions.jobs import SubmitJob
from shared.events.objects import Container, PodSeen
from shared.runtime.failures import SettingsError
from shared.runtime.reading import read_settings
from tests.support.builders import CONTEXT, SETTINGS, Raw
from tests.support.jobstory import JobStory, running
from tests.support.rayjobs import head_with, job_spec

CHECK_START = "jobStatusCheckFailureStartTime"
TIMEOUT = "RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS"


def no_batch_job(story: JobStory) -> bool:
    return story.submitter is None and "job" not in {
        getattr(action, "kind", "") for action in story.done
    }


def test_a_job_is_submitted_over_http_with_what_it_reserves() -> None:
    """RayJob checklist 37: cpu, gpu and custom resources; the cluster goes; no batch Job."""
    spec = job_spec(
        shutdownAfterJobFinishes=True,
        entrypointNumCpus=2,
        entrypointNumGpus=0.5,
        entrypointResources='{"custom": 1}',
    )
    story = running(spec)
    (submission,) = story.did(SubmitJob)
    assert isinstance(submission, SubmitJob)
    assert submission.request == {
        "entrypoint": "python main.py",
        "entrypoint_num_cpus": 2,
        "entrypoint_num_gpus": 0.5,
        "entrypoint_resources": {"custom": 1.0},
    }
    assert submission.address == story.status["dashboardURL"]
    story.job_is("SUCCEEDED")
    story.goes_on()

    assert (story.phase, story.clusters) == ("Complete", {})
    assert no_batch_job(story)


def test_a_failure_over_http_is_told_as_any_other() -> None:
    """RayJob checklist 38: AppFailed, no batch Job."""
    story = running(job_spec())
    story.job_is("FAILED", "boom")
    story.goes_on()

    assert (story.phase, story.status["reason"]) == ("Failed", "AppFailed")
    assert no_batch_job(story)


def test_the_first_failure_to_ask_is_remembered_and_a_second_does_not_move_it() -> None:
    """RayJob checklist 42: the start of the failure is told once, with its time."""
    story = running(job_spec())
    story.job_is("RUNNING")
    story.goes_on()
    story.passes(10)
    story.dashboard.answers = False
    story.goes_on()
    assert story.status[CHECK_START] == "2030-01-01T12:00:10Z"
    story.time_passes(60)
    assert story.status[CHECK_START] == "2030-01-01T12:00:10Z"
    story.dashboard.answers = True
    story.goes_on()

    assert CHECK_START not in story.status
    assert story.phase == "Running"


@pytest.mark.parametrize("mode", ["K8sJobMode", "HTTPMode", "SidecarMode"])
def test_a_dashboard_that_stays_away_ends_the_job_and_is_not_retried(mode: str) -> None:
    """RayJob checklist 43: JobStatusCheckTimeoutExceeded, in these words."""
    story = JobStory(job_spec(mode, backoffLimit=2))
    story.goes_on()
    story.cluster_is("ready")
    if mode == "SidecarMode":
        story.heads = (beside_head(),)
    story.goes_on()
    story.job_is("RUNNING")
    story.goes_on()
    story.dashboard.answers = False
    story.goes_on()
    story.time_passes(299)
    assert story.phase == "Running"
    story.time_passes(2)

    assert (story.phase, story.status["reason"]) == ("Failed", "JobStatusCheckTimeoutExceeded")
    assert story.status["message"] == (
        "Job status checks have been failing since 2030-01-01 12:00:00; exceeded timeout of 300s"
    )


def beside_head() -> PodSeen:
    return head_with(Container(name="ray-job-submitter", state="running"))


@pytest.mark.parametrize("mode", ["HTTPMode"])
def test_a_job_that_a_restarted_head_forgot_is_submitted_again(mode: str) -> None:
    """RayJob checklist 44: after a 404 and a new submission it runs on, with no timer."""
    story = running(job_spec(mode))
    story.job_is("RUNNING")
    story.goes_on()
    story.dashboard.jobs.clear()
    story.goes_on()

    assert story.dashboard.submitted == [story.job_id, story.job_id]
    assert (story.phase, story.status["jobStatus"]) == ("Running", "PENDING")
    assert CHECK_START not in story.status


def test_a_refused_submission_is_told_and_ends_with_time() -> None:
    story = JobStory(job_spec())
    story.dashboard.refuses = "entrypoint is empty"
    story.goes_on()
    story.cluster_is("ready")
    story.goes_on()

    assert story.status["message"] == "entrypoint is empty"
    assert CHECK_START in story.status
    story.time_passes(301)
    assert story.status["reason"] == "JobStatusCheckTimeoutExceeded"


def test_a_refused_submission_waits_longer_each_time() -> None:
    story = JobStory(job_spec())
    story.dashboard.refuses = "the head is full"
    story.goes_on()
    story.cluster_is("ready")
    story.goes_on()
    assert len(story.did(SubmitJob)) == 1
    story.time_passes(31)
    assert len(story.did(SubmitJob)) == 5, "after 2, 4, 8 and 16 seconds"
    story.dashboard.refuses = ""
    story.time_passes(32)

    assert story.dashboard.submitted == [story.job_id]
    assert (CHECK_START in story.status, "message" in story.status) == (False, False)


def test_submissions_that_nobody_answers_end_with_time() -> None:
    """Ray answers questions and never a submission: KubeRay's timer runs, ours does, too."""
    story = JobStory(job_spec())
    story.goes_on()
    story.cluster_is("ready")
    story.dashboard.swallows = True
    story.goes_on()
    assert len(story.did(SubmitJob)) == 1
    story.time_passes(301)

    assert len(story.did(SubmitJob)) == 8, "after 2, 4, ... and 128 seconds"
    assert (story.phase, story.status["reason"]) == ("Failed", "JobStatusCheckTimeoutExceeded")


@pytest.mark.parametrize("text", ['{"custom": "many"}', "[1]", "{"])
def test_resources_without_sense_end_with_time_instead_of_never(text: str) -> None:
    story = running(job_spec(entrypointResources=text))

    assert story.dashboard.submitted == []
    assert "spec.entrypointResources" in str(story.status["message"])
    story.time_passes(301)
    assert (story.phase, story.status["reason"]) == ("Failed", "JobStatusCheckTimeoutExceeded")


def test_a_slow_submitter_is_no_failure_to_ask() -> None:
    """One dashboard error before a long image pull does not end a K8sJobMode job."""
    story = JobStory(job_spec("K8sJobMode"))
    story.goes_on()
    story.cluster_is("ready")
    story.dashboard.answers = False
    story.goes_on()
    assert CHECK_START in story.status
    story.dashboard.answers = True
    story.goes_on()
    story.time_passes(600)

    assert (story.phase, CHECK_START in story.status) == ("Running", False)


@pytest.mark.parametrize("mode", ["K8sJobMode", "InteractiveMode"])
def test_a_job_that_ray_forgot_is_not_left_running(mode: str) -> None:
    """The head died and took the job along: nobody will ever tell how it ended."""
    story = running(job_spec(mode))
    if mode == "InteractiveMode":
        story.wishes(jobId="by-hand")
        story.goes_on()
    story.job_is("RUNNING")
    story.goes_on()
    story.dashboard.jobs.clear()
    story.goes_on()
    story.time_passes(301)

    assert (story.phase, story.status["reason"]) == ("Failed", "JobStatusCheckTimeoutExceeded")


def tokens(**auth: object) -> Raw:
    spec = job_spec()
    cluster = spec["rayClusterSpec"]
    assert isinstance(cluster, dict)
    wanted = {**cluster, "rayVersion": "2.52.0", "authOptions": {"mode": "token", **auth}}
    return {**spec, "rayClusterSpec": wanted}


@pytest.mark.parametrize(("auth", "secret"), [({}, ""), ({"secretName": "mine"}, "mine")])
def test_a_cluster_with_tokens_names_the_secret_and_never_the_token(auth: Raw, secret: str) -> None:
    """RayJob checklist 46: submitting and asking go with the Secret of the cluster."""
    story = running(tokens(**auth))
    (submission,) = story.did(SubmitJob)
    assert isinstance(submission, SubmitJob)

    wanted = secret or story.cluster_name
    assert submission.secret == wanted
    assert [getattr(want, "secret", "") for want in story.act.wants] == [wanted]


@pytest.mark.parametrize(("written", "seconds"), [({}, 300), ({TIMEOUT: "7"}, 7)])
def test_the_operator_says_how_long_nobody_may_be_able_to_tell(
    written: dict[str, str], seconds: int
) -> None:
    """RayJob checklist 45: the variable counts, without it 300 s."""
    rules = read_settings({}, written, member="box").rules
    jobs = JobSettings(
        status_check_timeout=timedelta(seconds=rules.rayjob_status_check_timeout_seconds)
    )
    context = Context(settings=replace(SETTINGS, jobs=jobs), session=CONTEXT.session)
    story = JobStory(job_spec(), context)
    story.goes_on()
    story.cluster_is("ready")
    story.goes_on()
    story.dashboard.answers = False
    story.goes_on()
    story.time_passes(seconds - 1)
    assert story.phase == "Running"
    story.time_passes(1)

    assert str(story.status["message"]).endswith(f"exceeded timeout of {seconds}s")


@pytest.mark.parametrize("text", ["soon", "0", "-5"])
def test_a_wrong_number_is_told_at_the_start_instead_of_being_dropped(text: str) -> None:
    """RayJob checklist 45: KubeRay takes 300 s in silence; we say what is wrong."""
    with pytest.raises(SettingsError, match=TIMEOUT):
        read_settings({}, {TIMEOUT: text}, member="box")
