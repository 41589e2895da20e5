"""A RayJob when things break: the operator dies, the dashboard is silent, the head is lost.

The operator's patience is short here, so that a test can outlive it: an operator that was away for
longer than its own patience must not take its absence for a failure of the job.
"""

import time
from collections.abc import Iterator

import pytest

from tests.e2e.jobs.desk import OPERATOR, Desk, operated, start_operator
from tests.e2e.jobs.manifests import rayjob
from tests.e2e.story import records_of, replay_problems
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("rayjob trouble"), pytest.mark.timeout(240)]

ENDS = ("Complete", "Failed")
MODES = ("K8sJobMode", "SidecarMode", "HTTPMode")
PATIENT_FOR = 20
"""Seconds after which the operator here gives up on a dashboard, or on a submitter."""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    patience = {
        "RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS": str(PATIENT_FOR),
        "RAYJOB_DEPLOYMENT_STATUS_TRANSITION_GRACE_PERIOD_SECONDS": str(PATIENT_FOR),
    }
    with operated(tmp_path_factory.mktemp("trouble"), **patience) as installation:
        yield installation


def ray_status(desk: Desk, cluster: str, job: str) -> str:
    """Return what Ray says of a job."""
    return str(desk.ray(cluster, "GET", f"/api/jobs/{job}")["status"])


def test_jobs_that_succeed_while_the_operator_is_dead_are_complete(here: Installation) -> None:
    desk = Desk(here, "killed")
    desk.script("jobs", runs_for=8.0)
    for mode in MODES:
        desk.create(rayjob(mode.lower(), submissionMode=mode, backoffLimit=1))
    running = {mode: desk.until_phase(mode.lower(), "Running") for mode in MODES}
    for mode, status in running.items():
        desk.until(lambda one=mode: desk.status(one.lower()).get("jobStatus"), f"{mode} is known")  # type: ignore[misc]  # bound at once
        assert status["jobId"]
    here.processes[OPERATOR].kill()
    for mode, status in running.items():
        place = (status["rayClusterName"], status["jobId"])
        desk.until(lambda at=place: ray_status(desk, *at) == "SUCCEEDED", f"{mode} ended")  # type: ignore[misc]  # bound at once
    assert {desk.phase(mode.lower()) for mode in MODES} == {"Running"}
    time.sleep(PATIENT_FOR + 2)
    start_operator(here)
    ends = {mode: desk.until_phase(mode.lower(), *ENDS) for mode in MODES}

    assert {mode: end["jobDeploymentStatus"] for mode, end in ends.items()} == dict.fromkeys(
        MODES, "Complete"
    )
    assert [(end["jobStatus"], end["failed"]) for end in ends.values()] == [("SUCCEEDED", 0)] * 3


def test_the_operator_may_die_at_any_moment_of_a_job(here: Installation) -> None:
    desk = Desk(here, "dies-often")
    for mode in MODES:
        desk.create(rayjob(mode.lower(), submissionMode=mode))
    for pause in (0.3, 0.9, 1.5, 2.5):
        time.sleep(pause)
        here.processes[OPERATOR].kill()
        start_operator(here)
    ends = {mode: desk.until_phase(mode.lower(), *ENDS) for mode in MODES}

    assert [(end["jobStatus"], end["failed"]) for end in ends.values()] == [("SUCCEEDED", 0)] * 3
    for end in ends.values():
        jobs = desk.ray(end["rayClusterName"], "GET", "/api/jobs/")
        assert [one["submission_id"] for one in jobs] == [end["jobId"]]  # type: ignore[index]  # a list


