"""What is warned of and not refused."""

from typing import Any

from services.webhook.cautions import cautions
from tests.unit.services.webhook.reviews import cluster


def test_nothing_is_said_of_a_plain_cluster() -> None:
    assert list(cautions("RayCluster", cluster(groups=("a",)))) == []


def test_workers_that_the_first_autoscaler_would_see_restarted() -> None:
    raw = cluster(groups=("a",))
    raw["spec"] |= {"enableInTreeAutoscaling": True, "autoscalerOptions": {"version": "v1"}}
    raw["spec"]["workerGroupSpecs"][0]["template"]["spec"]["restartPolicy"] = "Always"

    (warning,) = cautions("RayCluster", raw)
    assert warning.startswith("RayCluster spec warning default/one: restartPolicy for worker")
    assert warning.endswith("[a] should be Never or unset when using autoscaler V1")


def test_fields_that_do_nothing_or_will_go() -> None:
    service = {"spec": {"serviceUnhealthySecondThreshold": 0}}
    job: dict[str, Any] = {"spec": {"deletionStrategy": {"onSuccess": {}, "onFailure": {}}}}

    assert list(cautions("RayService", service)) == [
        "spec.serviceUnhealthySecondThreshold is deprecated and ignored"
    ]
    assert list(cautions("RayJob", job)) == [
        "spec.deletionStrategy.onSuccess is deprecated: write spec.deletionStrategy.deletionRules",
        "spec.deletionStrategy.onFailure is deprecated: write spec.deletionStrategy.deletionRules",
    ]
    assert list(cautions("RayJob", {"spec": {}})) == []


def test_what_cannot_be_read_is_left_to_those_who_refuse_it() -> None:
    assert list(cautions("RayCluster", {"spec": 1})) == []
