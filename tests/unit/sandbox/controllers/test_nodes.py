"""Nodes: where pods go, and what a lost node looks like."""

from typing import Any

from sandbox.controllers import nodes
from sandbox.controllers.nodes import Placement, place
from sandbox.controllers.scenario import Scenario
from sandbox.controllers.world import Steps
from tests.unit.sandbox.controllers.pods import CALM, pod
from tests.unit.sandbox.controllers.small_world import NOON, SmallWorld, after


def node(name: str, *, closed: bool = False, **labels: str) -> dict[str, Any]:
    spec = {"unschedulable": True} if closed else {}
    return {"metadata": {"name": name, "uid": name, "labels": labels}, "spec": spec}


def test_without_nodes_there_is_the_default_one() -> None:
    assert place(pod(), [], CALM) == Placement(node="sandbox")


def test_a_pod_always_goes_to_the_same_node_and_pods_spread() -> None:
    three = [node("a"), node("b"), node("c")]

    chosen = [place(pod(f"p{number}"), three, CALM).node for number in range(30)]

    assert chosen == [place(pod(f"p{number}"), three[::-1], CALM).node for number in range(30)]
    assert set(chosen) == {"a", "b", "c"}


def test_a_node_must_have_the_labels_asked_for() -> None:
    picky = pod("p", nodeSelector={"disk": "fast"})

    assert place(picky, [node("a"), node("b", disk="fast")], CALM) == Placement(node="b")


def test_says_why_no_node_fits() -> None:
    picky = pod("p", nodeSelector={"disk": "fast"})

    assert place(picky, [node("a"), node("b", closed=True)], CALM) == Placement(
        refusal="0/2 nodes are available: 1 node(s) were unschedulable, "
        "1 node(s) didn't match Pod's node affinity/selector."
    )


def test_lost_nodes_get_no_new_pods() -> None:
    scenario = Scenario(lost_nodes=("a",))

    assert place(pod(), [node("a")], scenario) == Placement(
        refusal="0/1 nodes are available: 1 node(s) were unschedulable."
    )


def test_a_lost_node_is_unknown_until_it_comes_back() -> None:
    world = SmallWorld(nodes=[node("a")])
    lost = Scenario(lost_nodes=("a",))

    seen = [_ready(world, *given) for given in ((0, CALM), (10, lost), (20, CALM))]

    assert seen == [
        ("True", "KubeletReady", "2026-01-01T12:00:00Z"),
        ("Unknown", "NodeStatusUnknown", "2026-01-01T12:00:10Z"),
        ("True", "KubeletReady", "2026-01-01T12:00:20Z"),
    ]


def test_asking_again_in_an_unchanged_world_changes_nothing() -> None:
    world = SmallWorld(nodes=[node("a")])
    world.apply(nodes.step(world, NOON, CALM).changes, NOON)

    assert nodes.step(world, after(60), CALM) == Steps()


def _ready(world: SmallWorld, seconds: float, scenario: Scenario) -> tuple[str, str, str]:
    """Step once and read the node's Ready condition."""
    now = after(seconds)
    world.apply(nodes.step(world, now, scenario).changes, now)
    [found] = world.get("nodes", "a")["status"]["conditions"]
    return found["status"], found["reason"], found["lastTransitionTime"]
