"""The cluster as an object: whole stories with a clock turned by hand."""

from datetime import datetime

from sandbox.cluster import Cluster
from sandbox.objects import Object, bury
from tests.unit.sandbox.widgets import HandClock, cluster, pod, widget

STEPS_MAX = 50


def run(ours: Cluster, clock: HandClock, seconds: float) -> None:
    """Let time pass, stopping wherever the controllers have something to do."""
    ends_at = clock.now.timestamp() + seconds
    for _ in range(STEPS_MAX):
        due = ours.step()
        if due is None or due.timestamp() > ends_at:
            break
        clock.now = max(due, clock.now)
    clock.now = datetime.fromtimestamp(ends_at, tz=clock.now.tzinfo)
    ours.step()


def owned_by(owner: Object) -> Object:
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    named = {"name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}
    return pod("child", ownerReferences=[{**reference, **named}])


def names(ours: Cluster, resource: str) -> list[str]:
    return [each["metadata"]["name"] for each in ours.list(resource, "default").items]


def test_starts_with_its_namespaces() -> None:
    found = cluster().list("namespaces").items

    assert [(each["metadata"]["name"], each["status"]) for each in found] == [
        ("default", {"phase": "Active"}),
        ("kube-system", {"phase": "Active"}),
    ]


def test_a_pod_comes_up_and_goes_with_time() -> None:
    clock = HandClock()
    ours = cluster(clock)
    ours.create("pods", pod())

    run(ours, clock, 5)
    running = ours.get("pods", "default", "one")
    ours.delete("pods", "default", "one")
    run(ours, clock, 5)

    assert running["status"]["phase"] == "Running"
    assert names(ours, "pods") == []


def test_dependents_follow_their_owner() -> None:
    clock = HandClock()
    ours = cluster(clock)
    ours.create("pods", owned_by(ours.create("widgets", widget())))
    run(ours, clock, 5)

    ours.delete("widgets", "default", "one")
    run(ours, clock, 5)

    assert names(ours, "pods") == []


def test_a_foreground_owner_waits_for_its_dependents() -> None:
    clock = HandClock()
    ours = cluster(clock)
    child = owned_by(ours.create("widgets", widget()))
    ours.create("pods", bury(child, "metadata.finalizers", ["example.com/keep"]))

    ours.delete("widgets", "default", "one", propagation="Foreground")
    run(ours, clock, 5)
    waiting = names(ours, "widgets")
    ours.patch("pods", "default", "child", {"metadata": {"finalizers": None}})
    run(ours, clock, 5)

    assert (waiting, names(ours, "widgets"), names(ours, "pods")) == (["one"], [], [])


def test_orphans_stay() -> None:
    clock = HandClock()
    ours = cluster(clock)
    ours.create("pods", owned_by(ours.create("widgets", widget())))

    ours.delete("widgets", "default", "one", propagation="Orphan")
    run(ours, clock, 5)

    assert (names(ours, "widgets"), names(ours, "pods")) == ([], ["child"])
    assert "ownerReferences" not in ours.get("pods", "default", "child")["metadata"]


def test_a_quiet_cluster_writes_nothing() -> None:
    clock = HandClock()
    ours = cluster(clock)
    ours.create("pods", pod())
    run(ours, clock, 30)
    before = ours.state.store.revision

    run(ours, clock, 60)

    assert ours.state.store.revision == before


def test_the_same_calls_make_the_same_cluster() -> None:
    def story() -> tuple[Object, ...]:
        clock = HandClock()
        ours = cluster(clock)
        ours.create("pods", pod())
        run(ours, clock, 5)
        return ours.list("pods").items

    assert story() == story()
