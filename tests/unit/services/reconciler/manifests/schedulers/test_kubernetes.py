"""Kubernetes itself: a Workload and the PodGroup made after it."""

import pytest

from services.reconciler.manifests.owners import owner_reference
from services.reconciler.manifests.schedulers.kubernetes import pod_group, workload
from shared.kernel.schedulers import KUBERNETES_WAS
from tests.support.rayclusters import cluster, workers
from tests.unit.services.reconciler.manifests.schedulers.made import Made

GANG = {"ray.io/gang-scheduling-enabled": "true"}
GROUPS = [workers(replicas=2, numOfHosts=2), workers("big", replicas=9, maxReplicas=1)]


def test_the_workload_is_whole() -> None:
    made = cluster(labels=GANG, workerGroupSpecs=GROUPS)

    assert workload(made) == {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "Workload",
        "metadata": {
            "name": "demo",
            "namespace": "lab",
            "labels": {"ray.io/cluster": "demo"},
            "ownerReferences": [owner_reference(made)],
        },
        "spec": {
            "controllerRef": {"apiGroup": "ray.io", "kind": "RayCluster", "name": "demo"},
            "podGroupTemplates": [
                {"name": "cluster", "schedulingPolicy": {"gang": {"minCount": 6}}}
            ],
        },
    }


def test_the_pod_group_is_whole() -> None:
    made = cluster(labels=GANG, workerGroupSpecs=GROUPS)

    assert pod_group(made) == {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": {
            "name": "demo-cluster",
            "namespace": "lab",
            "labels": {"ray.io/cluster": "demo"},
            "ownerReferences": [owner_reference(made)],
        },
        "spec": {
            "podGroupTemplateRef": {
                "workload": {"workloadName": "demo", "podGroupTemplateName": "cluster"}
            },
            "schedulingPolicy": {"gang": {"minCount": 6}},
        },
    }


@pytest.mark.parametrize("word", ["true", "True", "TRUE"])
def test_pods_join_the_gang(word: str) -> None:
    made = Made(cluster(labels={"ray.io/gang-scheduling-enabled": word}), KUBERNETES_WAS)

    assert (made.labels, made.annotations) == ({}, {})
    assert made.spec == {
        "schedulerName": "default-scheduler",
        "schedulingGroup": {"podGroupName": "demo-cluster"},
    }


@pytest.mark.parametrize("labels", [{}, {"ray.io/gang-scheduling-enabled": "yes"}])
def test_nothing_is_said_where_nobody_asks(labels: dict[str, str]) -> None:
    assert Made(cluster(labels=labels), KUBERNETES_WAS).spec == {}


def test_an_autoscaler_rules_it_out() -> None:
    scaled = cluster(labels=GANG, enableInTreeAutoscaling=True)

    assert Made(scaled, KUBERNETES_WAS).spec == {}
