"""The scheduler-plugins: a PodGroup of the cluster's name."""

import pytest

from services.reconciler.manifests.owners import owner_reference
from services.reconciler.manifests.schedulers.plugins import plugin_pod_group
from shared.kernel.schedulers import SCHEDULER_PLUGINS
from tests.support.rayclusters import cluster, container, head, template, workers
from tests.unit.services.reconciler.manifests.schedulers.made import Made

ASKING = template(container(resources={"limits": {"cpu": "2", "memory": "1Gi"}}))


def test_the_group_is_whole_and_takes_the_desired_size() -> None:
    made = cluster(
        headGroupSpec=head(template=ASKING),
        workerGroupSpecs=[workers(template=ASKING, replicas=2, minReplicas=1)],
        enableInTreeAutoscaling=True,
    )

    assert plugin_pod_group(made) == {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": {
            "name": "demo",
            "namespace": "lab",
            "ownerReferences": [owner_reference(made)],
        },
        "spec": {"minMember": 3, "minResources": {"cpu": "6", "memory": "3Gi"}},
    }


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ({}, {}),
        ({"ray.io/gang-scheduling-enabled": "false"}, {"scheduling.x-k8s.io/pod-group": "demo"}),
        ({"ray.io/gang-scheduling-enabled": "true"}, {"scheduling.x-k8s.io/pod-group": "demo"}),
    ],
)
def test_pods_join_the_group_where_the_label_is(
    given: dict[str, str], added: dict[str, str]
) -> None:
    made = Made(cluster(labels=given), SCHEDULER_PLUGINS)

    assert made.labels == added
    assert made.annotations == {}
    assert made.spec == {"schedulerName": "scheduler-plugins-scheduler"}
