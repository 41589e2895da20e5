"""Where everything has to go, and more than one act holds, replicas still go whole."""

from collections import Counter

import pytest
from msgspec.structs import replace

from services.reconciler.decisions.decision import ACTIONS_MAX
from shared.actions.objects import DeleteObject
from shared.events.objects import PodSeen, ResourceSeen
from tests.support.builders import (
    CONTEXT,
    HEAD_NAME,
    cluster_spec,
    group,
    head,
    resource,
    suspending,
    with_status,
)
from tests.support.leaving import OURS, leaving
from tests.support.plot import Plot
from tests.support.replicas import NAME, host, removed, surroundings

PAIRS = ACTIONS_MAX // 2 + 8
ASKED = group("small", PAIRS, numOfHosts=2)
GOING = {
    "suspension": with_status(resource(cluster_spec(ASKED, suspend=True)), suspending(1)),
    "removed_group": resource(cluster_spec()),
    "recreate": resource(cluster_spec(ASKED, upgradeStrategy={"type": "Recreate"})),
    "deletion": leaving(OURS),
}


def hosts() -> list[PodSeen]:
    """Pairs of hosts whose names stand far apart from each other."""
    pods = (host(f"pair-{number}", side) for number in range(PAIRS) for side in range(2))
    return [
        replace(pod, meta=replace(pod.meta, name="-".join(reversed(pod.meta.name.split("-")))))
        for pod in pods
    ]


def outdated_head() -> PodSeen:
    stamp = {
        "ray.io/upgrade-strategy-recreate-hash": "OLD",
        "ray.io/kuberay-version": CONTEXT.settings.manifests.version,
    }
    return replace(head(), meta=replace(head().meta, annotations=stamp))


@pytest.mark.parametrize(("rule", "asked"), GOING.items())
def test_no_act_holds_half_of_a_replica(rule: str, asked: ResourceSeen) -> None:
    pods = hosts()
    replica_of = {pod.meta.name: pod.meta.labels[NAME] for pod in pods}
    plot = Plot()
    plot.sees(asked, *surroundings()[:2], outdated_head(), *pods)

    act = plot.commits()

    gone = [name for name in removed(act.actions) if name != HEAD_NAME]
    rules = {action.rule for action in act.actions if isinstance(action, DeleteObject)}
    assert rules == {rule}
    assert ACTIONS_MAX - 2 <= len(act.actions) <= ACTIONS_MAX
    assert set(Counter(replica_of[name] for name in gone).values()) == {2}
