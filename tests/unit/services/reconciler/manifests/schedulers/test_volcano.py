"""Volcano: the PodGroup of a cluster, and what its pods say of it."""

import pytest

from services.reconciler.manifests.owners import owner_reference
from services.reconciler.manifests.schedulers.volcano import (
    volcano_group_name,
    volcano_pod_group,
    volcano_problem,
)
from shared.kernel.manifests import mapping_at, text_at
from shared.kernel.schedulers import VOLCANO
from tests.support.rayclusters import cluster, container, head, template, workers
from tests.unit.services.reconciler.manifests.schedulers.made import Made

ASKING = template(container(resources={"requests": {"cpu": "1", "memory": "1Gi"}}))
HEAD = head(template=ASKING)
WORKERS = workers(template=ASKING, replicas=2, minReplicas=1, maxReplicas=3)
EVERYTHING = {
    "volcano.sh/queue-name": "team-a",
    "ray.io/priority-class-name": "high",
    "volcano.sh/network-topology-mode": "hard",
    "volcano.sh/network-topology-highest-tier-allowed": "2",
}
FROM_RAYJOB = {
    "ray.io/originated-from-crd": "RayJob",
    "ray.io/originated-from-cr-name": "nightly",
}


def test_the_group_is_whole() -> None:
    made = cluster(
        labels=EVERYTHING,
        annotations={"team": "a", "ray.io/enable-serve-service": "true"},
        headGroupSpec=HEAD,
        workerGroupSpecs=[WORKERS],
    )

    assert volcano_pod_group(made) == {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "PodGroup",
        "metadata": {
            "name": "ray-demo-pg",
            "namespace": "lab",
            "annotations": {"ray.io/enable-serve-service": "true", "team": "a"},
            "ownerReferences": [owner_reference(made)],
        },
        "spec": {
            "minMember": 3,
            "minResources": {"cpu": "3", "memory": "3Gi"},
            "queue": "team-a",
            "priorityClassName": "high",
            "networkTopology": {"mode": "hard", "highestTierAllowed": 2},
        },
        "status": {"phase": "Pending"},
    }


def test_an_autoscaler_needs_only_its_smallest_size_at_once() -> None:
    """Checklist 110."""
    made = cluster(headGroupSpec=HEAD, workerGroupSpecs=[WORKERS], enableInTreeAutoscaling=True)

    assert mapping_at(volcano_pod_group(made), "spec") == {
        "minMember": 2,
        "minResources": {"cpu": "2", "memory": "2Gi"},
    }


@pytest.mark.parametrize(
    ("labels", "topology"),
    [
        ({"volcano.sh/network-topology-mode": "soft"}, {"mode": "soft"}),
        ({"volcano.sh/network-topology-highest-tier-allowed": "2"}, {}),
        (
            {
                "volcano.sh/network-topology-mode": "soft",
                "volcano.sh/network-topology-highest-tier-allowed": "-1",
            },
            {"mode": "soft", "highestTierAllowed": -1},
        ),
    ],
)
def test_a_tier_counts_only_beside_a_mode(
    labels: dict[str, str], topology: dict[str, object]
) -> None:
    made = volcano_pod_group(cluster(labels=labels))

    assert mapping_at(made, "spec", "networkTopology") == topology


@pytest.mark.parametrize(
    ("tier", "why"),
    [
        ("two", "invalid syntax"),
        ("", "invalid syntax"),
        ("1.5", "invalid syntax"),
        ("9223372036854775808", "value out of range"),
    ],
)
def test_a_tier_that_is_no_number_is_a_problem(tier: str, why: str) -> None:
    """Checklist 110."""
    key = "volcano.sh/network-topology-highest-tier-allowed"
    made = cluster(labels={"volcano.sh/network-topology-mode": "hard", key: tier})

    assert volcano_problem(made) == (
        f'failed to convert {key} label to int: strconv.Atoi: parsing "{tier}": {why} '
        "for podgroup ray-demo-pg in namespace lab"
    )
    assert not volcano_problem(cluster(labels={key: tier}))


def test_a_cluster_of_a_rayjob_shares_the_rayjobs_group() -> None:
    assert volcano_group_name(cluster(labels=FROM_RAYJOB)) == "ray-nightly-pg"
    service = FROM_RAYJOB | {"ray.io/originated-from-crd": "RayService"}
    assert volcano_group_name(cluster(labels=service)) == "ray-demo-pg"


@pytest.mark.parametrize(("is_head", "task"), [(True, "headgroup"), (False, "small")])
def test_pods_name_their_group_and_task(is_head: bool, task: str) -> None:
    labels = {"volcano.sh/queue-name": "team-a", "ray.io/priority-class-name": "high"}
    made = Made(cluster(labels=labels), VOLCANO, head=is_head)

    assert made.labels == labels
    assert made.annotations == {
        "scheduling.k8s.io/group-name": "ray-demo-pg",
        "volcano.sh/task-spec": task,
    }
    assert made.spec == {"schedulerName": "volcano"}


def test_empty_labels_are_not_handed_on() -> None:
    made = Made(cluster(labels={"volcano.sh/queue-name": ""}), VOLCANO)

    assert made.labels == {}


def test_the_scheduler_in_use_wins_over_the_template() -> None:
    given = head(template=template(schedulerName="own"))
    made = Made(cluster(headGroupSpec=given), VOLCANO)

    assert text_at(made.pod, "spec", "schedulerName") == "volcano"
