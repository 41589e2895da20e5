"""What users of rich worlds write: features make sense, and mistakes are mistakes that arrive."""

from collections.abc import Mapping
from datetime import UTC, datetime
from random import Random

import pytest

from sandbox.cluster import Cluster
from sandbox.identity import numbered_uids
from shared.kernel.features import GATES, Features
from shared.kernel.manifests import Raw
from shared.validation.check import check
from tests.simulation.features import clusters, jobs, mistakes, services
from tests.simulation.features.clusters import Feature
from tests.simulation.features.deeds import plain
from tests.simulation.kinds import CLUSTER, CRON, JOB, PLURALS, SERVICE
from tests.simulation.nature import CRDS
from tests.support.definitions import thin_definitions

EVERYTHING = Features(enabled=frozenset(GATES))
NAME = "tried"


@pytest.fixture(name="server", scope="module")
def _server() -> Cluster:
    made = Cluster(lambda: datetime(2026, 1, 1, tzinfo=UTC), numbered_uids("features"))
    for definition in thin_definitions():
        made.create(CRDS, definition)
    return made


def stored(server: Cluster, kind: str, manifest: Raw) -> Raw:
    """Return what the API server makes of it."""
    made = server.create(PLURALS[kind], dict(manifest))
    server.delete(PLURALS[kind], "default", NAME, propagation="Background")
    return {**made, "apiVersion": "ray.io/v1", "kind": manifest["kind"]}


def written(kind: str, change: Feature) -> Raw:
    manifest = plain(kind, NAME, Random(0))
    change(manifest)
    return manifest


@pytest.mark.parametrize(
    ("kind", "catalogue"),
    [(CLUSTER, clusters.FEATURES), (JOB, jobs.FEATURES), (SERVICE, services.FEATURES)],
)
def test_features_make_sense(server: Cluster, kind: str, catalogue: Mapping[str, Feature]) -> None:
    for name, change in catalogue.items():
        found = check(stored(server, kind, written(kind, change)), EVERYTHING)

        assert [problem.message for problem in found] == [], name


@pytest.mark.parametrize(
    ("kind", "catalogue"),
    [(CLUSTER, mistakes.MISTAKES), (JOB, jobs.MISTAKES), (SERVICE, services.MISTAKES)],
)
def test_mistakes_reach_the_operator_and_are_mistakes(
    server: Cluster, kind: str, catalogue: Mapping[str, Feature]
) -> None:
    for name, change in catalogue.items():
        found = check(stored(server, kind, written(kind, change)), EVERYTHING)

        assert found, name


@pytest.mark.parametrize(
    ("schedules", "wrong"), [(jobs.SCHEDULES, False), (jobs.WRONG_SCHEDULES, True)]
)
def test_schedules_are_right_or_wrong_as_their_list_says(
    server: Cluster, schedules: tuple[tuple[str, str | None], ...], wrong: bool
) -> None:
    for text, zone in schedules:
        manifest = plain(CRON, NAME, Random(0))
        manifest["spec"] |= {"schedule": text} | ({} if zone is None else {"timeZone": zone})
        found = check(stored(server, CRON, manifest), EVERYTHING)

        assert bool(found) is wrong, (text, zone)
