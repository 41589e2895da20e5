"""Rules about suspended groups and the autoscaler."""

import pytest

from shared.kernel.features import parse_features
from shared.validation.scaling import restart_policy_warning
from tests.support.rayclusters import cluster, container, head, problems_of, template, workers

ENV = "spec.headGroupSpec.template.spec.containers[0].env"
V2 = "RAY_enable_autoscaler_v2"


def asking(value: str) -> dict[str, object]:
    return head(template=template(container(env=[{"name": V2, "value": value}])))


def test_suspending_a_group_needs_its_gate() -> None:
    """Checklist 9."""
    wanted = cluster(workerGroupSpecs=[workers(), workers("b", suspend=True)])

    assert problems_of(wanted) == []
    assert problems_of(wanted, parse_features("RayJobDeletionPolicy=false")) == [
        (
            "spec.workerGroupSpecs[1].suspend",
            (
                "worker group b can be suspended only when the RayJobDeletionPolicy feature gate "
                "is enabled"
            ),
        )
    ]


def test_an_autoscaler_and_a_suspended_group_exclude_each_other() -> None:
    """Checklist 9."""
    wanted = cluster(enableInTreeAutoscaling=True, workerGroupSpecs=[workers(suspend=True)])

    assert problems_of(wanted) == [
        (
            "spec.workerGroupSpecs[0].suspend",
            "worker group small cannot be suspended with Autoscaler enabled",
        )
    ]


@pytest.mark.parametrize("value", ["1", "true"])
def test_the_variable_alone_does_not_scale(value: str) -> None:
    assert problems_of(cluster(headGroupSpec=asking(value))) == [
        (
            ENV,
            (
                f"environment variable {V2} cannot be set to '{value}' when "
                "enableInTreeAutoscaling is false. Please set enableInTreeAutoscaling: true to use "
                "autoscaler v2"
            ),
        )
    ]


def test_the_version_is_chosen_in_one_place() -> None:
    options = {"version": "v1"}

    wanted = cluster(
        enableInTreeAutoscaling=True, autoscalerOptions=options, headGroupSpec=asking("0")
    )

    assert problems_of(wanted) == [
        (
            "spec.autoscalerOptions.version",
            (
                f"both .spec.autoscalerOptions.version and head Pod env var {V2} are set, please "
                "only use the former"
            ),
        )
    ]


def test_the_second_autoscaler_wants_pods_that_are_not_restarted() -> None:
    """Checklist 10."""
    restarted = template(restartPolicy="Always")
    groups = [workers("a", template=restarted), workers("b", template=template())]

    wanted = cluster(
        enableInTreeAutoscaling=True,
        autoscalerOptions={"version": "v2"},
        headGroupSpec=head(template=restarted),
        workerGroupSpecs=groups,
    )

    told = "should be Never or unset when using autoscaler V2"
    assert problems_of(wanted) == [
        ("spec.headGroupSpec.template.spec.restartPolicy", f"restartPolicy for head Pod {told}"),
        (
            "spec.workerGroupSpecs[0].template.spec.restartPolicy",
            f"restartPolicy for worker group a {told}",
        ),
    ]


def test_options_are_checked_even_without_autoscaling() -> None:
    start = "KUBERAY_GEN_AUTOSCALER_START_CMD"
    options = {"idleTimeoutSeconds": -1, "env": [{"name": start, "value": "x"}]}

    assert problems_of(cluster(autoscalerOptions=options)) == [
        (
            "spec.autoscalerOptions.idleTimeoutSeconds",
            "autoscalerOptions.idleTimeoutSeconds must be non-negative, got -1",
        ),
        (
            "spec.autoscalerOptions.env",
            (
                f"autoscalerOptions.env must not contain {start}: it is managed by KubeRay and "
                "injected automatically into the autoscaler container"
            ),
        ),
    ]


def test_the_first_autoscaler_only_warns() -> None:
    restarted = template(restartPolicy="OnFailure")
    groups = [workers("a", template=restarted), workers("b"), workers("c", template=restarted)]
    wanted = cluster(
        enableInTreeAutoscaling=True,
        autoscalerOptions={"version": "v1"},
        workerGroupSpecs=groups,
    )

    assert problems_of(wanted) == []
    assert restart_policy_warning(wanted) == (
        "RayCluster spec warning lab/demo: restartPolicy for worker groups [a, c] should be Never "
        "or unset when using autoscaler V1"
    )
    assert restart_policy_warning(cluster(enableInTreeAutoscaling=True)) is None
