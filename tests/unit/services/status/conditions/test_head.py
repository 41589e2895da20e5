"""HeadPodReady and where the head is: every row of the rule, and whom a sick head blames."""

import pytest
from msgspec.structs import replace

from services.status.conditions.head import head_finding, head_info
from services.status.conditions.transitions import Finding
from shared.aggregates.raycluster import RayClusterState, raycluster_state
from shared.events.objects import Condition, Container, Observation, PodSeen, ServicePort
from tests.support.builders import HEAD_NAME, head, resource, service, worker
from tests.support.history import History


def state_of(*observations: Observation) -> RayClusterState:
    history = History()
    history.sees(resource(), *observations)
    return raycluster_state(history.view())


def head_with(*conditions: Condition, containers: tuple[Container, ...] = ()) -> PodSeen:
    return replace(head(), conditions=conditions, containers=containers, ip="10.1.0.9")


def unready(reason: str = "", message: str = "") -> Condition:
    return Condition(type="Ready", status="False", reason=reason, message=message)


def finding(reason: str, message: str = "", *, holds: bool = False) -> Finding:
    return Finding(type="HeadPodReady", holds=holds, reason=reason, message=message)


@pytest.mark.parametrize(
    ("pods", "told"),
    [
        ((), finding("HeadPodNotFound", "Head Pod not found")),
        ((worker("w1"),), finding("HeadPodNotFound", "Head Pod not found")),
        ((head_with(),), finding("Unknown")),
        ((head_with(unready()),), finding("Unknown")),
        ((head_with(unready("PodFailed", "it fell")),), finding("PodFailed", "it fell")),
        (
            (head_with(Condition(type="Ready", status="True")),),
            finding("HeadPodRunningAndReady", holds=True),
        ),
        (
            (head_with(Condition(type="Ready", status="True", reason="Fine", message="so")),),
            finding("Fine", "so", holds=True),
        ),
        (
            (head_with(Condition(type="PodScheduled", status="True"), unready("Late")),),
            finding("Late"),
        ),
    ],
)
def test_copies_what_the_pod_says_of_itself(pods: tuple[PodSeen, ...], told: Finding) -> None:
    assert head_finding(state_of(*pods)) == told


WAITS = Container(name="ray", state="waiting", reason="ErrImagePull", message="no such image")
ENDED = Container(name="ray", state="terminated", reason="OOMKilled", message="out of memory")
RUNS = Container(name="sidecar", state="running", ready=True)
MUTE = Container(name="ray", state="waiting")


@pytest.mark.parametrize(
    ("containers", "message", "told"),
    [
        ((WAITS,), "not ready", finding("ErrImagePull", "not ready; ray: no such image")),
        ((WAITS,), "", finding("ErrImagePull", "ray: no such image")),
        ((RUNS, ENDED, WAITS), "not ready", finding("OOMKilled", "not ready; ray: out of memory")),
        ((MUTE,), "not ready", finding("ContainersNotReady", "not ready; ray: ")),
        ((RUNS,), "not ready", finding("ContainersNotReady", "not ready")),
        ((), "not ready", finding("ContainersNotReady", "not ready")),
    ],
)
def test_blames_the_first_container_that_waits_or_has_ended(
    containers: tuple[Container, ...], message: str, told: Finding
) -> None:
    """Checklist 101."""
    sick = head_with(unready("ContainersNotReady", message), containers=containers)

    assert head_finding(state_of(sick)) == told


def test_blames_no_container_when_the_pod_has_another_reason() -> None:
    sick = head_with(unready("PodFailed", "evicted"), containers=(WAITS,))

    assert head_finding(state_of(sick)) == finding("PodFailed", "evicted")


def test_which_of_two_heads_counts_nobody_can_tell() -> None:
    state = state_of(head_with(), replace(head("another"), ip="10.1.0.10"))

    assert head_finding(state) == Finding(
        type="HeadPodReady",
        holds=False,
        unknown=True,
        reason="SeveralHeadPods",
        message="2 head pods found, and there should be one",
    )
    assert head_info(state, {})["head"] == {}


def test_a_head_of_which_nobody_can_tell_is_not_said_to_be_unready() -> None:
    lost = Condition(type="Ready", status="Unknown", reason="NodeLost", message="no news")

    told = head_finding(state_of(head_with(lost)))

    assert (told.holds, told.unknown, told.reason, told.message) == (
        False,
        True,
        "NodeLost",
        "no news",
    )


def test_says_where_pod_and_service_are() -> None:
    assert head_info(state_of(head_with(), service()), {})["head"] == {
        "podIP": "10.1.0.9",
        "podName": HEAD_NAME,
        "serviceIP": "10.0.0.7",
        "serviceName": "demo-head-svc",
    }


def test_a_headless_service_has_the_address_of_the_pod() -> None:
    """Checklist 105."""
    headless = replace(service(), cluster_ip="None")

    assert head_info(state_of(head_with(), headless), {})["head"] == {
        "podIP": "10.1.0.9",
        "podName": HEAD_NAME,
        "serviceIP": "10.1.0.9",
        "serviceName": "demo-head-svc",
    }
    assert head_info(state_of(headless), {})["head"] == {"serviceName": "demo-head-svc"}


def test_a_head_without_address_is_only_named() -> None:
    assert head_info(state_of(head()), {})["head"] == {"podName": HEAD_NAME}


def test_endpoints_are_node_port_or_target_or_port_and_unnamed_ones_are_left_out() -> None:
    ports = (
        ServicePort(name="gcs", port=6379, target=6380, node_port=30001),
        ServicePort(name="client", port=10001, target=10002),
        ServicePort(name="dashboard", port=8265, target="web"),
        ServicePort(name="metrics", port=8080),
        ServicePort(port=1234),
    )

    assert head_info(state_of(replace(service(), ports=ports)), {})["endpoints"] == {
        "gcs": "30001",
        "client": "10002",
        "dashboard": "web",
        "metrics": "8080",
    }


def test_endpoints_are_added_and_overwritten_and_never_removed() -> None:
    told = {"old": "1", "gcs": "2"}
    seen = replace(service(), ports=(ServicePort(name="gcs", target=6379),))

    assert head_info(state_of(seen), told)["endpoints"] == {"old": "1", "gcs": "6379"}
    assert head_info(state_of(), told)["endpoints"] == told
