"""Rules about what a RayJob deletes when it has ended: the block, and its older form.

The newer form, a list of rules, has a file of its own: `shared.validation.deletion_rules`.
"""

from shared.kernel.features import JOB_DELETION_POLICY, Features
from shared.resources.job_options import DeletionPolicy
from shared.resources.rayjob import RayJobSpec
from shared.validation.deletion_rules import (
    deletion_rule_problems,
    needs_own_cluster,
    scales_itself,
)
from shared.validation.findings import Problems, opened, shut
from shared.validation.rule import Rule

_STRATEGY = "spec.deletionStrategy"
_PREFIX = "The RayJob spec is invalid: "
_RULES = "write deletionRules; onSuccess and onFailure are the older form"

GATED = Rule(
    id="RayJob.deletion-gate",
    path=_STRATEGY,
    text=f"{JOB_DELETION_POLICY} feature gate must be enabled to use DeletionStrategy",
    hint=opened(JOB_DELETION_POLICY),
)
RULES_AND_SHUTDOWN = Rule(
    id="RayJob.deletion-shutdown",
    path=f"{_STRATEGY}.deletionRules",
    text=(
        f"{_PREFIX}spec.shutdownAfterJobFinishes and spec.deletionStrategy.deletionRules are "
        "mutually exclusive"
    ),
    hint="remove shutdownAfterJobFinishes; a rule DeleteCluster does the same",
)
TWO_FORMS = Rule(
    id="RayJob.deletion-form",
    path=_STRATEGY,
    text=(
        f"{_PREFIX}Cannot use both legacy onSuccess/onFailure fields and deletionRules "
        "simultaneously"
    ),
    hint=_RULES,
)
NO_FORM = Rule(
    id="RayJob.deletion-empty",
    path=_STRATEGY,
    text=(
        f"{_PREFIX}DeletionStrategy requires either BOTH onSuccess and onFailure, OR the "
        "deletionRules field (cannot be empty)"
    ),
    hint="write deletionRules, or leave deletionStrategy out",
)
ONE_SIDE = Rule(
    id="RayJob.deletion-sides",
    path=f"{_STRATEGY}.{{field}}",
    text=(
        "both DeletionStrategy.OnSuccess and DeletionStrategy.OnFailure must be set when using the "
        "legacy deletion policy fields of DeletionStrategy"
    ),
    hint=f"write the other one, or better {_RULES}",
)
NO_POLICY = Rule(
    id="RayJob.deletion-policy",
    path=f"{_STRATEGY}.{{field}}.policy",
    text=(
        "the DeletionPolicyType field of DeletionStrategy.{name} cannot be unset when "
        "DeletionStrategy is enabled"
    ),
    hint="write DeleteCluster, DeleteWorkers, DeleteSelf or DeleteNone",
)
SELECTED = Rule(
    id="RayJob.deletion-selector",
    path=f"{_STRATEGY}.{{field}}.policy",
    text="the ClusterSelector mode doesn't support DeletionStrategy={policy} on {end}",
    hint="a chosen cluster is not the job's to delete: write DeleteSelf or DeleteNone",
)
SCALED = Rule(
    id="RayJob.deletion-autoscaling",
    path=f"{_STRATEGY}.{{field}}.policy",
    text=(
        "DeletionStrategy=DeleteWorkers currently does not support RayCluster with autoscaling "
        "enabled"
    ),
    hint="the autoscaler removes idle workers itself: write DeleteCluster or DeleteNone",
)
NONE_AND_SHUTDOWN = Rule(
    id="RayJob.deletion-none-shutdown",
    path=f"{_STRATEGY}.{{field}}.policy",
    text=(
        f"{_PREFIX}shutdownAfterJobFinshes is set to 'true' while deletion policy is 'DeleteNone'"
    ),
    hint="remove shutdownAfterJobFinishes, or write DeleteCluster",
)

_Sides = tuple[tuple[str, DeletionPolicy | None], ...]


def deletion_problems(spec: RayJobSpec, features: Features) -> Problems:
    """Check the strategy; a shut gate ends the search, and so does a mixture of forms."""
    strategy = spec.deletion_strategy
    if strategy is None:
        return
    if shut(features, JOB_DELETION_POLICY):
        yield GATED.found()
        return
    older = (("onSuccess", strategy.on_success), ("onFailure", strategy.on_failure))
    legacy = any(side for _, side in older)
    rules = strategy.deletion_rules or ()
    if rules and spec.shutdown_after_job_finishes:
        yield RULES_AND_SHUTDOWN.found()
    if rules and legacy:
        yield TWO_FORMS.found()
    elif rules:
        yield from deletion_rule_problems(spec, rules)
    elif legacy:
        yield from _legacy_problems(spec, older)
    else:
        yield NO_FORM.found()


def _legacy_problems(spec: RayJobSpec, sides: _Sides) -> Problems:
    absent = [field for field, side in sides if side is None]
    for field in absent:
        yield ONE_SIDE.found(field=field)
    if absent:
        return
    for field, side in sides:
        if side is not None and side.policy is None:
            yield NO_POLICY.found(field=field, name=f"{field[0].upper()}{field[1:]}")
    for rule in (SELECTED, SCALED, NONE_AND_SHUTDOWN):
        for field, side in sides:
            policy = side.policy if side else None
            if policy is not None and _breaks(rule, spec, policy):
                end = field.removeprefix("on").lower()
                yield rule.found(field=field, policy=policy, end=end)


def _breaks(rule: Rule, spec: RayJobSpec, policy: str) -> bool:
    if rule is SELECTED:
        return needs_own_cluster(spec, policy)
    if rule is SCALED:
        return scales_itself(spec, policy)
    return policy == "DeleteNone" and spec.shutdown_after_job_finishes is True
