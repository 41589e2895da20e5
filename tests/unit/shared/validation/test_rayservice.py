"""Every rule about a RayService can be broken, says exactly this, and points at this path."""

from typing import Any

import pytest

from shared.kernel.features import Features, parse_features
from shared.resources.rayservice import RayService
from shared.resources.reading import read_rayservice
from shared.validation.rayservice import told, validate
from shared.validation.rules import rules_of
from tests.support.rayclusters import head, workers

Fields = dict[str, Any]

METADATA = "The RayService metadata is invalid: "
SPEC = "The RayService spec is invalid: "
TIMEOUT = "ray.io/initializing-timeout"
ANNOTATION = f"{METADATA}RayService annotations is invalid: annotation {TIMEOUT}"
AT_TIMEOUT = f"metadata.annotations['{TIMEOUT}']"
CLUSTER: Fields = {"headGroupSpec": head(), "workerGroupSpecs": [workers()]}
SCALED = {**CLUSTER, "enableInTreeAutoscaling": True}
INCREMENTAL = "NewClusterWithIncrementalUpgrade"
OPTIONS: Fields = {
    "maxSurgePercent": 40,
    "stepSizePercent": 5,
    "intervalSeconds": 10,
    "gatewayClassName": "istio",
}
AT_OPTIONS = "spec.upgradeStrategy.clusterUpgradeOptions"


def service(*, name: str = "demo", annotations: Fields | None = None, **spec: object) -> RayService:
    metadata = {"name": name, "namespace": "lab", "annotations": annotations or {}}
    read = read_rayservice({"metadata": metadata, "spec": {"rayClusterConfig": CLUSTER, **spec}})
    assert isinstance(read, RayService), read
    return read


def timeout(value: str) -> Fields:
    return {"annotations": {TIMEOUT: value}}


def steps(cluster: Fields = SCALED, /, **changes: object) -> Fields:
    options = {**OPTIONS, **changes}
    strategy = {"type": INCREMENTAL, "clusterUpgradeOptions": options}
    return {"rayClusterConfig": cluster, "upgradeStrategy": strategy}


CASES: list[tuple[str, Fields, str, str]] = [
    (
        "name-length",
        {"name": "a" * 48},
        "metadata.name",
        f"{METADATA}RayService name should be no more than 47 characters",
    ),
    (
        "name-letters",
        {"name": "A"},
        "metadata.name",
        (
            f"{METADATA}RayService name should be a valid DNS1035 label: [use lower case letters, "
            "digits and '-'; begin with a letter, end with either]"
        ),
    ),
    (
        "timeout-duration",
        timeout("-5m"),
        AT_TIMEOUT,
        f"{ANNOTATION} must be a positive duration, got: -5m",
    ),
    (
        "timeout-seconds",
        timeout("-5"),
        AT_TIMEOUT,
        f"{ANNOTATION} must be a positive integer (seconds), got: -5",
    ),
    (
        "timeout-format",
        timeout("soon"),
        AT_TIMEOUT,
        (
            f"{ANNOTATION} has invalid format: soon. Expected Go duration format (e.g., '5m', "
            "'1h') or "
            "positive integer seconds"
        ),
    ),
    (
        "k8s-auth",
        {
            "rayClusterConfig": {
                **CLUSTER,
                "rayVersion": "2.55.0",
                "authOptions": {"mode": "token", "enableK8sTokenAuth": True},
            }
        },
        "spec.rayClusterConfig.authOptions.enableK8sTokenAuth",
        f"{SPEC}K8s token auth mode is currently not supported for RayService",
    ),
    (
        "head-service-name",
        {
            "rayClusterConfig": {
                **CLUSTER,
                "headGroupSpec": head(headService={"metadata": {"name": "x"}}),
            }
        },
        "spec.rayClusterConfig.headGroupSpec.headService.metadata.name",
        f"{SPEC}spec.rayClusterConfig.headGroupSpec.headService.metadata.name should not be set",
    ),
    (
        "upgrade-type",
        {"upgradeStrategy": {"type": "Odd"}},
        "spec.upgradeStrategy.type",
        (
            f"{SPEC}Spec.UpgradeStrategy.Type value Odd is invalid, valid options are "
            "NewClusterWithIncrementalUpgrade, NewCluster, or None"
        ),
    ),
    (
        "deletion-delay",
        {"rayClusterDeletionDelaySeconds": -1},
        "spec.rayClusterDeletionDelaySeconds",
        f"{SPEC}Spec.RayClusterDeletionDelaySeconds should be a non-negative integer, got -1",
    ),
    (
        "upgrade-autoscaler",
        steps(CLUSTER),
        "spec.rayClusterConfig.enableInTreeAutoscaling",
        f"{SPEC}Ray Autoscaler is required for {INCREMENTAL}",
    ),
    (
        "upgrade-options",
        {"rayClusterConfig": SCALED, "upgradeStrategy": {"type": INCREMENTAL}},
        AT_OPTIONS,
        f"{SPEC}ClusterUpgradeOptions are required for {INCREMENTAL}",
    ),
    (
        "upgrade-surge",
        steps(maxSurgePercent=200),
        f"{AT_OPTIONS}.maxSurgePercent",
        f"{SPEC}maxSurgePercent must be between 0 and 100",
    ),
    (
        "upgrade-step",
        steps(stepSizePercent=None),
        f"{AT_OPTIONS}.stepSizePercent",
        f"{SPEC}stepSizePercent must be between 0 and 100",
    ),
    (
        "upgrade-step-surge",
        steps(stepSizePercent=41),
        f"{AT_OPTIONS}.stepSizePercent",
        f"{SPEC}stepSizePercent must be less than or equal to maxSurgePercent",
    ),
    (
        "upgrade-interval",
        steps(intervalSeconds=0),
        f"{AT_OPTIONS}.intervalSeconds",
        f"{SPEC}intervalSeconds must be greater than 0",
    ),
    (
        "upgrade-gateway",
        steps(gatewayClassName=""),
        f"{AT_OPTIONS}.gatewayClassName",
        f"{SPEC}gatewayClassName is required for {INCREMENTAL}",
    ),
]