@pytest.mark.parametrize("mode", MODES)
def test_a_dashboard_that_is_away_for_a_while_is_waited_for(here: Installation, mode: str) -> None:
    desk = Desk(here, f"silent-{mode.lower()}")
    desk.script("jobs", runs_for=9.0)
    desk.create(rayjob("job", submissionMode=mode))
    desk.until(lambda: desk.status("job").get("jobStatus") == "RUNNING", "it runs")
    desk.script("answers", path="/api/jobs/*", refuse=True)
    desk.until(
        lambda: desk.status("job").get("jobStatusCheckFailureStartTime"), "the silence is told"
    )
    desk.forget("answers")
    status = desk.until_phase("job", *ENDS)

    assert (status["jobDeploymentStatus"], status["jobStatus"]) == ("Complete", "SUCCEEDED")
    assert "jobStatusCheckFailureStartTime" not in status


def test_a_dashboard_that_stays_away_ends_the_job(here: Installation) -> None:
    desk = Desk(here, "silent-for-good")
    desk.script("jobs", runs_for=None)
    desk.create(rayjob("job", submissionMode="HTTPMode", backoffLimit=2))
    desk.until(lambda: desk.status("job").get("jobStatus") == "RUNNING", "it runs")
    desk.script("answers", path="/api/jobs/*", status=500, body="broken")
    status = desk.until_phase("job", *ENDS)

    assert status["reason"] == "JobStatusCheckTimeoutExceeded"
    assert f"exceeded timeout of {PATIENT_FOR}s" in status["message"]


def test_a_dashboard_that_hangs_ends_its_own_job_alone(here: Installation) -> None:
    hung, well = Desk(here, "hangs"), Desk(here, "is-well")
    hung.script("jobs", runs_for=None)
    hung.create(rayjob("job", submissionMode="HTTPMode"))
    hung.until(lambda: hung.status("job").get("jobStatus") == "RUNNING", "it runs")
    hung.script("answers", path="/api/jobs/*", delay=120.0)
    well.create(rayjob("job", submissionMode="HTTPMode"))

    assert well.until_phase("job", *ENDS)["jobStatus"] == "SUCCEEDED"
    assert hung.until_phase("job", *ENDS)["reason"] == "JobStatusCheckTimeoutExceeded"


def lose_head(desk: Desk) -> None:
    """Delete the only head."""
    [head] = [
        pod["metadata"]["name"]
        for pod in desk.all("pods")
        if pod["metadata"]["labels"].get("ray.io/node-type") == "head"
    ]
    desk.delete("pods", head)


def test_a_job_whose_head_and_submitter_are_lost_has_failed(here: Installation) -> None:
    desk = Desk(here, "headless-sidecar")
    desk.script("jobs", runs_for=None)
    desk.create(rayjob("job", submissionMode="SidecarMode"))
    desk.until(lambda: desk.status("job").get("jobStatus") == "RUNNING", "it runs")
    lose_head(desk)
    status = desk.until_phase("job", *ENDS)

    assert (status["jobDeploymentStatus"], status["failed"]) == ("Failed", 1)
    assert status["reason"] in {"AppFailed", "SubmissionFailed"}


@pytest.mark.parametrize("mode", ["K8sJobMode", "HTTPMode"])
def test_a_job_whose_head_is_lost_is_not_left_running(here: Installation, mode: str) -> None:
    desk = Desk(here, f"headless-{mode.lower()}")
    desk.script("jobs", runs_for=None)
    desk.create(rayjob("job", submissionMode=mode))
    desk.until(lambda: desk.status("job").get("jobStatus") == "RUNNING", "it runs")
    lose_head(desk)
    desk.forget("jobs")
    status = desk.until_phase("job", *ENDS)
    print(mode, status["jobDeploymentStatus"], status.get("reason"), status.get("message"))

    if status["jobDeploymentStatus"] == "Complete":
        assert status["jobStatus"] == "SUCCEEDED"
    else:
        assert status["reason"] in {"AppFailed", "JobStatusCheckTimeoutExceeded"}


async def test_everything_that_was_decided_here_is_decided_so_again(here: Installation) -> None:
    assert replay_problems(await records_of(here)) == []
