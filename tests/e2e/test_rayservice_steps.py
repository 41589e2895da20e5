"""A RayService whose traffic moves in steps, with real processes and a gateway that only nods."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import pytest
import yaml

from tests.e2e.jobs.desk import PATIENCE, operated
from tests.e2e.story import closed_books, replay_problems
from tests.e2e.test_rayservice import INCREMENTAL, MARKET, SAMPLES, Counter, rayservice
from tests.support.fleet import Json
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("rayservice"), pytest.mark.timeout(400)]

GROUP = "gateway.networking.k8s.io"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
KINDS = {"gateways": "Gateway", "httproutes": "HTTPRoute"}
NODS = ("Accepted", "Programmed", "ResolvedRefs")
NOD_EVERY = 0.3


def definition(plural: str, kind: str) -> Json:
    """A definition that takes anything, with a status beside it."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "scope": "Namespaced",
            "versions": [version],
        },
    }


class Crossing(Counter):
    """A user with RayServices behind a gateway."""

    def weights(self, name: str) -> dict[str, int]:
        """Return what the route of a RayService does with requests, by cluster."""
        route = self.get("httproutes", f"{name}-httproute") or {"spec": {"rules": []}}
        return {
            str(one["name"]).removesuffix("-serve-svc"): int(one["weight"])
            for rule in route["spec"]["rules"]
            for one in rule["backendRefs"]
        }

    def nod(self) -> None:
        """Say of everything that there is that it works."""
        for plural in KINDS:
            for one in self.all(plural):
                generation = one["metadata"].get("generation", 1)
                told = [
                    {"type": type_, "status": "True", "observedGeneration": generation}
                    for type_ in NODS
                ]
                parent = {"parentRef": {"name": "fruit-gateway"}, "conditions": told}
                status = {"conditions": told} if plural == "gateways" else {"parents": [parent]}
                if one.get("status") != status:
                    path = f"{self._path(plural)}/{one['metadata']['name']}/status"
                    self.ask("PATCH", path, {"status": status}, "merge-patch+json")

    @contextmanager
    def nodding(self) -> Iterator[None]:
        """Be the gateway's controller while the block runs."""
        over = threading.Event()

        def work() -> None:
            while not over.wait(NOD_EVERY):
                self.nod()

        thread = threading.Thread(target=work, name="gateway")
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _path(self, plural: str) -> str:
        if plural in KINDS:
            return f"/apis/{GROUP}/v1/namespaces/{self.namespace}/{plural}"
        return super()._path(plural)


def stepped(**options: int) -> Json:
    """A RayService that scales and moves its traffic in steps."""
    made = rayservice("fruit")
    pace = {"maxSurgePercent": 50, "stepSizePercent": 25, "intervalSeconds": 1, **options}
    made["spec"]["rayClusterConfig"]["enableInTreeAutoscaling"] = True
    made["spec"]["upgradeStrategy"] = {
        "type": "NewClusterWithIncrementalUpgrade",
        "clusterUpgradeOptions": {"gatewayClassName": "nodding", **pace},
    }
    return made


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with operated(tmp_path_factory.mktemp("steps")) as installation:
        desk = Crossing(installation)
        for plural, kind in KINDS.items():
            desk.ask("POST", DEFINITIONS, definition(plural, kind))
        yield installation


def test_traffic_moves_in_steps_and_nobody_is_sent_into_the_void(here: Installation) -> None:
    """RayService checklist 76: both versions are there while it moves; the new text at the end."""
    desk = Crossing(here, "steps")
    with desk.nodding():
        desk.serve(stepped())
        old = desk.until_running("fruit")["activeServiceStatus"]["rayClusterName"]
        desk.until(lambda: desk.weights("fruit") == {old: 100}, "everything goes to one cluster")
        change = {"rayClusterConfig": {"rayVersion": "2.53.0"}, "serveConfigV2": MARKET}
        desk.patch("rayservices", "fruit", {"spec": change})
        shares: list[int] = []

        def through() -> bool:
            weights = desk.weights("fruit")
            assert sum(weights.values()) == 100
            for cluster, weight in weights.items():
                assert weight == 0 or desk.endpoints(f"{cluster}-serve-svc"), weights
            shares.append(weights.get(old, 0))
            return old not in weights

        desk.until(through, "the route leads to the new cluster alone")
        status = desk.until_running("fruit")
        steps = list(dict.fromkeys(shares))
        assert all(earlier - later <= 50 for earlier, later in pairwise(steps)), steps
        assert len(steps) > 2, steps
        assert set(status["activeServiceStatus"]["applicationStatuses"]) == {"market"}
        desk.until(lambda: desk.get("rayclusters", old) is None, "the old cluster is gone")


def test_a_revert_half_way_ends_where_it_began(here: Installation) -> None:
    """RayService checklist 77: back to the original cluster, and the other one goes."""
    desk = Crossing(here, "revert")
    with desk.nodding():
        desk.serve(stepped(intervalSeconds=2))
        old = desk.until_running("fruit")["activeServiceStatus"]["rayClusterName"]
        desk.patch("rayservices", "fruit", {"spec": {"rayClusterConfig": {"rayVersion": "2.53.0"}}})
        desk.until(lambda: 0 < desk.weights("fruit").get(old, 100) < 100, "some of it has moved")
        desk.patch("rayservices", "fruit", {"spec": {"rayClusterConfig": {"rayVersion": "2.52.0"}}})
        desk.until(
            lambda: desk.conditions("fruit").get("RollbackInProgress", ("", ""))[0] == "True",
            "the status says that it goes back",
        )
        desk.until(lambda: desk.weights("fruit") == {old: 100}, "the route leads back alone")
        desk.until(lambda: len(desk.all("rayclusters")) == 1, "the other cluster is gone")
        assert desk.told("fruit")["activeServiceStatus"]["rayClusterName"] == old
        assert "RollbackInProgress" not in desk.conditions("fruit")


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="needs ../shared/data/kuberay-samples")
def test_the_sample_serves_through_its_gateway(here: Installation) -> None:
    """RayService checklist 84: the sample of an upgrade in steps, as it stands."""
    desk = Crossing(here, "sample")
    each = yaml.safe_load_all((SAMPLES / INCREMENTAL).read_text())
    [service] = [one for one in each if one and one["kind"] == "RayService"]
    name = desk.serve(service)
    active = desk.until_running(name)["activeServiceStatus"]

    desk.until(lambda: desk.weights(name) == {active["rayClusterName"]: 100}, "there is a route")
    assert active["targetCapacity"] == 100


async def test_the_log_replays_to_the_same_decisions(here: Installation) -> None:
    """What was decided of a service in steps is decided again from the log alone."""
    desk = Crossing(here, "again")
    with desk.nodding():
        name = desk.serve(stepped())
        desk.until_running(name)
        old = desk.told(name)["activeServiceStatus"]["rayClusterName"]
        desk.patch("rayservices", name, {"spec": {"rayClusterConfig": {"rayVersion": "2.53.0"}}})
        desk.until(lambda: old not in desk.weights(name), "the new cluster has taken over")
    desk.delete("rayservices", name)

    assert replay_problems(await closed_books(here, "again", PATIENCE)) == []
