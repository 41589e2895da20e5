"""Network policies: what is open within the cluster, what users open, and in which form."""

import pytest

from services.reconciler.manifests.network_policy import as_stored, network_policies
from services.reconciler.manifests.owners import owner_reference
from shared.kernel.manifests import entries_at, labels_of, mapping_at
from shared.resources.raycluster import RayCluster
from tests.support.rayclusters import cluster, head, workers

Raw = dict[str, object]
WITHIN = [{"podSelector": {"matchLabels": {"ray.io/cluster": "demo"}}}]
HEAD_RULE: Raw = {"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}
WORKER_RULE: Raw = {"from": [{"ipBlock": {"cidr": "10.1.0.0/16"}}]}
BIG_RULE: Raw = {"from": [{"ipBlock": {"cidr": "10.2.0.0/16"}}]}


def isolated(labels: dict[str, str] | None = None, **policy: object) -> RayCluster:
    groups = [workers("small"), workers("big")]
    return cluster(labels=labels, workerGroupSpecs=groups, networkPolicy=policy)


def rules(policies: dict[str, Raw], name: str, direction: str = "ingress") -> list[object]:
    """Everything that is allowed beside the traffic within the cluster."""
    base, *rest = entries_at(policies[name], "spec", direction)
    assert base == {"from" if direction == "ingress" else "to": WITHIN}
    return list(rest)


def test_without_options_there_is_no_policy() -> None:
    assert network_policies(cluster()) == {}


def test_the_head_and_every_group_have_a_policy() -> None:
    policies = network_policies(isolated())

    assert policies["demo-head"] == {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {
            "name": "demo-head",
            "namespace": "lab",
            "labels": {
                "app.kubernetes.io/created-by": "kuberay-operator",
                "app.kubernetes.io/name": "kuberay",
                "ray.io/cluster": "demo",
                "ray.io/group": "headgroup",
            },
            "ownerReferences": [owner_reference(isolated())],
        },
        "spec": {
            "podSelector": {"matchLabels": {"ray.io/cluster": "demo", "ray.io/node-type": "head"}},
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [{"from": WITHIN}],
            "egress": [{"to": WITHIN}],
        },
    }
    assert list(policies) == ["demo-head", "demo-workers-small", "demo-workers-big"]


def test_a_groups_policy_is_for_its_workers_alone() -> None:
    policy = network_policies(isolated())["demo-workers-big"]

    assert labels_of(policy)["ray.io/group"] == "big"
    assert mapping_at(policy, "spec", "podSelector") == {
        "matchLabels": {
            "ray.io/cluster": "demo",
            "ray.io/node-type": "worker",
            "ray.io/group": "big",
        }
    }


@pytest.mark.parametrize(
    ("mode", "types", "directions"),
    [
        ("DenyAll", ["Ingress", "Egress"], {"ingress", "egress"}),
        ("DenyAllIngress", ["Ingress"], {"ingress"}),
        ("DenyAllEgress", ["Egress"], {"egress"}),
    ],
)
def test_the_mode_says_which_directions_are_closed(
    mode: str, types: list[str], directions: set[str]
) -> None:
    spec = mapping_at(network_policies(isolated(mode=mode)), "demo-head", "spec")

    assert spec["policyTypes"] == types
    assert set(spec) == {"podSelector", "policyTypes"} | directions


def test_rules_reach_whom_they_are_for_and_nobody_else() -> None:
    """Checklist 108: rules do not leak; a group's entry replaces the workers' rules."""
    policies = network_policies(
        isolated(
            head={"ingressRules": [HEAD_RULE]},
            worker={"ingressRules": [WORKER_RULE], "egressRules": [{}]},
            workerGroups=[{"groupName": "big", "ingressRules": [BIG_RULE]}],
        )
    )

    assert {name: rules(policies, name) for name in policies} == {
        "demo-head": [HEAD_RULE],
        "demo-workers-small": [WORKER_RULE],
        "demo-workers-big": [BIG_RULE],
    }
    assert {name: rules(policies, name, "egress") for name in policies} == {
        "demo-head": [],
        "demo-workers-small": [{}],
        "demo-workers-big": [],
    }


@pytest.mark.parametrize(
    ("params", "port"),
    [({}, 8265), ({"dashboard-port": "9000"}, 9000), ({"dashboard-port": "nine"}, 8265)],
)
def test_the_pod_that_submits_a_job_reaches_the_dashboard(
    params: dict[str, str], port: int
) -> None:
    wanted = cluster(
        labels={"ray.io/job-submission-mode": "K8sJobMode"},
        headGroupSpec=head(rayStartParams=params),
        networkPolicy={"head": {"ingressRules": [HEAD_RULE]}},
    )
    policies = network_policies(wanted, "night")
    submitter = {"ray.io/originated-from-cr-name": "night", "ray.io/originated-from-crd": "RayJob"}

    assert rules(policies, "demo-head") == [
        {
            "from": [{"podSelector": {"matchLabels": submitter}}],
            "ports": [{"protocol": "TCP", "port": port}],
        },
        HEAD_RULE,
    ]
    assert rules(policies, "demo-workers-small") == []


@pytest.mark.parametrize(("mode", "rayjob"), [("K8sJobMode", ""), ("HTTPMode", "night")])
def test_without_such_a_pod_the_dashboard_stays_closed(mode: str, rayjob: str) -> None:
    policies = network_policies(isolated({"ray.io/job-submission-mode": mode}), rayjob)

    assert rules(policies, "demo-head") == []


def test_rules_are_written_as_the_server_keeps_them() -> None:
    rule: Raw = {
        "from": [
            {"podSelector": {}, "namespaceSelector": {"matchLabels": {}, "matchExpressions": []}},
            {"ipBlock": {"cidr": "10.0.0.0/8", "except": []}, "unheard": 1},
        ],
        "ports": [{"port": 80}, {"port": "web", "protocol": "UDP", "endPort": None}],
        "comment": "typed by hand",
    }

    assert as_stored({"ingress": [rule, {"ports": []}, {}], "egress": []}) == {
        "ingress": [
            {
                "from": [
                    {"podSelector": {}, "namespaceSelector": {}},
                    {"ipBlock": {"cidr": "10.0.0.0/8"}},
                ],
                "ports": [
                    {"protocol": "TCP", "port": 80},
                    {"protocol": "UDP", "port": "web"},
                ],
            },
            {},
            {},
        ]
    }


def test_what_the_server_would_refuse_is_not_hidden() -> None:
    """An ill-typed part stays, so that the refusal names it."""
    assert as_stored({"ingress": [7], "egress": [{"to": "all"}]}) == {
        "ingress": [7],
        "egress": [{"to": "all"}],
    }