@pytest.mark.parametrize(("rule_id", "fields", "path", "text"), CASES)
def test_a_rule_says_exactly_this(rule_id: str, fields: Fields, path: str, text: str) -> None:
    (problem,) = validate(service(**fields), Features())

    assert (problem.rule, problem.path, problem.message) == (f"RayService.{rule_id}", path, text)
    assert problem.reason == (
        f"InvalidRayService{'Metadata' if path.startswith('metadata') else 'Spec'}"
    )
    assert told(problem, "lab", "demo") == f"lab/demo: {text}"


def test_every_rule_has_a_case() -> None:
    shown = {f"RayService.{rule_id}" for rule_id, *_ in CASES}

    assert {each.id for each in rules_of("RayService")} == shown


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"upgradeStrategy": {}},
        {"upgradeStrategy": {"type": "None"}},
        {"rayClusterDeletionDelaySeconds": 0},
        steps(),
        steps(maxSurgePercent=None, stepSizePercent=100),
        steps(stepSizePercent=0),
        *map(timeout, ("", "30m", "1h30m", "1.5h", "500ms", "90", "+90", "1\u00b5s")),
    ],
)
def test_this_is_fine(fields: Fields) -> None:
    assert validate(service(**fields), Features()) == ()


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ("0", "duration"),
        ("-0", "duration"),
        ("0s", "duration"),
        ("0m0s", "duration"),
        ("00", "seconds"),
        ("5 m", "format"),
        ("5d", "format"),
        ("1e3", "format"),
        ("9" * 5000, "format"),
        ("9" * 5000 + "s", "format"),
        ("\ud800", "format"),
    ],
)
def test_a_timeout_is_read_as_a_duration_first(value: str, rule: str) -> None:
    (problem,) = validate(service(**timeout(value)), Features())

    assert problem.rule == f"RayService.timeout-{rule}"


def test_steps_behind_a_shut_gate_are_not_looked_at() -> None:
    wanted = service(**steps(CLUSTER, stepSizePercent=-1))

    assert validate(wanted, parse_features("RayServiceIncrementalUpgrade=false")) == ()


def test_the_rules_of_a_cluster_hold_with_the_paths_of_the_service() -> None:
    cluster = {"headGroupSpec": head(template={}), "upgradeStrategy": {"type": "None"}}

    found = validate(service(rayClusterConfig=cluster), Features())

    assert [(each.path, each.message, each.rule) for each in found] == [
        (
            "spec.rayClusterConfig.headGroupSpec.template.spec.containers",
            f"{SPEC}headGroupSpec should have at least one container",
            "RayCluster.head-container",
        ),
        (
            "spec.rayClusterConfig.upgradeStrategy.type",
            f"{SPEC}upgradeStrategy cannot be set when RayCluster is created by RayService",
            "RayCluster.upgrade-owner",
        ),
    ]
    assert {each.reason for each in found} == {"InvalidRayServiceSpec"}


def test_the_first_failure_comes_first() -> None:
    wanted = service(
        name="A",
        annotations={TIMEOUT: "x"},
        rayClusterConfig={**CLUSTER, "headGroupSpec": head(template={})},
        rayClusterDeletionDelaySeconds=-1,
        upgradeStrategy={"type": INCREMENTAL},
    )

    assert [each.rule for each in validate(wanted, Features())] == [
        "RayService.name-letters",
        "RayService.timeout-format",
        "RayCluster.head-container",
        "RayService.deletion-delay",
        "RayService.upgrade-autoscaler",
        "RayService.upgrade-options",
    ]
