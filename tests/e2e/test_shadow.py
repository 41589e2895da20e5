"""A shadow beside an operator that acts: it decides the same, and changes nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.jobs.desk import Desk
from tests.e2e.jobs.manifests import rayjob
from tests.e2e.services.counter import MARKET, Counter, rayservice
from tests.e2e.shadowing import Beside, shadowed
from tests.e2e.story import records_of, replay_problems
from tests.support.fleet import manifest

pytestmark = [pytest.mark.xdist_group("shadow"), pytest.mark.timeout(420)]

READY = "ready"
FAILED = {"status": {"phase": "Failed", "reason": "OOMKilled"}}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beside]:
    with shadowed(tmp_path_factory.mktemp("beside")) as beside:
        yield beside


def workers(desk: Desk) -> list[str]:
    """Return the names of the workers that live."""
    return [
        pod["metadata"]["name"]
        for pod in desk.all("pods")
        if pod["metadata"]["labels"]["ray.io/node-type"] == "worker"
        and pod["status"].get("phase") == "Running"
    ]


def fail_a_worker(desk: Desk) -> str:
    """Let a worker end for good; return its name."""
    name = workers(desk)[0]
    path = f"/api/v1/namespaces/{desk.namespace}/pods/{name}/status"
    desk.ask("PATCH", path, FAILED, "merge-patch+json")
    return name


def until_ready(desk: Desk, count: int) -> None:
    """Wait until the cluster has so many workers and says that it is ready."""
    desk.until(
        lambda: (
            len(workers(desk)) == count
            and desk.status("first", "rayclusters").get("state") == READY
        ),
        f"there are {count} workers",
    )


def change(desk: Desk, **spec: object) -> None:
    """Change the cluster's spec."""
    desk.patch("rayclusters", "first", {"spec": spec})


def scale(desk: Desk, count: int) -> None:
    """Ask for so many workers, and wait for them."""
    change(desk, workerGroupSpecs=manifest("first", count)["spec"]["workerGroupSpecs"])
    until_ready(desk, count)


def live_as_a_cluster(desk: Desk) -> None:
    """Be made, grow, shrink, lose a worker, rest, come back, and end."""
    desk.create(manifest("first", 2))
    until_ready(desk, 2)
    scale(desk, 4)
    scale(desk, 1)
    failed = fail_a_worker(desk)
    desk.until(lambda: failed not in workers(desk), "the worker failed")
    until_ready(desk, 1)
    change(desk, suspend=True)
    desk.until(lambda: not desk.all("pods"), "nothing is left of it")
    desk.until(
        lambda: desk.status("first", "rayclusters").get("state") == "suspended", "it is suspended"
    )
    change(desk, suspend=False)
    until_ready(desk, 1)
    desk.delete("rayclusters", "first")
    desk.until(lambda: not desk.all("pods"), "nothing is left of it")


def test_the_life_of_a_cluster_is_decided_the_same(both: Beside) -> None:
    desk = Desk(both.here, "clusters")
    live_as_a_cluster(desk)

    found = both.told("raycluster/clusters/first")

    assert found["differences"] == []
    assert found["percent"] == 100.0
    counts = {one["rule"]: one["matched"] for one in found["rules"]}
    assert counts["worker_groups"] >= 2 + 2 + 3 + 1 + 1
    assert (counts["head"], counts["unhealthy"], counts["suspension"]) == (2, 1, 2)


@pytest.mark.parametrize("mode", ["K8sJobMode", "HTTPMode"])
def test_the_life_of_a_job_is_decided_the_same(both: Beside, mode: str) -> None:
    space = f"jobs-{mode.lower()}"
    desk = Desk(both.here, space)
    desk.create(rayjob("train", submissionMode=mode, shutdownAfterJobFinishes=True))
    desk.until_phase("train", "Complete")
    desk.until(lambda: not desk.all("rayclusters"), "its cluster is gone")

    found = both.told(f"rayjob/{space}/train")

    assert found["differences"] == []
    assert found["percent"] == 100.0
    assert {"cluster", "removal"} <= {one["rule"] for one in found["rules"]}


def test_the_life_of_a_service_is_decided_the_same(both: Beside) -> None:
    desk = Counter(both.here, "services")
    desk.serve(rayservice("fruit"))
    old = desk.until_running("fruit")["activeServiceStatus"]["rayClusterName"]
    upgrade = {"rayClusterConfig": {"rayVersion": "2.53.0"}, "serveConfigV2": MARKET}
    desk.patch("rayservices", "fruit", {"spec": upgrade})
    desk.until(lambda: desk.active("fruit") not in ("", old), "another cluster serves")
    desk.until_running("fruit")
    desk.until(lambda: desk.get("rayclusters", old) is None, "the old cluster is gone")

    found = both.told("rayservice/services/fruit")

    assert found["differences"] == []
    assert found["percent"] == 100.0
    assert {"cluster", "serve"} <= {one["rule"] for one in found["rules"]}


async def test_everything_together_matches_and_nothing_was_changed(both: Beside) -> None:
    desk = Desk(both.here, "together")
    desk.create(rayjob("train", submissionMode="HTTPMode"))
    desk.until_phase("train", "Complete")
    both.told()
    said = both.parity()

    assert (said.returncode, said.stderr) == (0, ""), said.stdout
    assert said.stdout.splitlines()[-1].startswith("100 % of ")
    assert {method for method, _ in both.door.noted} == {"GET"}
    assert any("/proxy/" in path for _, path in both.door.noted)
    assert replay_problems(await records_of(both.there)) == []


def test_a_log_is_of_one_mode(both: Beside) -> None:
    acting = both.there.heliograph("run", "all", HELIOGRAPH_HTTP_PORT="0")
    looking_on = both.here.heliograph("run", "all", "--shadow", HELIOGRAPH_HTTP_PORT="0")
    compared = both.here.heliograph("parity")

    assert [one.returncode for one in (acting, looking_on, compared)] == [2, 2, 2]
    assert "only looks on (--shadow)" in acting.stderr
    assert "is of an installation that acts" in looking_on.stderr
    assert "this log is of an installation that acts" in compared.stderr


def test_a_rule_that_the_other_lacks_is_named(tmp_path: Path) -> None:
    with shadowed(tmp_path, changed=True) as beside:
        desk = Desk(beside.here, "changed")
        desk.create(manifest("first", 2))
        desk.until(lambda: len(workers(desk)) == 2, "there are 2 workers")
        failed = fail_a_worker(desk)

        found = beside.told()
        said = beside.parity()

    (first, *_) = found["differences"]
    assert (first["rule"], first["verdict"]) == ("unhealthy", "missing")
    assert first["resource"] == "raycluster/changed/first"
    assert failed in first["what"]
    assert {one["rule"] for one in found["differences"]} == {"unhealthy"}
    assert said.returncode == 1
    assert "unhealthy" in said.stdout
