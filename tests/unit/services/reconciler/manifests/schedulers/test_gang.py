"""How many pods are a gang, and what they ask for together."""

from services.reconciler.manifests.schedulers.gang import Gang, desired_gang, smallest_gang
from tests.support.rayclusters import cluster, container, head, template, workers


def asking(cpu: str, memory: str = "", **more: str) -> dict[str, object]:
    requests = {"cpu": cpu, **({"memory": memory} if memory else {}), **more}
    return template(container(resources={"requests": requests}))


HEAD = head(template=asking("1", "2Gi"))


def test_the_head_alone_is_a_gang_of_one() -> None:
    lone = cluster(headGroupSpec=HEAD, workerGroupSpecs=[])

    assert desired_gang(lone) == Gang(members=1, resources={"cpu": "1", "memory": "2Gi"})


def test_every_host_of_every_replica_counts() -> None:
    group = workers(template=asking("500m", "512Mi"), replicas=3, maxReplicas=5, numOfHosts=2)
    wanted = cluster(headGroupSpec=HEAD, workerGroupSpecs=[group])

    assert desired_gang(wanted) == Gang(members=7, resources={"cpu": "4", "memory": "5Gi"})


def test_pods_are_counted_within_bounds_and_resources_as_written() -> None:
    above = workers(template=asking("1"), replicas=9, minReplicas=1, maxReplicas=2)
    wanted = cluster(headGroupSpec=HEAD, workerGroupSpecs=[above])

    assert desired_gang(wanted) == Gang(members=3, resources={"cpu": "10", "memory": "2Gi"})


def test_the_smallest_gang_is_what_an_autoscaler_keeps() -> None:
    group = workers(
        template=asking("1", "1Gi"), replicas=4, minReplicas=2, maxReplicas=9, numOfHosts=2
    )
    wanted = cluster(headGroupSpec=HEAD, workerGroupSpecs=[group])

    assert smallest_gang(wanted) == Gang(members=5, resources={"cpu": "5", "memory": "6Gi"})


def test_a_suspended_group_counts_nothing() -> None:
    group = workers(template=asking("1"), replicas=3, minReplicas=3, suspend=True)
    wanted = cluster(headGroupSpec=HEAD, workerGroupSpecs=[group])
    alone = Gang(members=1, resources={"cpu": "1", "memory": "2Gi"})

    assert (desired_gang(wanted), smallest_gang(wanted)) == (alone, alone)


def test_what_nobody_asks_for_yet_is_named_with_zero() -> None:
    group = workers(template=asking("1", **{"nvidia.com/gpu": "8"}), replicas=0)
    wanted = cluster(headGroupSpec=HEAD, workerGroupSpecs=[group])

    assert desired_gang(wanted).resources == {"cpu": "1", "memory": "2Gi", "nvidia.com/gpu": "0"}
