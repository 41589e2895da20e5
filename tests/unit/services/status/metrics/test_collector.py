"""KubeRay's metrics under KubeRay's names, of what this process owns."""

from msgspec.structs import replace

from services.status.metrics.collector import CLUSTERS
from shared.aggregates.view import View
from shared.telemetry.metrics import REGISTRY, exposition
from tests.support.builders import resource, worker
from tests.support.history import History
from tests.unit.services.status.conditions.assessed import running
from tests.unit.services.status.serving import Place, Writer, served, settle
from tests.unit.services.watcher.watched import DEMO

IDENTITY = {"name": "demo", "namespace": "prod", "uid": "5f0c7f0e-0001-4000-8000-000000000001"}


def samples() -> dict[str, list[tuple[dict[str, str], float]]]:
    families = [
        family for family in REGISTRY.collect() if family.name.startswith("kuberay_cluster")
    ]
    return {
        family.name: [(sample.labels, sample.value) for sample in family.samples]
        for family in families
    }


def young() -> View:
    history = History()
    history.sees(resource())
    return history.view()


def provisioned() -> View:
    history = running()
    history.passes(30)
    history.sees(worker("w2", version=11))
    history.tells()
    return history.view()


def test_shows_a_provisioned_cluster() -> None:
    with CLUSTERS.showing(lambda: [provisioned()]):
        found = samples()

    assert found == {
        "kuberay_cluster_provisioned_duration_seconds": [(IDENTITY, 30)],
        "kuberay_cluster_info": [({**IDENTITY, "owner_kind": "None"}, 1)],
        "kuberay_cluster_condition_provisioned": [({**IDENTITY, "condition": "true"}, 1)],
    }


def test_shows_the_clusters_of_every_source_and_no_duration_of_young_ones() -> None:
    second = replace(young(), key=replace(young().key, name="second"))
    with CLUSTERS.showing(lambda: [young()]), CLUSTERS.showing(lambda: [second]):
        found = samples()

    assert [len(family) for family in found.values()] == [0, 2, 2]
    assert found["kuberay_cluster_condition_provisioned"][0][0]["condition"] == "false"


def test_shows_nothing_when_nobody_serves() -> None:
    assert set(map(len, samples().values())) == {0}
    assert b"# TYPE kuberay_cluster_info gauge" in exposition()


async def test_a_serving_status_service_shows_what_it_owns_until_it_is_gone() -> None:
    place = Place()
    async with served(place, Writer(place.cluster)):
        place.add_head()
        place.make_head_ready()
        await settle()
        there = samples()
        place.cluster.delete("rayclusters", DEMO.namespace, DEMO.name)
        await settle()
        gone = samples()

    assert [len(family) for family in there.values()] == [1, 1, 1]
    assert [len(family) for family in gone.values()] == [0, 0, 0]
    assert [len(family) for family in samples().values()] == [0, 0, 0]
