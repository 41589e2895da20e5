"""What is said of rights, of other operators and of webhooks."""

import pytest
from msgspec.structs import replace

from heliograph.views.doctor.access import spoken
from heliograph.views.doctor.checks import Mark
from heliograph.views.doctor.facts import (
    Facts,
    Holder,
    Lacking,
    Operator,
    Unknown,
    Webhook,
)
from tests.support.examinations import BUS, CLUSTER, HEALTHY, cluster_with, only_trouble, troubles

EXECUTOR = Holder(
    services=("executor",),
    account="system:serviceaccount:heliograph:heliograph-executor",
    deployed=True,
    asked=80,
    lacking=(Lacking(verb="create", resource="pods"), Lacking(verb="delete", resource="pods")),
)
PROXY = Lacking(verb="create", resource="services/proxy", only="with --use-kubernetes-proxy")
KUBERAY = Operator(name="KubeRay", namespace="ray-system", evidence="lease ray-operator-leader")
HOOK = Webhook(name="ray", target="service ray-system/hook", strict=True, ready=False)


def held_by(holder: Holder) -> Facts:
    return cluster_with(holders=(holder,))


def test_a_right_that_is_always_needed_and_missing_is_wrong() -> None:
    found = only_trouble(held_by(EXECUTOR))

    assert (found.area, found.what, found.mark) == ("permissions", "executor", Mark.WRONG)
    assert found.says == "account heliograph/heliograph-executor may not create/delete pods"
    assert found.todo == ("kubectl apply -f deploy/manifests/executor/cluster-role.yaml",)


def test_a_right_that_is_needed_somewhere_only_is_a_warning_with_that_place() -> None:
    found = only_trouble(held_by(replace(EXECUTOR, lacking=(PROXY,))))

    assert found.mark is Mark.WARNING
    assert "create services/proxy (with --use-kubernetes-proxy)" in found.says


def test_whoever_asks_may_lack_what_services_need() -> None:
    you = replace(EXECUTOR, account="you", deployed=False, services=("watcher", "executor"))

    found = only_trouble(held_by(you))

    assert (found.what, found.mark) == ("watcher, executor", Mark.WARNING)
    assert "you may not create/delete pods" in found.says


def test_rights_that_nobody_could_ask_about_are_unknown_and_can_be_asked_by_hand() -> None:
    found = only_trouble(held_by(replace(EXECUTOR, lacking=Unknown("403 Forbidden"))))

    assert found.mark is Mark.UNKNOWN
    assert f"kubectl auth can-i --list --as={EXECUTOR.account}" in found.todo[1]


def test_rights_of_one_resource_are_told_together_and_many_are_counted() -> None:
    many = [Lacking(verb="get", resource=f"r{number}", namespace="n") for number in range(8)]

    assert spoken(many[:2]) == "get r0 in n, get r1 in n"
    assert spoken(many).endswith("get r5 in n and 2 more")


def test_another_operator_is_wrong_beside_one_that_acts() -> None:
    found = only_trouble(cluster_with(operators=(KUBERAY,)))

    assert (found.area, found.mark) == ("neighbours", Mark.WRONG)
    assert "-n ray-system --replicas=0" in found.todo[0]


def test_another_operator_is_what_a_shadow_needs() -> None:
    shadow = replace(HEALTHY, bus=replace(BUS, shadow=True))
    beside = replace(shadow, cluster=replace(CLUSTER, operators=(KUBERAY,)))

    assert troubles(beside) == ()
    assert only_trouble(shadow).says == "none runs, and this installation only looks on"


@pytest.mark.parametrize(("strict", "mark"), [(True, Mark.WRONG), (False, Mark.WARNING)])
def test_a_webhook_without_anybody_behind_it_is_told(strict: bool, mark: Mark) -> None:
    found = only_trouble(cluster_with(webhooks=(replace(HOOK, strict=strict),)))

    assert (found.what, found.mark) == ("webhook ray", mark)
    assert found.says == "nobody is ready behind service ray-system/hook"


def test_a_webhook_that_answers_is_well_and_one_that_is_elsewhere_unknown() -> None:
    elsewhere = replace(HOOK, ready=Unknown("outside of Kubernetes"))

    assert troubles(cluster_with(webhooks=(replace(HOOK, ready=True),))) == ()
    assert only_trouble(cluster_with(webhooks=(elsewhere,))).mark is Mark.UNKNOWN


@pytest.mark.parametrize("part", ["holders", "operators", "webhooks", "deployments"])
def test_what_could_not_be_listed_is_unknown(part: str) -> None:
    assert only_trouble(cluster_with(**{part: Unknown("403")})).mark is Mark.UNKNOWN
