"""KAI: a queue, and nothing else."""

import pytest

from shared.kernel.schedulers import KAI
from tests.support.rayclusters import cluster
from tests.unit.services.reconciler.manifests.schedulers.made import Made


@pytest.mark.parametrize(
    ("given", "handed_on"),
    [
        ({"kai.scheduler/queue": "team-a"}, {"kai.scheduler/queue": "team-a"}),
        ({"kai.scheduler/queue": ""}, {}),
        ({}, {}),
    ],
)
def test_pods_name_the_queue_of_their_cluster(
    given: dict[str, str], handed_on: dict[str, str]
) -> None:
    made = Made(cluster(labels=given), KAI, head=False)

    assert made.labels == handed_on
    assert made.annotations == {}
    assert made.spec == {"schedulerName": "kai-scheduler"}
