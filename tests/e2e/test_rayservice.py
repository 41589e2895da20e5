"""A RayService's life with real processes, and every sample of KubeRay's as it stands."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.e2e.jobs.desk import PATIENCE, operated, start_operator
from tests.e2e.services.counter import MARKET, Counter, rayservice
from tests.e2e.story import closed_books, replay_problems
from tests.support.fleet import Json
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("rayservice"), pytest.mark.timeout(400)]

SAMPLES = Path(__file__).resolve().parents[3] / "shared" / "data" / "kuberay-samples"
INCREMENTAL = "ray-service.incremental-upgrade.yaml"
"""Traffic in steps has tests of its own."""
TAKES = 240.0


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with operated(tmp_path_factory.mktemp("rayservice")) as installation:
        yield installation


def test_a_service_serves_is_upgraded_and_never_without_an_endpoint(here: Installation) -> None:
    """RayService checklist 27, 29 and 33: another cluster takes over while somebody is served."""
    desk = Counter(here, "upgrade")
    desk.serve(rayservice("fruit"))
    old = desk.until_running("fruit")["activeServiceStatus"]["rayClusterName"]
    assert desk.conditions("fruit")["UpgradeInProgress"] == ("False", "NoPendingCluster")
    change = {"rayClusterConfig": {"rayVersion": "2.53.0"}, "serveConfigV2": MARKET}
    desk.patch("rayservices", "fruit", {"spec": change})
    fewest = len(desk.endpoints("fruit-serve-svc"))

    def switched() -> bool:
        nonlocal fewest
        fewest = min(fewest, len(desk.endpoints("fruit-serve-svc")))
        return bool(desk.told("fruit")["activeServiceStatus"]["rayClusterName"] != old)

    desk.until(switched, "another cluster serves")
    status = desk.until_running("fruit")
    assert fewest > 0, "somebody was not served"
    assert set(status["activeServiceStatus"]["applicationStatuses"]) == {"market"}
    desk.until(lambda: desk.get("rayclusters", old) is None, "the old cluster is gone")
    desk.until(lambda: "DeletedRayCluster" in desk.reasons("fruit"), "people are told")
    assert desk.reasons("fruit").count("UpdatedServeApplications") == 2
    assert desk.reasons("fruit").count("CreatedRayCluster") == 2
    assert desk.reasons("fruit").count("DeletedRayCluster") == 1


def test_a_lost_head_is_replaced_and_told_again(here: Installation) -> None:
    """RayService checklist 37: a new head, the same applications, the endpoint is another pod."""
    desk = Counter(here, "lost")
    desk.serve(rayservice("fruit"))
    name = desk.until_running("fruit")["activeServiceStatus"]["rayClusterName"]
    [head] = [
        pod for pod in desk.all("pods") if pod["metadata"]["labels"]["ray.io/node-type"] == "head"
    ]
    desk.delete("pods", head["metadata"]["name"])

    def replaced() -> bool:
        pod = desk.get("pods", head["metadata"]["name"])
        uid = pod["metadata"]["uid"] if pod else head["metadata"]["uid"]
        labelled = pod is not None and pod["metadata"]["labels"]["ray.io/serve"] == "true"
        return uid != head["metadata"]["uid"] and labelled and desk.is_running("fruit")

    desk.until(replaced, "the new head takes requests")
    assert desk.told("fruit")["activeServiceStatus"]["rayClusterName"] == name


def test_suspending_resuming_deleting_and_nothing_is_left(here: Installation) -> None:
    """RayService checklist 34 and 60: at rest, at work, gone."""
    desk = Counter(here, "rest")
    desk.serve(rayservice("fruit"))
    first = desk.until_running("fruit")["activeServiceStatus"]["rayClusterName"]
    desk.patch("rayservices", "fruit", {"spec": {"suspend": True}})
    desk.until(
        lambda: desk.conditions("fruit").get("Suspended") == ("True", "SuspendComplete"),
        "it is suspended",
    )
    assert (desk.all("rayclusters"), desk.endpoints("fruit-serve-svc")) == ([], set())
    desk.patch("rayservices", "fruit", {"spec": {"suspend": False}})
    second = desk.until_running("fruit")["activeServiceStatus"]["rayClusterName"]
    assert second != first
    desk.delete("rayservices", "fruit")
    desk.until(lambda: desk.all("rayservices") == [], "it is gone")
    assert desk.all("rayclusters") == []
    desk.until(lambda: desk.all("services") + desk.all("pods") == [], "nothing of it is left")


def test_a_restarted_operator_tells_serve_nothing_again(here: Installation) -> None:
    """RayService checklist 30 and 36: what was accepted is known, and upgrades work on."""
    desk = Counter(here, "again")
    desk.serve(rayservice("fruit"))
    old = desk.until_running("fruit")["activeServiceStatus"]["rayClusterName"]
    here.processes["operator"].end()
    start_operator(here)
    change = {"spec": {"rayClusterConfig": {"rayVersion": "2.53.0"}}}
    time.sleep(3)
    assert desk.reasons("fruit").count("UpdatedServeApplications") == 1
    desk.patch("rayservices", "fruit", change)
    desk.until(
        lambda: desk.told("fruit")["activeServiceStatus"]["rayClusterName"] != old,
        "another cluster serves",
    )
    desk.until_running("fruit")


def test_who_looks_after_a_service_is_fixed(here: Installation) -> None:
    """RayService checklist 5 and 7: not ours, not changeable, not just anybody."""
    desk = Counter(here, "others")
    desk.serve(rayservice("fruit", managedBy="kueue.x-k8s.io/multikueue"))
    with pytest.raises(AssertionError, match="immutable"):
        desk.patch("rayservices", "fruit", {"spec": {"managedBy": "ray.io/kuberay-operator"}})
    with pytest.raises(AssertionError, match="managedBy"):
        desk.serve(rayservice("other", managedBy="somebody"))
    time.sleep(1)
    assert desk.told("fruit") == {}
    assert desk.all("rayclusters") == []


async def test_every_decision_is_made_again_the_same(here: Installation) -> None:
    desk = Counter(here, "replayed")
    desk.serve(rayservice("fruit"))
    desk.until_running("fruit")
    desk.delete("rayservices", "fruit")
    records = await closed_books(here, "replayed", PATIENCE)

    assert replay_problems(records) == []


def samples() -> dict[str, list[Json]]:
    """Return the documents of every file with a RayService, without those of steps."""
    files = {str(path.relative_to(SAMPLES)): path for path in sorted(SAMPLES.rglob("*.yaml"))}
    return {
        name: [each for each in yaml.safe_load_all(path.read_text()) if each]
        for name, path in files.items()
        if "kind: RayService" in path.read_text() and name != INCREMENTAL
    }


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="needs ../shared/data/kuberay-samples")
def test_every_sample_serves(here: Installation) -> None:
    """RayService checklist 84: Running, with endpoints and every application."""
    waiting: dict[str, tuple[Counter, str]] = {}
    for file, documents in samples().items():
        space = file.rpartition("/")[2].removesuffix(".yaml").replace(".", "-").lower()
        desk = Counter(here, space)
        [service] = [each for each in documents if each["kind"] == "RayService"]
        waiting[file] = (desk, desk.serve(service))
    assert len(waiting) >= 11
    deadline = time.monotonic() + TAKES
    while waiting and time.monotonic() < deadline:
        for file, (desk, name) in tuple(waiting.items()):
            if desk.is_running(name):
                print(f"{file}: {desk.told(name)['numServeEndpoints']} endpoints")
                del waiting[file]
        time.sleep(0.5)
    assert {file: desk.picture() for file, (desk, _) in waiting.items()} == {}
