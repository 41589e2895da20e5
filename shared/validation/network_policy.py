"""Rules about the network policy: no rule for a direction that is open anyway."""

from shared.kernel.features import NETWORK_POLICY, Features
from shared.resources.options import NetworkPolicyOptions, NetworkRules
from shared.resources.raycluster import RayCluster
from shared.validation.findings import Problems, groups, refused, shut
from shared.validation.syntax import dns_1123_label

_POLICY = "spec.networkPolicy"


def network_policy_problems(cluster: RayCluster, features: Features) -> Problems:
    """Check the policy; a shut gate ends the search."""
    policy = cluster.spec.network_policy
    if policy is None:
        return
    if shut(features, NETWORK_POLICY):
        yield refused(
            _POLICY, f"{_POLICY} requires the {NETWORK_POLICY} feature gate to be enabled"
        )
        return
    for place, rules in (("head", policy.head), ("worker", policy.worker)):
        if rules is not None:
            yield from _open_direction(policy, rules, place, place)
    yield from _group_names(cluster)
    yield from _group_rules(cluster, policy)


def _open_direction(
    policy: NetworkPolicyOptions, rules: NetworkRules, place: str, path: str
) -> Problems:
    useless = {
        "DenyAllEgress": ("ingress", rules.ingress_rules),
        "DenyAllIngress": ("egress", rules.egress_rules),
    }
    direction, given = useless.get(policy.mode, ("", ()))
    if given:
        yield refused(
            f"{_POLICY}.{path}.{direction}Rules",
            f'networkPolicy.{place}.{direction}Rules cannot be set when mode is "{policy.mode}" '
            f"({direction} is not restricted)",
        )


def _group_names(cluster: RayCluster) -> Problems:
    for path, group in groups(cluster):
        unlike = dns_1123_label(group.group_name)
        if unlike:
            yield refused(
                f"{path}.groupName",
                f'worker group name "{group.group_name}" must be a valid DNS1123 label when '
                "networkPolicy is enabled (it is embedded in the NetworkPolicy name): "
                f"{'; '.join(unlike)}",
            )


def _group_rules(cluster: RayCluster, policy: NetworkPolicyOptions) -> Problems:
    known = {group.group_name for group in cluster.groups}
    for index, rules in enumerate(policy.worker_groups):
        place, path = f'workerGroups["{rules.group_name}"]', f"workerGroups[{index}]"
        yield from _open_direction(policy, rules, place, path)
        if rules.group_name not in known:
            yield refused(
                f"{_POLICY}.{path}.groupName",
                f"networkPolicy.{place} does not match any group name in workerGroupSpecs",
            )
