"""Every RayJob and RayCronJob sample of KubeRay runs to its end, as it stands in the file."""

import time
from collections.abc import Iterator

import pytest

from tests.e2e.jobs.desk import PATIENCE, Desk, operated
from tests.e2e.jobs.samples import (
    INTERACTIVE,
    SAMPLES,
    SELECTS,
    YUNIKORN,
    Sample,
    cluster_named,
    sample,
    samples,
)
from tests.support.processes import Installation

pytestmark = [
    pytest.mark.xdist_group("job samples"),
    pytest.mark.timeout(500),
    pytest.mark.skipif(not SAMPLES.is_dir(), reason="needs ../shared/data/kuberay-samples"),
]
GATES = "RayCronJob=true"
TAKES = 300.0
"""All at once, on a machine with other things to do; one of them takes 90 s to go by itself."""


class Played:
    """A sample that was applied, and how far it has come."""

    def __init__(self, here: Installation, each: Sample) -> None:
        self.sample = each
        self.desk = Desk(here, each.namespace)
        self.ended = ""
        for other in each.others:
            self.desk.create(other)
        if each.file == SELECTS:
            self.desk.create(cluster_named(each.spec["clusterSelector"]["ray.io/cluster"]))
        self.name = self.desk.create(each.resource)
        self._submitted = False

    def look(self) -> None:
        """Do the user's part, and note the end when it is reached."""
        if self.sample.resource["kind"] == "RayCronJob":
            self._end(self._ran())
            return
        job = self.desk.get("rayjobs", self.name)
        if job is None:
            self._end("gone by its rules" if self.sample.gone else "vanished")
            return
        status = job.get("status", {})
        phase, told = status.get("jobDeploymentStatus", ""), status.get("jobStatus", "")
        if phase == "Waiting" and not self._submitted:
            self._submit(status["rayClusterName"])
        if phase in {"Complete", "Failed"} and not self.sample.gone and self._tidied(status):
            self._end(f"{phase}, {told}")

    def _end(self, ended: str) -> None:
        self.ended = ended
        if ended:
            print(f"{self.sample.file}: {ended}")

    def _tidied(self, status: dict[str, str]) -> bool:
        if not self.sample.cluster_goes:
            return True
        return self.desk.get("rayclusters", status["rayClusterName"]) is None

    def _submit(self, cluster: str) -> None:
        body = {"entrypoint": "python mine.py", "submission_id": "mine"}
        self.desk.ray(cluster, "POST", "/api/jobs/", body)
        self.desk.patch("rayjobs", self.name, {"spec": {"jobId": "mine"}})
        self._submitted = True

    def _ran(self) -> str:
        runs = self.desk.all("rayjobs")
        phases = {run.get("status", {}).get("jobDeploymentStatus", "") for run in runs}
        last = self.desk.status(self.name, "raycronjobs").get("lastScheduleTime")
        done = phases & {"Complete", "Failed"}
        return f"ran: {min(done)}" if last and done else ""


def expected(each: Sample) -> str:
    """Return how a sample is to end."""
    if each.resource["kind"] == "RayCronJob":
        return "ran: Complete"
    return "gone by its rules" if each.gone else "Complete, SUCCEEDED"


def play(here: Installation, chosen: list[Sample]) -> dict[str, str]:
    """Apply samples all at once; return how each ended."""
    played = [Played(here, each) for each in chosen]
    deadline = time.monotonic() + TAKES
    while not all(each.ended for each in played) and time.monotonic() < deadline:
        for each in (one for one in played if not one.ended):
            each.look()
        time.sleep(0.5)
    for each in played:
        if not each.ended:
            print(each.desk.picture())
    return {each.sample.file: each.ended for each in played}


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("samples")
    with operated(folder, HELIOGRAPH_FEATURE_GATES=GATES) as installation:
        yield installation


def test_every_sample_reaches_its_end(here: Installation) -> None:
    chosen = [each for each in samples() if each.file != YUNIKORN]

    assert {SELECTS, INTERACTIVE} < {each.file for each in chosen}
    assert play(here, chosen) == {each.file: expected(each) for each in chosen}


def test_the_sample_for_a_batch_scheduler_runs_with_that_scheduler(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("yunikorn")
    with operated(folder, HELIOGRAPH_BATCH_SCHEDULER="yunikorn") as here:
        each = sample(YUNIKORN)
        desk = Desk(here, each.namespace)
        for other in each.others:
            desk.create(other)
        name = desk.create(each.resource)
        desk.until_phase(name, "Running", within=PATIENCE)
        pods = desk.all("pods")
        status = desk.until_phase(name, "Complete", "Failed")

        assert status["jobStatus"] == "SUCCEEDED", desk.picture()
        assert {pod["spec"].get("schedulerName") for pod in pods} == {"yunikorn"}
        print(f"{each.file}: Complete, SUCCEEDED")
