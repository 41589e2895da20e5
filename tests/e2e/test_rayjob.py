"""A RayJob's life with real processes: each way to submit, retries, rest, deadlines, deletion."""

from collections.abc import Iterator

import pytest

from tests.e2e.jobs.desk import Desk, operated
from tests.e2e.jobs.manifests import rayjob
from tests.e2e.story import records_of, replay_problems
from tests.support.fleet import manifest
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("rayjob"), pytest.mark.timeout(180)]

FOREVER = {"runs_for": None}
ENDS = ("Complete", "Failed")
MAY_REST = {"shutdownAfterJobFinishes": True}
MODES = ("K8sJobMode", "SidecarMode", "HTTPMode")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with operated(tmp_path_factory.mktemp("rayjob")) as installation:
        yield installation


def known_to_ray(desk: Desk, cluster: str) -> dict[str, str]:
    """Return the status of every job that a cluster knows."""
    jobs = desk.ray(cluster, "GET", "/api/jobs/")
    return {str(one["submission_id"]): str(one["status"]) for one in jobs}  # type: ignore[index]  # a list


@pytest.mark.parametrize("mode", MODES)
def test_a_job_succeeds_and_was_submitted_once(here: Installation, mode: str) -> None:
    desk = Desk(here, f"succeeds-{mode.lower()}")
    desk.create(rayjob("job", submissionMode=mode))
    status = desk.until_phase("job", *ENDS)

    assert (status["jobDeploymentStatus"], status["jobStatus"]) == ("Complete", "SUCCEEDED")
    assert (status["succeeded"], status["failed"]) == (1, 0)
    assert known_to_ray(desk, status["rayClusterName"]) == {status["jobId"]: "SUCCEEDED"}
    assert status["startTime"] <= status["endTime"]
    assert "because" in desk.timeline("job")


def test_a_user_submits_in_interactive_mode(here: Installation) -> None:
    desk = Desk(here, "interactive")
    desk.create(rayjob("job", submissionMode="InteractiveMode"))
    cluster = desk.until_phase("job", "Waiting")["rayClusterName"]
    body = {"entrypoint": "python mine.py", "submission_id": "mine"}
    desk.ray(cluster, "POST", "/api/jobs/", body)
    desk.patch("rayjobs", "job", {"spec": {"jobId": "mine"}})
    status = desk.until_phase("job", *ENDS)

    assert (status["jobStatus"], status["jobId"]) == ("SUCCEEDED", "mine")


@pytest.mark.parametrize("mode", MODES)
def test_a_failed_job_is_tried_again_on_another_cluster(here: Installation, mode: str) -> None:
    desk = Desk(here, f"again-{mode.lower()}")
    desk.script("jobs", exit_code=3)
    desk.create(rayjob("job", submissionMode=mode, backoffLimit=2))
    desk.until(lambda: desk.status("job").get("failed") == 1, "the first attempt has failed")
    desk.forget("jobs")
    status = desk.until_phase("job", *ENDS)

    assert (status["jobDeploymentStatus"], status["jobStatus"]) == ("Complete", "SUCCEEDED")
    assert (status["failed"], status["succeeded"]) == (1, 1)
    assert [one["metadata"]["name"] for one in desk.all("rayclusters")] == [
        status["rayClusterName"]
    ]


def test_a_job_fails_when_its_tries_are_used_up(here: Installation) -> None:
    desk = Desk(here, "used-up")
    desk.script("jobs", exit_code=3)
    spec = {"backoffLimit": 1, "shutdownAfterJobFinishes": True, "submissionMode": "HTTPMode"}
    desk.create(rayjob("job", **spec))
    status = desk.until_phase("job", *ENDS)

    assert (status["jobDeploymentStatus"], status["reason"]) == ("Failed", "AppFailed")
    assert (status["failed"], status["succeeded"]) == (2, 0)
    assert "exit code 3" in status["message"]
    desk.until(lambda: not desk.all("rayclusters"), "its cluster is shut down")


def test_a_job_rests_while_it_is_suspended_and_begins_anew(here: Installation) -> None:
    desk = Desk(here, "rests")
    desk.script("jobs", **FOREVER)
    desk.create(rayjob("job", **MAY_REST))
    first = desk.until_phase("job", "Running")["rayClusterName"]
    desk.patch("rayjobs", "job", {"spec": {"suspend": True}})
    resting = desk.until_phase("job", "Suspended")

    assert (desk.all("rayclusters"), desk.all("jobs")) == ([], [])
    assert "rayClusterName" not in resting
    desk.until(lambda: not desk.all("pods"), "nothing runs")
    desk.forget("jobs")
    desk.patch("rayjobs", "job", {"spec": {"suspend": False}})
    status = desk.until_phase("job", *ENDS)

    assert status["jobDeploymentStatus"] == "Complete"
    assert (status["failed"], status["rayClusterName"] != first) == (0, True)


