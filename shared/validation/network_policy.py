"""Rules about network policies: no rule for a direction that is open anyway."""

from shared.kernel.features import NETWORK_POLICY, Features
from shared.resources.options import NetworkPolicyOptions, NetworkRules
from shared.resources.raycluster import RayCluster
from shared.validation.findings import GROUP, Problems, groups, opened, shut
from shared.validation.rule import Rule
from shared.validation.syntax import dns_1123_label

_POLICY = "spec.networkPolicy"

GATED = Rule(
    id="RayCluster.network-gate",
    path=_POLICY,
    text=f"{_POLICY} requires the {NETWORK_POLICY} feature gate to be enabled",
    hint=opened(NETWORK_POLICY),
)
DIRECTION_OPEN = Rule(
    id="RayCluster.network-direction",
    path=f"{_POLICY}.{{place}}.{{direction}}Rules",
    text=(
        'networkPolicy.{named}.{direction}Rules cannot be set when mode is "{mode}" ({direction} '
        "is not restricted)"
    ),
    hint="remove the rules, or set mode: DenyAll",
)
GROUP_NAME = Rule(
    id="RayCluster.network-group-name",
    path=f"{GROUP}.groupName",
    text=(
        'worker group name "{group}" must be a valid DNS1123 label when networkPolicy is enabled '
        "(it is embedded in the NetworkPolicy name): {list}"
    ),
    hint="rename the group: lower case letters, digits and '-'",
)
GROUP_UNKNOWN = Rule(
    id="RayCluster.network-group-unknown",
    path=f"{_POLICY}.{{place}}.groupName",
    text="networkPolicy.{named} does not match any group name in workerGroupSpecs",
    hint="write the name of a worker group",
)


def network_policy_problems(cluster: RayCluster, features: Features) -> Problems:
    """Check the policy; a shut gate ends the search."""
    policy = cluster.spec.network_policy
    if policy is None:
        return
    if shut(features, NETWORK_POLICY):
        yield GATED.found()
        return
    for place, rules in (("head", policy.head), ("worker", policy.worker)):
        if rules is not None:
            yield from _open_direction(policy, rules, place, place)
    for index, group in groups(cluster):
        unlike = dns_1123_label(group.group_name)
        if unlike:
            yield GROUP_NAME.found(index=index, group=group.group_name, list="; ".join(unlike))
    yield from _group_rules(cluster, policy)


def _open_direction(
    policy: NetworkPolicyOptions, rules: NetworkRules, named: str, place: str
) -> Problems:
    useless = {
        "DenyAllEgress": ("ingress", rules.ingress_rules),
        "DenyAllIngress": ("egress", rules.egress_rules),
    }
    direction, given = useless.get(policy.mode, ("", ()))
    if given:
        yield DIRECTION_OPEN.found(place=place, named=named, direction=direction, mode=policy.mode)


def _group_rules(cluster: RayCluster, policy: NetworkPolicyOptions) -> Problems:
    known = {group.group_name for group in cluster.groups}
    for index, rules in enumerate(policy.worker_groups):
        named, place = f'workerGroups["{rules.group_name}"]', f"workerGroups[{index}]"
        yield from _open_direction(policy, rules, named, place)
        if rules.group_name not in known:
            yield GROUP_UNKNOWN.found(place=place, named=named)
