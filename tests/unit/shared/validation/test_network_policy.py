"""Rules about the network policy."""

import pytest

from shared.kernel.features import parse_features
from shared.resources.raycluster import RayCluster
from tests.support.rayclusters import cluster, problems_of, workers

POLICY = "spec.networkPolicy"
GATE = parse_features("RayClusterNetworkPolicy=true")


def found(wanted: RayCluster) -> list[tuple[str, str]]:
    return problems_of(wanted, GATE)


def test_a_network_policy_needs_its_gate() -> None:
    assert problems_of(cluster(networkPolicy={})) == [
        (POLICY, f"{POLICY} requires the RayClusterNetworkPolicy feature gate to be enabled")
    ]
    assert found(cluster(networkPolicy={})) == []


@pytest.mark.parametrize(
    ("mode", "rules", "direction"),
    [("DenyAllEgress", "ingressRules", "ingress"), ("DenyAllIngress", "egressRules", "egress")],
)
def test_no_rules_for_a_direction_that_is_open(mode: str, rules: str, direction: str) -> None:
    given: dict[str, object] = {rules: [{}]}
    groups = [{"groupName": "small", **given}]
    policy = {"mode": mode, "head": given, "worker": given, "workerGroups": groups}

    end = f'{rules} cannot be set when mode is "{mode}" ({direction} is not restricted)'
    assert found(cluster(networkPolicy=policy)) == [
        (f"{POLICY}.head.{rules}", f"networkPolicy.head.{end}"),
        (f"{POLICY}.worker.{rules}", f"networkPolicy.worker.{end}"),
        (f"{POLICY}.workerGroups[0].{rules}", f'networkPolicy.workerGroups["small"].{end}'),
    ]


def test_a_network_policy_needs_group_names_that_fit_its_own() -> None:
    policy = {"workerGroups": [{"groupName": "none"}]}

    wanted = cluster(networkPolicy=policy, workerGroupSpecs=[workers("A_b")])

    assert found(wanted) == [
        (
            "spec.workerGroupSpecs[0].groupName",
            (
                'worker group name "A_b" must be a valid DNS1123 label when networkPolicy is '
                "enabled (it is embedded in the NetworkPolicy name): use lower case letters, "
                "digits and '-'; begin and end with a letter or digit"
            ),
        ),
        (
            f"{POLICY}.workerGroups[0].groupName",
            'networkPolicy.workerGroups["none"] does not match any group name in workerGroupSpecs',
        ),
    ]
