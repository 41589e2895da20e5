"""Rules about the deletion rules of a RayJob: each alone, then all together.

A rule with a fault of its own is left out when they are compared, so one mistake is told once.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from shared.resources.job_options import DeletionRule
from shared.resources.problem import Problem
from shared.resources.rayjob import RayJobSpec
from shared.validation.findings import Problems
from shared.validation.rule import Rule

_RULE = "spec.deletionStrategy.deletionRules[{index}]"
_ORDER = ("DeleteWorkers", "DeleteCluster", "DeleteSelf")
"""What is deleted later takes with it what is deleted earlier."""

CONDITION_TWICE = Rule(
    id="RayJob.rule-condition-once",
    path=f"{_RULE}.condition",
    text=(
        "deletionRules[{index}]: cannot set both JobStatus and JobDeploymentStatus at the same time"
    ),
    hint="write two rules, one for each",
)
CONDITION_MISSING = Rule(
    id="RayJob.rule-condition",
    path=f"{_RULE}.condition",
    text="deletionRules[{index}]: exactly one of JobStatus and JobDeploymentStatus must be set",
    hint="write jobStatus: SUCCEEDED or FAILED, or jobDeploymentStatus: Failed",
)
TTL_NEGATIVE = Rule(
    id="RayJob.rule-ttl",
    path=f"{_RULE}.condition.ttlSeconds",
    text="deletionRules[{index}]: TTLSeconds must be non-negative",
    hint="write 0 or more",
)
SELECTED = Rule(
    id="RayJob.rule-selector",
    path=f"{_RULE}.policy",
    text=(
        "deletionRules[{index}]: DeletionPolicyType '{policy}' not supported when ClusterSelector "
        "is set"
    ),
    hint="a chosen cluster is not the job's to delete: write DeleteSelf or DeleteNone",
)
SCALED = Rule(
    id="RayJob.rule-autoscaling",
    path=f"{_RULE}.policy",
    text=(
        "deletionRules[{index}]: DeletionPolicyType 'DeleteWorkers' not supported with autoscaling "
        "enabled"
    ),
    hint="the autoscaler removes idle workers itself: write DeleteCluster, or leave the rule out",
)
TWICE = Rule(
    id="RayJob.rule-once",
    path=_RULE,
    text=(
        "deletionRules[{index}]: duplicate rule for DeletionPolicyType '{policy}' and {status} "
        "'{value}'"
    ),
    hint="keep one of the two rules",
)
TTL_FALLS = Rule(
    id="RayJob.rule-ttl-order",
    path=f"{_RULE}.condition.ttlSeconds",
    text=("for {status} '{value}': {policy} TTL ({ttl}) must be >= {before} TTL ({ttl_before})"),
    hint="delete workers first, then the cluster, then the job itself",
)

Numbered = tuple[int, DeletionRule]
Condition = tuple[str, str]


def deletion_rule_problems(spec: RayJobSpec, rules: Sequence[DeletionRule]) -> Problems:
    """Check every rule, then the order of what they delete."""
    sound: dict[Condition, dict[str, Numbered]] = {}
    for index, rule in enumerate(rules):
        fault = next(_faults(spec, index, rule), None)
        if fault is not None:
            yield fault
            continue
        status, value = _condition(rule)
        known = sound.setdefault((status, value), {})
        if rule.policy in known:
            yield TWICE.found(index=index, policy=rule.policy, status=status, value=value)
            continue
        known[rule.policy] = (index, rule)
    for condition, by_policy in sorted(sound.items(), key=lambda each: each[0][0] != "JobStatus"):
        yield from _order(condition, by_policy)


def needs_own_cluster(spec: RayJobSpec, policy: str) -> bool:
    """Whether the policy would delete of a cluster that the job only chose."""
    return spec.selected_cluster is not None and policy in ("DeleteCluster", "DeleteWorkers")


def scales_itself(spec: RayJobSpec, policy: str) -> bool:
    """Whether the policy would delete workers that an autoscaler looks after."""
    cluster = spec.ray_cluster_spec
    scaled = cluster is not None and cluster.enable_in_tree_autoscaling is True
    return scaled and policy == "DeleteWorkers"


def _faults(spec: RayJobSpec, index: int, rule: DeletionRule) -> Iterator[Problem]:
    condition, policy = rule.condition, rule.policy
    given = (condition.job_status is not None, condition.job_deployment_status is not None)
    if all(given):
        yield CONDITION_TWICE.found(index=index)
    if not any(given):
        yield CONDITION_MISSING.found(index=index)
    if condition.ttl_seconds < 0:
        yield TTL_NEGATIVE.found(index=index)
    if needs_own_cluster(spec, policy):
        yield SELECTED.found(index=index, policy=policy)
    if scales_itself(spec, policy):
        yield SCALED.found(index=index)


def _condition(rule: DeletionRule) -> Condition:
    condition = rule.condition
    if condition.job_status is not None:
        return "JobStatus", condition.job_status
    return "JobDeploymentStatus", condition.job_deployment_status or ""


def _order(condition: Condition, by_policy: dict[str, Numbered]) -> Problems:
    status, value = condition
    steps = [by_policy[policy] for policy in _ORDER if policy in by_policy]
    for (_, earlier), (index, later) in pairwise(steps):
        ttl, before = later.condition.ttl_seconds, earlier.condition.ttl_seconds
        if ttl < before:
            yield TTL_FALLS.found(
                index=index,
                status=status,
                value=value,
                policy=later.policy,
                ttl=ttl,
                before=earlier.policy,
                ttl_before=before,
            )
