"""Sums over the groups, as the status of a RayCluster shows them."""

import copy

from shared.resources.totals import ResourceTotals, WorkerCounts, resource_totals, worker_counts
from tests.support.rayclusters import cluster, container, head, template, workers


def asking(
    limits: dict[str, str] | None = None, requests: dict[str, str] | None = None
) -> dict[str, object]:
    return container(resources={"limits": limits or {}, "requests": requests or {}})


def test_requests_win_over_limits_resource_by_resource() -> None:
    """Checklist 106."""
    pod = template(
        asking({"cpu": "2", "memory": "4Gi", "nvidia.com/gpu": "1"}, {"cpu": "500m"}),
        asking({"memory": "512Mi"}),
    )

    totals = resource_totals(cluster(headGroupSpec=head(template=pod), workerGroupSpecs=[]))

    assert totals == ResourceTotals(cpu="500m", memory="4608Mi", gpu="1", tpu="0")


def test_counts_every_host_of_every_replica_as_written() -> None:
    pod = template(asking({"cpu": "1", "google.com/tpu": "4", "nvidia.com/mig-1g.5gb": "1"}))
    beyond = workers(replicas=5, maxReplicas=2, numOfHosts=2, template=pod)

    totals = resource_totals(cluster(workerGroupSpecs=[beyond]))

    assert totals == ResourceTotals(cpu="10", memory="0", gpu="10", tpu="40")


def test_suspended_groups_count_nothing() -> None:
    pod = template(asking({"cpu": "1"}))
    groups = [workers("a", template=pod), workers("b", template=pod, suspend=True)]
    wanted = cluster(workerGroupSpecs=groups)

    assert resource_totals(wanted).cpu == "1"
    assert worker_counts(wanted) == WorkerCounts(desired=1, lowest=0, highest=3)


def test_the_highest_count_does_not_overflow() -> None:
    groups = [workers("a", maxReplicas=2**31 - 1), workers("b", minReplicas=2, numOfHosts=3)]

    counts = worker_counts(cluster(workerGroupSpecs=groups))

    assert counts == WorkerCounts(desired=7, lowest=6, highest=2**31 - 1)


def test_skips_what_is_no_quantity_and_changes_nothing() -> None:
    wanted = cluster(headGroupSpec=head(template=template(asking({"cpu": "many"}))))
    before = copy.deepcopy(wanted.as_written())

    assert resource_totals(wanted) == ResourceTotals(cpu="0", memory="0", gpu="0", tpu="0")
    assert wanted.as_written() == before


def test_slices_of_every_type_are_added_up() -> None:
    """Checklist 106: two types of GPU slices in one container are as many GPUs as slices."""
    slices = {"nvidia.com/mig-1g.5gb": "2", "nvidia.com/mig-3g.20gb": "1", "nvidia.com/mig-x": "9"}

    totals = resource_totals(
        cluster(headGroupSpec=head(template=template(asking(slices))), workerGroupSpecs=[])
    )

    assert totals.gpu == "3"
