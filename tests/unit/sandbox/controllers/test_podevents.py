"""What scheduler and kubelet tell about pods, and how much of it is kept."""

from typing import Any

import pytest

from sandbox.cluster import Cluster
from sandbox.controllers import driver
from sandbox.controllers.scenario import ContainerExit, PodRule, Scenario
from sandbox.controllers.world import Steps
from tests.unit.sandbox.controllers.pods import pod
from tests.unit.sandbox.controllers.small_world import NOON, after


def told(rule: PodRule, seconds: float = 3, *, delete: bool = False) -> list[tuple[str, str]]:
    """Let a pod live under a rule; return reason and type of every event, oldest first."""
    now = [NOON]
    cluster = Cluster(lambda: now[0], scenario=Scenario(otherwise=rule))
    cluster.controllers.driver.tells = True
    cluster.create("pods", {**pod(), "metadata": {"name": "p"}, "status": {}})
    run(cluster, now, seconds)
    if delete:
        cluster.delete("pods", "default", "p")
        run(cluster, now, seconds + 3)
    events = sorted(
        cluster.list("events").items, key=lambda each: int(each["metadata"]["resourceVersion"])
    )
    return [(event["reason"], event["type"]) for event in events]


def run(cluster: Cluster, now: list[Any], seconds: float) -> None:
    while (due := cluster.step()) is not None and due <= after(seconds):
        now[0] = due
    now[0] = max(now[0], after(seconds))


STARTING = [(reason, "Normal") for reason in ("Scheduled", "Pulled", "Created", "Started")]


def test_tells_how_a_pod_comes_up_and_goes() -> None:
    assert told(PodRule()) == STARTING
    assert told(PodRule(), delete=True) == [*STARTING, ("Killing", "Normal")]


def test_the_order_of_names_is_the_order_of_the_story() -> None:
    now = [NOON]
    fails = PodRule(exits=(ContainerExit(after=0.1),), restart_after=0.1)
    cluster = Cluster(lambda: now[0], scenario=Scenario(otherwise=fails))
    cluster.controllers.driver.tells = True
    cluster.create("pods", {**pod(), "metadata": {"name": "p"}, "status": {}})
    run(cluster, now, 3)
    by_name = sorted(cluster.list("events").items, key=lambda each: each["metadata"]["name"])
    again = [("Pulled", "Normal"), ("Created", "Normal"), ("Started", "Normal")]

    assert [(event["reason"], event["type"]) for event in by_name] == [
        *STARTING,
        ("BackOff", "Warning"),
        *again,
    ]


@pytest.mark.parametrize(
    ("rule", "last"),
    [
        (PodRule(unschedulable="no room"), ("FailedScheduling", "Warning")),
        (PodRule(image_pull_error="no such image"), ("BackOff", "Normal")),
        (
            PodRule(exits=(ContainerExit(after=1, times=9),), restart_after=60),
            ("BackOff", "Warning"),
        ),
        (PodRule(evicted_after=1), ("Evicted", "Warning")),
    ],
)
def test_tells_what_goes_wrong(rule: PodRule, last: tuple[str, str]) -> None:
    assert told(rule)[-1] == last


def test_keeps_the_newest_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "EVENTS_MAX", 8)
    now = [NOON]
    cluster = Cluster(lambda: now[0])
    cluster.controllers.driver.tells = True
    for number in range(10):
        cluster.create("pods", {**pod(), "metadata": {"name": f"p{number}"}, "status": {}})
    run(cluster, now, 3)

    assert len(cluster.list("events").items) <= 8


def test_a_bare_cluster_tells_nothing() -> None:
    now = [NOON]
    cluster = Cluster(lambda: now[0])
    cluster.create("pods", {**pod(), "metadata": {"name": "p"}, "status": {}})
    run(cluster, now, 3)

    assert cluster.list("events").items == ()
    assert driver.nobody() == Steps()
