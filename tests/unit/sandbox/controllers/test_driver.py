"""Looking at changes alone comes to the same end as looking at everything."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox.cluster import Cluster
from sandbox.controllers import everything
from sandbox.controllers.driver import Driver
from sandbox.controllers.scenario import ContainerExit, PodRule, Scenario
from sandbox.controllers.world import Steps
from sandbox.driving import StoredWorld
from sandbox.errors import ApiError
from sandbox.objects import Object
from tests.unit.sandbox.controllers.small_world import NOON

SCENARIO = Scenario(
    rules=(
        PodRule(name="ends*", exits=(ContainerExit(after=2, exit_code=0),)),
        PodRule(name="late*", ready_after=5),
        PodRule(name="lost*", lost_node=True),
    )
)
NAMES = ("ends", "late", "lost", "calm")


class Cloud:
    """A cluster on a clock of its own."""

    def __init__(self) -> None:
        self.now = NOON
        self.cluster = Cluster(lambda: self.now, scenario=SCENARIO)
        self.cluster.create("namespaces", {"metadata": {"name": "other"}})

    def run(self, seconds: float) -> None:
        until = self.now + timedelta(seconds=seconds)
        while (due := self.cluster.step()) is not None and due <= until:
            self.now = due
        self.now = until
        self.cluster.step()

    def wants(self) -> Any:
        """Tell what a look at everything would still change."""
        return everything.step(StoredWorld(self.cluster.state), self.now, SCENARIO).changes

    def next_at(self) -> datetime | None:
        steps = everything.step(StoredWorld(self.cluster.state), self.now, SCENARIO)
        return steps.next_at


def pod(name: str, owner: Object | None = None, **meta: Any) -> Object:
    owners = [_reference(owner)] if owner else []
    return {
        "metadata": {"name": name, "labels": {"app": name}, "ownerReferences": owners, **meta},
        "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]},
    }


def _reference(owner: Object) -> Object:
    named = {"kind": "ConfigMap", "apiVersion": "v1", "name": owner["metadata"]["name"]}
    return {**named, "uid": owner["metadata"]["uid"], "blockOwnerDeletion": True}


def service(name: str) -> Object:
    spec = {"selector": {"app": name}, "ports": [{"port": 80}]}
    return {"metadata": {"name": name}, "spec": spec}


def job(name: str) -> Object:
    return {"metadata": {"name": name}, "spec": {"template": {"spec": pod(name)["spec"]}}}


MADE: dict[str, tuple[str, Callable[[str], Object]]] = {
    "pod": ("pods", pod),
    "owner": ("configmaps", lambda name: {"metadata": {"name": name}}),
    "service": ("services", service),
    "job": ("jobs", job),
    "node": ("nodes", lambda name: {"metadata": {"name": name}}),
    "elsewhere": ("pods", lambda name: pod(name, namespace="other")),
}


def act(cloud: Cloud, deed: str, name: str) -> None:
    cluster = cloud.cluster
    if deed in MADE:
        plural, make = MADE[deed]
        cluster.create(plural, make(name))
        return
    match deed:
        case "owned":
            cluster.create("pods", pod(f"{name}-child", cluster.get("configmaps", "default", name)))
        case "foreground":
            cluster.delete("configmaps", "default", name, propagation="Foreground")
        case "unlabel":
            patch = {"metadata": {"labels": {"app": "nobody"}}}
            cluster.patch("pods", "default", name, patch)
        case "empty":
            cluster.delete("namespaces", None, "other")
        case gone:
            place = None if gone == "no nodes" else "default"
            cluster.delete(gone.removeprefix("no "), place, name)


DEEDS = st.sampled_from(
    (
        "pod",
        "owned",
        "owner",
        "service",
        "job",
        "node",
        "elsewhere",
        "foreground",
        "unlabel",
        "empty",
        "no pods",
        "no configmaps",
        "no services",
        "no jobs",
        "no nodes",
    )
)
STORIES = st.lists(
    st.tuples(DEEDS, st.sampled_from(NAMES), st.sampled_from((0.0, 0.1, 3.0))), max_size=25
)


@settings(max_examples=60)
@given(story=STORIES)
def test_leaves_nothing_that_a_look_at_everything_would_change(
    story: list[tuple[str, str, float]],
) -> None:
    cloud = Cloud()
    for deed, name, pause in story:
        try:
            act(cloud, deed, name)
        except ApiError:
            continue
        cloud.run(pause)

        assert cloud.wants() == ()
        due = cloud.cluster.step()
        assert due == cloud.next_at()


def test_does_nothing_while_nothing_happens() -> None:
    cloud = Cloud()
    cloud.cluster.create("pods", pod("calm"))
    cloud.run(10)
    before = cloud.cluster.state.store.revision
    looked: list[object] = []
    driver = cloud.cluster.controllers.driver
    assert isinstance(driver, Driver)

    def look(*args: object) -> Steps:
        looked.append(args)
        return Steps()

    driver._looks = dict.fromkeys(driver._looks, look)
    cloud.run(100)

    assert (looked, cloud.cluster.state.store.revision) == ([], before)


def test_starts_over_when_it_has_missed_too_much() -> None:
    cloud = Cloud()
    cloud.cluster = Cluster(lambda: cloud.now, scenario=SCENARIO, history_max=4)
    cloud.run(1)
    for number in range(50):
        cloud.cluster.create("pods", pod(f"calm-{number}"))
    cloud.run(5)

    phases = {each["status"]["phase"] for each in cloud.cluster.list("pods").items}
    assert (phases, cloud.wants()) == ({"Running"}, ())
