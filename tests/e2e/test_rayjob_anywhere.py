"""RayJobs and a RayCronJob on whichever Kubernetes was chosen, with the rights that we deploy.

On the real control plane pods come up by the sandbox's kubelet, and the operator reaches the
scripted dashboards through the proxy that it opens. What Ray does is told by the names of jobs,
from the start: there is one namespace for all stories here.
"""

from collections.abc import Iterator

import pytest
import yaml

from tests.e2e.jobs.desk import Desk, start_operator
from tests.e2e.jobs.manifests import raycronjob, rayjob
from tests.e2e.story import records_of, replay_problems
from tests.support.fleet import manifest
from tests.support.kubes import Kube, installed, network_of

pytestmark = [pytest.mark.xdist_group("rayjob anywhere"), pytest.mark.timeout(300)]

ENDS = ("Complete", "Failed")
MODES = ("K8sJobMode", "SidecarMode", "HTTPMode")
RAY = {
    "jobs": [
        {"job": "fails-*", "exit_code": 3},
        {"job": "long-*", "runs_for": None},
    ]
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, kube: Kube) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("anywhere")
    scenario = folder / "scenario.yaml"
    scenario.write_text(yaml.safe_dump({"ray": RAY}))
    with installed(folder, kube, scenario=scenario) as here:
        start_operator(
            here,
            HELIOGRAPH_USE_KUBERNETES_PROXY="false",
            HELIOGRAPH_DASHBOARD_PROXY=network_of(here),
            HELIOGRAPH_FEATURE_GATES="RayCronJob=true",
        )
        yield Desk(here)


def gone(desk: Desk, name: str) -> None:
    """Delete a RayJob, and wait until nothing of it is left."""
    desk.delete("rayjobs", name)
    kinds = ("rayjobs", "rayclusters", "jobs", "pods", "services")

    def left() -> list[str]:
        found = (one["metadata"]["name"] for kind in kinds for one in desk.all(kind))
        return [each for each in found if each.startswith(name)]

    desk.until(lambda: not left(), f"nothing of {name} is left")


@pytest.mark.parametrize("mode", MODES)
def test_a_job_succeeds_and_leaves_nothing_behind(desk: Desk, mode: str) -> None:
    name = f"ok-{mode.lower()}"
    desk.create(rayjob(name, submissionMode=mode))
    status = desk.until_phase(name, *ENDS)

    assert (status["jobDeploymentStatus"], status["jobStatus"]) == ("Complete", "SUCCEEDED")
    assert {"CreatedRayCluster", "CreatedService"} <= dict(desk.events(name)).keys()
    gone(desk, name)


@pytest.mark.parametrize("mode", MODES)
def test_a_job_that_fails_is_tried_again_and_given_up(desk: Desk, mode: str) -> None:
    name = f"fails-{mode.lower()}"
    desk.create(rayjob(name, submissionMode=mode, backoffLimit=1, shutdownAfterJobFinishes=True))
    status = desk.until_phase(name, *ENDS)

    assert (status["reason"], status["failed"]) == ("AppFailed", 2)
    desk.until(lambda: desk.get("rayclusters", status["rayClusterName"]) is None, "it is shut down")
    gone(desk, name)


def test_a_job_rests_and_is_deleted(desk: Desk) -> None:
    desk.create(rayjob("long-rest", shutdownAfterJobFinishes=True))
    desk.until(lambda: desk.status("long-rest").get("jobStatus") == "RUNNING", "it runs")
    desk.patch("rayjobs", "long-rest", {"spec": {"suspend": True}})
    desk.until_phase("long-rest", "Suspended")

    assert [one for one in desk.all("rayclusters") if "long-rest" in one["metadata"]["name"]] == []
    desk.patch("rayjobs", "long-rest", {"spec": {"suspend": False}})
    desk.until(lambda: desk.status("long-rest").get("jobStatus") == "RUNNING", "it runs again")
    gone(desk, "long-rest")


def test_a_job_on_a_selected_cluster_takes_too_long(desk: Desk) -> None:
    desk.create(manifest("mine", 1))
    selector = {"ray.io/cluster": "mine"}
    desk.create(rayjob("long-select", clusterSelector=selector, activeDeadlineSeconds=8))
    status = desk.until_phase("long-select", *ENDS)

    assert (status["reason"], status["rayClusterName"]) == ("DeadlineExceeded", "mine")
    gone(desk, "long-select")
    assert desk.get("rayclusters", "mine") is not None
    desk.delete("rayclusters", "mine")


def test_a_job_is_tidied_up_by_its_rules(desk: Desk) -> None:
    rules = [
        {"policy": "DeleteWorkers", "condition": {"jobStatus": "SUCCEEDED", "ttlSeconds": 0}},
        {"policy": "DeleteSelf", "condition": {"jobStatus": "SUCCEEDED", "ttlSeconds": 6}},
    ]
    desk.create(rayjob("ok-rules", deletionStrategy={"deletionRules": rules}))
    cluster = desk.until_phase("ok-rules", "Complete")["rayClusterName"]

    def pods() -> set[str]:
        found = (pod["metadata"]["labels"] for pod in desk.all("pods"))
        return {one["ray.io/node-type"] for one in found if one.get("ray.io/cluster") == cluster}

    desk.until(lambda: pods() == {"head"}, "its workers are gone and its head is not")
    desk.until(lambda: desk.get("rayjobs", "ok-rules") is None, "it is gone itself")


def test_a_schedule_makes_a_run(desk: Desk) -> None:
    desk.create(raycronjob("cron", "@every 5s"))
    desk.until(lambda: runs_of(desk), "a run is there")
    [run, *_] = runs_of(desk)

    assert desk.until_phase(run, *ENDS)["jobStatus"] == "SUCCEEDED"
    assert desk.status("cron", "raycronjobs")["lastScheduleTime"]
    desk.delete("raycronjobs", "cron")
    desk.until(lambda: not runs_of(desk), "its runs are gone")


def runs_of(desk: Desk) -> list[str]:
    names = (str(one["metadata"]["name"]) for one in desk.all("rayjobs"))
    return [name for name in names if name.startswith("cron-")]


async def test_everything_that_was_decided_here_is_decided_so_again(desk: Desk) -> None:
    assert replay_problems(await records_of(desk.here)) == []
