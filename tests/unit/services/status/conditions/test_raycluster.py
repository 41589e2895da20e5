"""The status of a RayCluster: counts, conditions, state and times, as people read them."""

import pytest
from msgspec.structs import replace

from services.status.patch import difference
from shared.events.objects import Condition, PodSeen, ServicePort
from tests.support.builders import (
    FORMER_UID,
    HEAD_NAME,
    QUOTA,
    Raw,
    act,
    cluster_spec,
    creation,
    deleting,
    failed,
    gone,
    group,
    head,
    owned_by,
    resource,
    service,
    worker,
)
from tests.unit.services.status.conditions.assessed import (
    A_MINUTE_LATER,
    AT_NOON,
    TWO_WORKERS,
    Told,
    condition,
    invalid,
    refused,
    running,
    since,
)

PROVISIONING = (
    "False",
    "RayClusterPodsProvisioning",
    "RayCluster Pods are being provisioned for first time",
)
PROVISIONED = (
    "True",
    "AllPodRunningAndReadyFirstTime",
    "All Ray Pods are ready for the first time",
)


def told(type_: str, status: str, reason: str, message: str = "") -> Raw:
    words: Raw = {"type": type_, "status": status, "reason": reason, "message": message}
    return {**words, "lastTransitionTime": AT_NOON}


WHOLE: Raw = {
    "state": "ready",
    "stateTransitionTimes": {"ready": AT_NOON},
    "readyWorkerReplicas": 2,
    "availableWorkerReplicas": 2,
    "desiredWorkerReplicas": 2,
    "minWorkerReplicas": 0,
    "maxWorkerReplicas": 1000,
    "desiredCPU": "0",
    "desiredMemory": "0",
    "desiredGPU": "0",
    "desiredTPU": "0",
    "endpoints": {"gcs-server": "6379"},
    "head": {
        "podIP": "10.1.0.9",
        "podName": HEAD_NAME,
        "serviceIP": "10.0.0.7",
        "serviceName": "demo-head-svc",
    },
    "conditions": [
        told("HeadPodReady", "True", "HeadPodRunningAndReady"),
        told("RayClusterProvisioned", *PROVISIONED),
        told("RayClusterSuspended", "False", "RayClusterSuspended"),
        told("RayClusterSuspending", "False", "RayClusterSuspending"),
    ],
    "observedGeneration": 1,
}


def test_tells_the_whole_of_a_cluster_that_runs() -> None:
    history = running()
    history.sees(replace(service(), ports=(ServicePort(name="gcs-server", target=6379),)))
    history.sees(replace(head(), ip="10.1.0.9"))

    assert history.assess() == WHOLE


def test_a_new_cluster_has_no_state_yet() -> None:
    history = Told()
    history.sees(resource(TWO_WORKERS))
    status = history.assess()

    assert "state" not in status
    assert condition(status, "HeadPodReady") == ("False", "HeadPodNotFound", "Head Pod not found")
    assert condition(status, "RayClusterProvisioned") == PROVISIONING


def test_assessing_again_changes_nothing() -> None:
    history = running()
    first = history.tells()
    history.passes(60)
    history.closes("active/0")

    assert difference(first, history.assess()) == {}


def test_counts_running_workers_and_among_them_the_ready_ones() -> None:
    mute = replace(worker("w4"), conditions=())
    unready = replace(worker("w3"), conditions=(Condition(type="Ready", status="False"),))
    history = Told()
    history.sees(resource(TWO_WORKERS), head(), worker("w1"), worker("w2", ready=False))
    history.sees(unready, mute, failed(worker("w5")), deleting(worker("w6")))
    status = history.assess()

    assert (status["availableWorkerReplicas"], status["readyWorkerReplicas"]) == (4, 2)


def test_counts_nothing_that_belongs_to_another_resource() -> None:
    history = running()
    history.sees(owned_by(worker("w3"), FORMER_UID))

    assert history.assess()["availableWorkerReplicas"] == 2


def test_suspended_groups_drop_out_of_all_totals_and_the_head_alone_is_ready() -> None:
    """Checklist 98."""
    spec = cluster_spec(group(replicas=3, suspend=True))
    history = Told()
    history.sees(resource(spec), service(), head())
    status = history.assess()

    wishes = ("desiredWorkerReplicas", "minWorkerReplicas", "maxWorkerReplicas")
    assert [status[wish] for wish in wishes] == [0, 0, 0]
    assert status["state"] == "ready"


def test_the_most_workers_saturate_instead_of_overflowing() -> None:
    """Checklist 104."""
    big = group("a", maxReplicas=2147483647), group("b", maxReplicas=2147483647)
    history = Told()
    history.sees(resource(cluster_spec(*big)))

    assert history.assess()["maxWorkerReplicas"] == 2147483647


@pytest.mark.parametrize(
    "pods",
    [
        (head(), worker("w1")),
        (worker("w1"), worker("w2"), worker("w3")),
        (head(), worker("w1"), worker("w2", ready=False)),
        (head(), worker("w1"), worker("w2"), worker("w3")),
        (head(), worker("w1"), failed(worker("w2"))),
        (),
    ],
)
def test_is_neither_provisioned_nor_ready_before_exactly_the_wished_pods_are(
    pods: tuple[PodSeen, ...],
) -> None:
    """Checklist 98."""
    history = Told()
    history.sees(resource(TWO_WORKERS), service(), *pods)
    status = history.assess()

    assert condition(status, "RayClusterProvisioned") == PROVISIONING
    assert "state" not in status