def test_a_job_that_may_not_rest_goes_on_and_its_user_is_told(here: Installation) -> None:
    desk = Desk(here, "may-not-rest")
    desk.script("jobs", runs_for=6.0)
    desk.create(rayjob("job"))
    desk.until(lambda: desk.status("job").get("jobStatus") == "RUNNING", "it runs")
    pods = {pod["metadata"]["uid"] for pod in desk.all("pods")}
    desk.patch("rayjobs", "job", {"spec": {"suspend": True}})
    told = desk.until_phase("job", "ValidationFailed")

    assert "not allowed to be suspended" in told["message"]
    assert {pod["metadata"]["uid"] for pod in desk.all("pods")} == pods
    desk.patch("rayjobs", "job", {"spec": {"suspend": False}})
    assert desk.until_phase("job", *ENDS)["jobStatus"] == "SUCCEEDED"


def test_a_job_that_is_born_suspended_makes_nothing_until_it_is_let_go(here: Installation) -> None:
    desk = Desk(here, "born-resting")
    desk.create(rayjob("job", suspend=True, **MAY_REST))
    desk.until_phase("job", "Suspended")

    assert (desk.all("rayclusters"), desk.all("pods")) == ([], [])
    desk.patch("rayjobs", "job", {"spec": {"suspend": False}})
    assert desk.until_phase("job", *ENDS)["jobStatus"] == "SUCCEEDED"


def test_a_job_that_takes_too_long_fails_and_is_not_tried_again(here: Installation) -> None:
    desk = Desk(here, "too-long")
    desk.script("jobs", **FOREVER)
    desk.create(rayjob("job", activeDeadlineSeconds=6, backoffLimit=3))
    status = desk.until_phase("job", *ENDS)

    assert (status["reason"], status["failed"]) == ("DeadlineExceeded", 1)
    assert status["jobStatus"] != "SUCCEEDED"


def test_a_job_that_never_gets_room_fails_in_time(here: Installation) -> None:
    desk = Desk(here, "no-room")
    desk.script("pods", unschedulable="0/1 nodes are available")
    desk.create(rayjob("job", preRunningDeadlineSeconds=5, shutdownAfterJobFinishes=True))
    status = desk.until_phase("job", *ENDS)

    assert status["reason"] == "PreRunningDeadlineExceeded"
    desk.until(lambda: not desk.all("rayclusters"), "its cluster is shut down")


def test_a_selected_cluster_is_used_and_left_alone(here: Installation) -> None:
    desk = Desk(here, "selects")
    desk.create(rayjob("job", clusterSelector={"ray.io/cluster": "mine"}))
    desk.until(lambda: desk.events("job"), "the user is told that it is missing")
    desk.create(manifest("mine", 1))
    status = desk.until_phase("job", *ENDS)
    uid = desk.all("rayclusters")[0]["metadata"]["uid"]
    desk.delete("rayjobs", "job")
    desk.until(lambda: desk.get("rayjobs", "job") is None, "the job is gone")

    assert (status["jobStatus"], status["rayClusterName"]) == ("SUCCEEDED", "mine")
    assert [one["metadata"]["uid"] for one in desk.all("rayclusters")] == [uid]
    assert "deletionTimestamp" not in desk.all("rayclusters")[0]["metadata"]


@pytest.mark.parametrize("mode", ["K8sJobMode", "HTTPMode"])
def test_deleting_a_job_stops_it(here: Installation, mode: str) -> None:
    desk = Desk(here, f"stops-{mode.lower()}")
    desk.script("jobs", **FOREVER)
    desk.create(manifest("mine", 0))
    desk.create(rayjob("job", submissionMode=mode, clusterSelector={"ray.io/cluster": "mine"}))
    desk.until(lambda: desk.status("job").get("jobStatus") == "RUNNING", "it runs")
    desk.delete("rayjobs", "job")
    desk.until(lambda: desk.get("rayjobs", "job") is None, "the job is gone")

    told = known_to_ray(desk, "mine")
    desk.until(lambda: set(known_to_ray(desk, "mine").values()) == {"STOPPED"}, "it has stopped")
    assert len(told) == 1


@pytest.mark.parametrize("mode", MODES)
def test_everything_of_a_deleted_job_goes(here: Installation, mode: str) -> None:
    desk = Desk(here, f"goes-{mode.lower()}")
    desk.script("jobs", **FOREVER)
    desk.create(rayjob("job", submissionMode=mode))
    desk.until(lambda: desk.status("job").get("jobStatus") == "RUNNING", "it runs")
    desk.delete("rayjobs", "job")

    kinds = ("rayjobs", "rayclusters", "jobs", "pods", "services")
    desk.until(lambda: not any(desk.all(kind) for kind in kinds), "nothing is left")


async def test_everything_that_was_decided_here_is_decided_so_again(here: Installation) -> None:
    assert replay_problems(await records_of(here)) == []
