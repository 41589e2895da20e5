"""YuniKorn: application, queue, and the gang as JSON on every pod."""

import json

import pytest

from services.reconciler.manifests.schedulers.yunikorn import task_groups
from shared.kernel.schedulers import YUNIKORN
from tests.support.rayclusters import cluster, container, head, template, workers
from tests.unit.services.reconciler.manifests.schedulers.made import Made

GANG = {"ray.io/gang-scheduling-enabled": ""}
ASKING = {"requests": {"memory": "1Gi", "cpu": "500m"}, "limits": {"cpu": "1", "gpu": "1"}}
TERMS = [{"matchExpressions": [{"values": ["a"], "operator": "In", "key": "zone"}]}]
REQUIRED = {"nodeSelectorTerms": TERMS}
AFFINITY = {
    "podAntiAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {
                "podAffinityTerm": {
                    "topologyKey": "host",
                    "labelSelector": {"matchLabels": {"weight": "1", "key": "k", "a": "b"}},
                },
                "weight": 1,
            }
        ]
    },
    "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": REQUIRED},
}


def test_the_description_is_written_as_others_write_it() -> None:
    tolerations = [{"effect": "NoSchedule", "operator": "Exists", "key": "gpu"}]
    group = workers(
        template=template(
            container(resources=ASKING),
            nodeSelector={"pool": "gpu", "arch": "arm"},
            affinity=AFFINITY,
            tolerations=tolerations,
        ),
        minReplicas=2,
        replicas=3,
        numOfHosts=4,
    )
    made = cluster(workerGroupSpecs=[group])

    assert task_groups(made) == (
        '[{"minResource":{},"name":"headgroup","minMember":1},'
        '{"minResource":{"cpu":"500m","gpu":"1","memory":"1Gi"},'
        '"nodeSelector":{"arch":"arm","pool":"gpu"},'
        '"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":'
        '{"nodeSelectorTerms":[{"matchExpressions":'
        '[{"key":"zone","operator":"In","values":["a"]}]}]}},'
        '"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":'
        '[{"weight":1,"podAffinityTerm":{"labelSelector":'
        '{"matchLabels":{"a":"b","key":"k","weight":"1"}},"topologyKey":"host"}}]}},'
        '"name":"small","tolerations":[{"key":"gpu","operator":"Exists","effect":"NoSchedule"}],'
        '"minMember":8}]'
    )


def test_every_container_of_a_pod_counts_and_requests_win() -> None:
    pod = template(container(resources=ASKING), container("side", resources=ASKING))
    [described, _] = json.loads(task_groups(cluster(headGroupSpec=head(template=pod))))

    assert described["minResource"] == {"cpu": "1", "gpu": "2", "memory": "2Gi"}


def test_labels_become_those_that_every_version_knows() -> None:
    labels = {"yunikorn.apache.org/app-id": "demo", "yunikorn.apache.org/queue": "root.lab"}
    made = Made(cluster(labels=labels), YUNIKORN)

    assert made.labels == {"applicationId": "demo", "queue": "root.lab"}
    assert made.annotations == {}
    assert made.spec == {"schedulerName": "yunikorn"}


@pytest.mark.parametrize("labels", [{}, {"yunikorn.apache.org/queue": ""}])
def test_labels_that_say_nothing_are_not_handed_on(labels: dict[str, str]) -> None:
    """Checklist 111."""
    assert Made(cluster(labels=labels), YUNIKORN).labels == {}


@pytest.mark.parametrize(("is_head", "name"), [(True, "headgroup"), (False, "small")])
def test_a_gang_is_described_on_each_pod(is_head: bool, name: str) -> None:
    wanted = cluster(labels=GANG)

    assert Made(wanted, YUNIKORN, head=is_head).annotations == {
        "yunikorn.apache.org/task-groups": task_groups(wanted),
        "yunikorn.apache.org/task-group-name": name,
    }


def test_the_users_own_description_is_handed_on_as_it_is() -> None:
    """Checklist 111."""
    own = '[{"name": "headgroup"}]'
    wanted = cluster(labels=GANG, annotations={"yunikorn.apache.org/task-groups": own})

    assert Made(wanted, YUNIKORN).annotations["yunikorn.apache.org/task-groups"] == own


def test_an_empty_description_is_none() -> None:
    wanted = cluster(labels=GANG, annotations={"yunikorn.apache.org/task-groups": ""})

    described = Made(wanted, YUNIKORN).annotations["yunikorn.apache.org/task-groups"]
    assert described == task_groups(wanted)