def test_an_unseen_creation_keeps_it_from_being_provisioned() -> None:
    history = Told()
    history.sees(resource(cluster_spec(group(replicas=1))), service(), head(), worker("w1"))
    history.acts(act(creation("w2")))

    assert condition(history.assess(), "RayClusterProvisioned") == PROVISIONING


def test_provisioned_and_ready_stay_when_pods_fall_ill() -> None:
    """Checklist 100."""
    history = running()
    history.tells()
    history.passes(60)
    history.sees(gone(head()), failed(worker("w1")))
    status = history.tells()

    assert condition(status, "RayClusterProvisioned") == PROVISIONED
    assert (status["state"], status["stateTransitionTimes"]) == ("ready", {"ready": AT_NOON})
    assert since(status, "RayClusterProvisioned") == AT_NOON
    assert since(status, "HeadPodReady") == A_MINUTE_LATER


@pytest.mark.parametrize(
    ("verb", "rule", "name", "reason"),
    [
        ("create", "head", HEAD_NAME, "FailedCreateHeadPod"),
        ("create", "head_service", "demo-head-svc", "FailedCreateHeadService"),
        ("create", "worker_groups", "w3", "FailedCreateWorkerPod"),
        ("delete", "suspension", "w1", "FailedDeleteAllPods"),
        ("delete", "worker_groups", "w1", "FailedDeleteWorkerPod"),
        ("delete", "workers_to_delete", "w1", "FailedDeleteWorkerPod"),
        ("delete", "removed_group", "w1", "FailedDeleteWorkerPod"),
        ("delete", "unhealthy", HEAD_NAME, "FailedDeleteHeadPod"),
        ("delete", "unhealthy", "w1", "FailedDeleteWorkerPod"),
    ],
)
def test_tells_what_was_refused_and_in_whose_words(
    verb: str, rule: str, name: str, reason: str
) -> None:
    """Checklist 96, 102."""
    history = running()
    history.closes("active/0", refused(verb, rule, name))
    status = history.assess()

    assert condition(status, "ReplicaFailure") == (
        "True",
        reason,
        f"{reason}\nexceeded quota: pods=4",
    )


def test_a_failure_of_the_first_pass_stands_first() -> None:
    history = Told()
    history.sees(resource(TWO_WORKERS))
    asked = act(creation("w1"))
    history.acts(asked)
    history.answers(asked, QUOTA)

    types = [entry["type"] for entry in history.assess()["conditions"]]  # type: ignore[attr-defined] # a list of mappings
    assert types == [
        "ReplicaFailure",
        "HeadPodReady",
        "RayClusterProvisioned",
        "RayClusterSuspended",
        "RayClusterSuspending",
        "Blocked",
    ]


def test_a_failure_blocks_entering_ready_and_does_not_leave_it() -> None:
    """Checklist 99."""
    entering, leaving = running(), running()
    leaving.tells()
    for history in (entering, leaving):
        history.passes(60)
        history.closes("active/0", refused("create", "head_service", "demo-head-svc"))

    assert "state" not in entering.assess()
    assert leaving.assess()["state"] == "ready"
    assert leaving.assess()["stateTransitionTimes"] == {"ready": AT_NOON}


def test_a_failure_is_no_longer_told_when_it_is_over() -> None:
    history = running()
    history.closes("active/0", refused("create", "head", HEAD_NAME))
    history.tells()
    history.closes("active/0")

    assert condition(history.assess(), "ReplicaFailure") is None


def test_a_spec_that_makes_no_sense_is_told_and_the_rest_is_left_as_it_was() -> None:
    history = running()
    before = history.tells()
    history.wishes(2, cluster_spec(group("same"), group("same")))
    history.closes("active/0", invalid("two groups are called same"), generation=2)
    status = history.assess()

    assert condition(status, "SpecInvalid") == (
        "True",
        "InvalidRayClusterSpec",
        "two groups are called same",
    )
    assert {key for key in status if status[key] != before.get(key)} == {
        "conditions",
        "observedGeneration",
    }


def test_a_spec_that_cannot_be_read_is_observed_once_it_is_judged() -> None:
    history = Told()
    history.sees(resource({"headGroupSpec": "nonsense"}, generation=4))

    assert history.tells() == {"conditions": []}

    history.closes("active/0", invalid("nonsense"), generation=4)

    assert history.assess() == {
        "conditions": [told("SpecInvalid", "True", "InvalidRayClusterSpec", "nonsense")],
        "observedGeneration": 4,
    }


def test_a_repaired_spec_is_assessed_again() -> None:
    history = running()
    history.closes("active/0", invalid("nonsense"))
    before = history.tells()
    history.wishes(2, TWO_WORKERS)

    assert difference(before, history.assess()) == {}

    history.closes("active/0", generation=2)
    status = history.assess()

    assert condition(status, "SpecInvalid") is None
    assert (status["state"], status["observedGeneration"]) == ("ready", 2)


def test_the_generation_is_observed_once_it_is_judged_although_nothing_else_changes() -> None:
    history = running()
    before = history.tells()
    history.wishes(2, {**TWO_WORKERS, "rayVersion": "2.47.0"})

    assert difference(before, history.assess()) == {}

    history.closes("active/0", generation=2)

    assert difference(before, history.assess()) == {"observedGeneration": 2}


def test_a_reason_that_another_operator_left_goes_when_the_cluster_is_ready() -> None:
    history = running()
    history.writes_status({"state": "failed", "reason": "odd"}, 90)

    status = history.tells()

    assert (status["state"], "reason" in status) == ("ready", False)
