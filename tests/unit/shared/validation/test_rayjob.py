"""Every rule about a RayJob can be broken, says exactly this, and points at this path."""

from typing import Any

import pytest

from shared.kernel.features import Features, parse_features
from shared.resources.rayjob import RayJob
from shared.resources.reading import read_rayjob
from shared.validation.rayjob import status_problems, told, validate
from shared.validation.rules import rules_of
from tests.support.rayclusters import head, template, workers

Fields = dict[str, Any]

PREFIX = "The RayJob spec is invalid: "
CLUSTER: Fields = {"headGroupSpec": head(), "workerGroupSpecs": [workers()]}
CHOSEN = {"rayClusterSpec": None, "clusterSelector": {"ray.io/cluster": "mine"}}
SCALED = {"rayClusterSpec": {**CLUSTER, "enableInTreeAutoscaling": True}}
STRATEGY = "spec.deletionStrategy"
RULES = f"{STRATEGY}.deletionRules"


def job(*, name: str = "demo", annotations: Fields | None = None, **spec: object) -> RayJob:
    metadata = {"name": name, "namespace": "lab", "annotations": annotations or {}}
    read = read_rayjob({"metadata": metadata, "spec": {"rayClusterSpec": CLUSTER, **spec}})
    assert isinstance(read, RayJob), read
    return read


def legacy(success: str | None, failure: str | None) -> Fields:
    sides = {"onSuccess": success, "onFailure": failure}
    return {"deletionStrategy": {side: {"policy": policy} for side, policy in sides.items()}}


def rule(policy: str, ttl: int = 0, /, **condition: str) -> Fields:
    return {"policy": policy, "condition": {"ttlSeconds": ttl, **condition}}


def rules(*each: Fields, **spec: object) -> Fields:
    return {"deletionStrategy": {"deletionRules": list(each)}, **spec}


WON = {"jobStatus": "SUCCEEDED"}
LOST = {"jobDeploymentStatus": "Failed"}

