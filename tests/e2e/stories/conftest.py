"""One installation for all stories: one of each service, each under an account of its own."""

from collections.abc import Iterator

import pytest
import yaml

from tests.support.kubes import Kube, installed
from tests.support.processes import Installation

SERVICES = ("watcher", "reconciler", "executor", "status", "scheduler")
CLEANING = "redis-cleanup"
ENDINGS = {"ft-succeeds": 0, "ft-fails": 1}
"""How the Job that cleans up in Redis ends, by cluster; that of any other cluster never does."""


def scenario() -> str:
    """Return how pods fare in all stories."""
    rules = [
        {
            "labels": {"ray.io/node-type": CLEANING, "ray.io/cluster": name},
            "exits": [{"after": 0.2, "exit_code": code}],
        }
        for name, code in ENDINGS.items()
    ]
    return yaml.safe_dump({"rules": rules})


@pytest.fixture(scope="session")
def here(tmp_path_factory: pytest.TempPathFactory, kube: Kube) -> Iterator[Installation]:
    """Run everything that a RayCluster needs."""
    folder = tmp_path_factory.mktemp("stories")
    (folder / "scenario.yaml").write_text(scenario())
    counts = dict.fromkeys(SERVICES, 1)
    with installed(folder, kube, counts, scenario=folder / "scenario.yaml") as installation:
        yield installation
