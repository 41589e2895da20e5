"""The option blocks of a RayJob: how it is submitted, and what is deleted when it has ended.

A deletion strategy is written in one of two ways: rules, each with a condition and a delay, or the
older pair `onSuccess` and `onFailure`. The API server refuses a mixture; what else makes no sense
is told in `shared.validation`, so bounds are kept in the schema and not in the models.
"""

from typing import Literal

from pydantic import ConfigDict, Field, JsonValue

from shared.resources.written import Int32, Written

DeletionPolicyName = Literal["DeleteCluster", "DeleteWorkers", "DeleteSelf", "DeleteNone"]

STRATEGY_RULES: list[JsonValue] = [
    {
        "rule": "!((has(self.onSuccess) || has(self.onFailure)) && has(self.deletionRules))",
        "message": (
            "legacy policies (onSuccess/onFailure) and deletionRules cannot be used together "
            "within the same deletionStrategy"
        ),
    },
    {
        "rule": "((has(self.onSuccess) && has(self.onFailure)) || has(self.deletionRules))",
        "message": (
            "deletionStrategy requires either BOTH onSuccess and onFailure, OR the deletionRules "
            "field (cannot be empty)"
        ),
    },
]
CONDITION_RULES: list[JsonValue] = [
    {
        "rule": "!(has(self.jobStatus) && has(self.jobDeploymentStatus))",
        "message": (
            "JobStatus and JobDeploymentStatus cannot be used together within the same deletion "
            "condition."
        ),
    },
    {
        "rule": "has(self.jobStatus) || has(self.jobDeploymentStatus)",
        "message": (
            "the deletion condition requires either the JobStatus or the JobDeploymentStatus field."
        ),
    },
]


class SubmitterConfig(Written):
    """The Kubernetes Job that submits."""

    backoff_limit: Int32 | None = Field(
        None, description="How often submitting is tried again; 2 if absent."
    )


class DeletionPolicy(Written):
    """What is deleted, in the older way."""

    policy: DeletionPolicyName | None = Field(None, description="What is deleted.")


class DeletionCondition(Written):
    """When a rule applies: one of the two outcomes, and a delay."""

    model_config = ConfigDict(json_schema_extra={"x-kubernetes-validations": CONDITION_RULES})

    job_status: Literal["SUCCEEDED", "FAILED"] | None = Field(
        None, description="How the Ray job ended."
    )
    job_deployment_status: Literal["Failed"] | None = Field(
        None, description="How the RayJob ended."
    )
    ttl_seconds: Int32 = Field(
        0, description="Seconds to wait after the end.", json_schema_extra={"minimum": 0}
    )


class DeletionRule(Written):
    """One thing to delete, and when."""

    policy: DeletionPolicyName = Field(description="What is deleted.")
    condition: DeletionCondition = Field(description="When.")


class DeletionStrategy(Written):
    """What is deleted when the job has ended."""

    model_config = ConfigDict(json_schema_extra={"x-kubernetes-validations": STRATEGY_RULES})

    on_success: DeletionPolicy | None = Field(
        None, description="Deprecated: see the rules. What a success deletes."
    )
    on_failure: DeletionPolicy | None = Field(
        None, description="Deprecated: see the rules. What a failure deletes."
    )
    deletion_rules: tuple[DeletionRule, ...] | None = Field(
        None,
        description="What is deleted after which end, and how long after.",
        json_schema_extra={"minItems": 1, "x-kubernetes-list-type": "atomic"},
    )


K8S_JOB_MODE = "K8sJobMode"
HTTP_MODE = "HTTPMode"
INTERACTIVE_MODE = "InteractiveMode"
SIDECAR_MODE = "SidecarMode"