CASES: list[tuple[str, Fields, str, str]] = [
    (
        "name-length",
        {"name": "a" * 48},
        "metadata.name",
        "The RayJob metadata is invalid: RayJob name should be no more than 47 characters",
    ),
    (
        "name-letters",
        {"name": "a.b"},
        "metadata.name",
        (
            "The RayJob metadata is invalid: RayJob name should be a valid DNS1035 label: "
            "[use lower "
            "case letters, digits and '-'; begin with a letter, end with either]"
        ),
    ),
    (
        "suspend-shutdown",
        {"suspend": True},
        "spec.suspend",
        (
            f"{PREFIX}a RayJob with shutdownAfterJobFinishes set to false is not allowed to be "
            "suspended"
        ),
    ),
    (
        "ttl",
        {"ttlSecondsAfterFinished": -5},
        "spec.ttlSecondsAfterFinished",
        f"{PREFIX}TTLSecondsAfterFinished must be a non-negative integer",
    ),
    (
        "ttl-shutdown",
        {"ttlSecondsAfterFinished": 5},
        "spec.ttlSecondsAfterFinished",
        (
            f"{PREFIX}a RayJob with shutdownAfterJobFinishes set to false cannot have "
            "TTLSecondsAfterFinished"
        ),
    ),
    (
        "deletion-shutdown",
        rules(rule("DeleteSelf", **WON), shutdownAfterJobFinishes=True),
        RULES,
        (
            f"{PREFIX}spec.shutdownAfterJobFinishes and spec.deletionStrategy.deletionRules are "
            "mutually exclusive"
        ),
    ),
    (
        "deletion-form",
        {
            "deletionStrategy": {
                "deletionRules": [rule("DeleteSelf", **WON)],
                "onSuccess": {"policy": "DeleteNone"},
            }
        },
        STRATEGY,
        (
            f"{PREFIX}Cannot use both legacy onSuccess/onFailure fields and deletionRules "
            "simultaneously"
        ),
    ),
    (
        "deletion-empty",
        {"deletionStrategy": {"deletionRules": []}},
        STRATEGY,
        (
            f"{PREFIX}DeletionStrategy requires either BOTH onSuccess and onFailure, OR the "
            "deletionRules field (cannot be empty)"
        ),
    ),
    (
        "deletion-sides",
        {"deletionStrategy": {"onSuccess": {"policy": "DeleteSelf"}}},
        f"{STRATEGY}.onFailure",
        (
            "both DeletionStrategy.OnSuccess and DeletionStrategy.OnFailure must be set when "
            "using the "
            "legacy deletion policy fields of DeletionStrategy"
        ),
    ),
    (
        "deletion-policy",
        legacy("DeleteSelf", None),
        f"{STRATEGY}.onFailure.policy",
        (
            "the DeletionPolicyType field of DeletionStrategy.OnFailure cannot be unset when "
            "DeletionStrategy is enabled"
        ),
    ),
    (
        "deletion-selector",
        {**CHOSEN, **legacy("DeleteSelf", "DeleteCluster")},
        f"{STRATEGY}.onFailure.policy",
        "the ClusterSelector mode doesn't support DeletionStrategy=DeleteCluster on failure",
    ),
    (
        "deletion-autoscaling",
        {**SCALED, **legacy("DeleteWorkers", "DeleteNone")},
        f"{STRATEGY}.onSuccess.policy",
        (
            "DeletionStrategy=DeleteWorkers currently does not support RayCluster with autoscaling "
            "enabled"
        ),
    ),
    (
        "deletion-none-shutdown",
        {"shutdownAfterJobFinishes": True, **legacy("DeleteNone", "DeleteCluster")},
        f"{STRATEGY}.onSuccess.policy",
        f"{PREFIX}shutdownAfterJobFinshes is set to 'true' while deletion policy is 'DeleteNone'",
    ),
    (
        "rule-condition-once",
        rules(rule("DeleteSelf", **WON, **LOST)),
        f"{RULES}[0].condition",
        "deletionRules[0]: cannot set both JobStatus and JobDeploymentStatus at the same time",
    ),
    (
        "rule-condition",
        rules(rule("DeleteSelf")),
        f"{RULES}[0].condition",
        "deletionRules[0]: exactly one of JobStatus and JobDeploymentStatus must be set",
    ),
    (
        "rule-ttl",
        rules(rule("DeleteSelf", -1, **WON)),
        f"{RULES}[0].condition.ttlSeconds",
        "deletionRules[0]: TTLSeconds must be non-negative",
    ),
    (
        "rule-selector",
        {**CHOSEN, **rules(rule("DeleteSelf", **WON), rule("DeleteWorkers", **WON))},
        f"{RULES}[1].policy",
        (
            "deletionRules[1]: DeletionPolicyType 'DeleteWorkers' not supported when "
            "ClusterSelector "
            "is set"
        ),
    ),
    (
        "rule-autoscaling",
        {**SCALED, **rules(rule("DeleteWorkers", **WON))},
        f"{RULES}[0].policy",
        (
            "deletionRules[0]: DeletionPolicyType 'DeleteWorkers' not supported with autoscaling "
            "enabled"
        ),
    ),
    (
        "rule-once",
        rules(rule("DeleteSelf", **LOST), rule("DeleteSelf", 9, **LOST)),
        f"{RULES}[1]",
        (
            "deletionRules[1]: duplicate rule for DeletionPolicyType 'DeleteSelf' and "
            "JobDeploymentStatus 'Failed'"
        ),
    ),
    (
        "rule-ttl-order",
        rules(rule("DeleteSelf", 5, **WON), rule("DeleteWorkers", 9, **WON)),
        f"{RULES}[0].condition.ttlSeconds",
        "for JobStatus 'SUCCEEDED': DeleteSelf TTL (5) must be >= DeleteWorkers TTL (9)",
    ),
    (
        "suspend-selector",
        {**CHOSEN, "suspend": True, "shutdownAfterJobFinishes": True},
        "spec.suspend",
        f"{PREFIX}the ClusterSelector mode doesn't support the suspend operation",
    ),
    (
        "cluster",
        {"rayClusterSpec": None, "clusterSelector": {}},
        "spec.rayClusterSpec",
        f"{PREFIX}one of RayClusterSpec or ClusterSelector must be set",
    ),
    (
        "selector-name",
        {"clusterSelector": {"other": "x"}},
        "spec.clusterSelector",
        "cluster name in ClusterSelector should not be empty",
    ),
    (
        "selector-sidecar",
        {**CHOSEN, "submissionMode": "SidecarMode"},
        "spec.clusterSelector",
        "ClusterSelector is not supported in SidecarMode",
    ),
    (
        "selector-backoff",
        {**CHOSEN, "backoffLimit": 1},
        "spec.backoffLimit",
        f"{PREFIX}BackoffLimit is incompatible with ClusterSelector mode",
    ),
    (
        "interactive-backoff",
        {"submissionMode": "InteractiveMode", "backoffLimit": 1},
        "spec.backoffLimit",
        f"{PREFIX}BackoffLimit is incompatible with InteractiveMode",
    ),
    (
        "sidecar-template",
        {"submissionMode": "SidecarMode", "submitterPodTemplate": template()},
        "spec.submitterPodTemplate",
        "Currently, SidecarMode doesn't support SubmitterPodTemplate",
    ),
    (
        "sidecar-config",
        {"submissionMode": "SidecarMode", "submitterConfig": {}},
        "spec.submitterConfig",
        "Currently, SidecarMode doesn't support SubmitterConfig",
    ),
    (
        "sidecar-restart-policy",
        {
            "submissionMode": "SidecarMode",
            "rayClusterSpec": {"headGroupSpec": head(template=template(restartPolicy="Always"))},
        },
        "spec.rayClusterSpec.headGroupSpec.template.spec.restartPolicy",
        "restartPolicy for head Pod should be Never or unset when using SidecarMode",
    ),
    (
        "k8s-auth",
        {
            "rayClusterSpec": {
                **CLUSTER,
                "rayVersion": "2.55.0",
                "authOptions": {"mode": "token", "enableK8sTokenAuth": True},
            }
        },
        "spec.rayClusterSpec.authOptions.enableK8sTokenAuth",
        f"{PREFIX}K8s token auth mode is currently not supported for RayJob",
    ),
    (
        "runtime-env",
        {"runtimeEnvYAML": "just words"},
        "spec.runtimeEnvYAML",
        "failed to unmarshal RuntimeEnvYAML: it holds a single value, not a mapping",
    ),
    (
        "active-deadline",
        {"activeDeadlineSeconds": 0},
        "spec.activeDeadlineSeconds",
        f"{PREFIX}activeDeadlineSeconds must be a positive integer",
    ),
    (
        "pre-running-deadline",
        {"preRunningDeadlineSeconds": 0},
        "spec.preRunningDeadlineSeconds",
        f"{PREFIX}preRunningDeadlineSeconds must be a positive integer",
    ),
    (
        "backoff",
        {"backoffLimit": -1},
        "spec.backoffLimit",
        f"{PREFIX}backoffLimit must be a positive integer",
    ),
    (
        "submission-mode",
        {"submissionMode": "JobMode"},
        "spec.submissionMode",
        (
            f"{PREFIX}submissionMode JobMode is unknown, valid options are K8sJobMode, HTTPMode, "
            "InteractiveMode, SidecarMode"
        ),
    ),
]


