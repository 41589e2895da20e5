"""What a worker group comes to: clamped, times its hosts, nothing while suspended."""

import pytest

from shared.resources.groups import WorkerGroup, desired_pods, desired_replicas


def group(**fields: object) -> WorkerGroup:
    return WorkerGroup.model_validate({"groupName": "small", "template": {}, **fields})


@pytest.mark.parametrize(
    ("fields", "replicas"),
    [
        ({}, 0),
        ({"replicas": 5}, 5),
        ({"minReplicas": 2}, 2),
        ({"replicas": 1, "minReplicas": 2, "maxReplicas": 4}, 2),
        ({"replicas": 3, "minReplicas": 2, "maxReplicas": 4}, 3),
        ({"replicas": 9, "minReplicas": 2, "maxReplicas": 4}, 4),
        ({"replicas": 3, "suspend": True}, 0),
        ({"replicas": 3, "suspend": False}, 3),
    ],
)
def test_replicas_stay_within_their_bounds(fields: dict[str, object], replicas: int) -> None:
    """Checklist 90."""
    assert desired_replicas(group(**fields)) == replicas


@pytest.mark.parametrize(("hosts", "pods"), [(1, 3), (4, 12), (0, 0)])
def test_every_replica_has_so_many_hosts(hosts: int, pods: int) -> None:
    """Checklist 90."""
    assert desired_pods(group(replicas=3, numOfHosts=hosts)) == pods


def test_names_the_workers_that_go_first() -> None:
    named = group(scaleStrategy={"workersToDelete": ["a", "b"]})

    assert (named.workers_to_delete, group().workers_to_delete) == (("a", "b"), ())