@pytest.mark.parametrize(("rule_id", "fields", "path", "text"), CASES)
def test_a_rule_says_exactly_this(rule_id: str, fields: Fields, path: str, text: str) -> None:
    (problem,) = validate(job(**fields), Features())

    assert (problem.rule, problem.path, problem.message) == (f"RayJob.{rule_id}", path, text)
    assert problem.reason == f"InvalidRayJob{'Metadata' if path == 'metadata.name' else 'Spec'}"
    assert told(problem, "lab", "demo") == f"lab/demo: {text}"


def test_every_rule_has_a_case() -> None:
    elsewhere = {"RayJob.deletion-gate", "RayJob.waiting"}

    assert {each.id for each in rules_of("RayJob")} == elsewhere | {
        f"RayJob.{rule_id}" for rule_id, *_ in CASES
    }


def test_a_shut_gate_ends_the_search() -> None:
    wanted = job(**legacy(None, None))

    (problem,) = validate(wanted, parse_features("RayJobDeletionPolicy=false"))
    text = "RayJobDeletionPolicy feature gate must be enabled to use DeletionStrategy"
    assert (problem.rule, problem.message) == ("RayJob.deletion-gate", text)


def test_waiting_is_for_interactive_mode() -> None:
    def waiting(mode: str) -> RayJob:
        wanted = job(submissionMode=mode)
        return wanted.model_copy(update={"status": {"jobDeploymentStatus": "Waiting"}})

    (problem,) = status_problems(waiting("HTTPMode"))
    assert (problem.reason, problem.message) == (
        "InvalidRayJobStatus",
        (
            "The RayJob status is invalid: JobDeploymentStatus cannot be `Waiting` when "
            "SubmissionMode "
            "is not InteractiveMode"
        ),
    )
    assert list(status_problems(waiting("InteractiveMode"))) == []
