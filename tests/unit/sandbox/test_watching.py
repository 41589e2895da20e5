"""Subscriptions: what they tell, from when on, and when they end."""

import pytest

from sandbox.cluster import Cluster
from sandbox.errors import ApiError
from sandbox.objects import bury
from sandbox.requests import Request, Selection
from sandbox.watching import Subscription
from tests.unit.sandbox.widgets import cluster, configmap


def news(subscription: Subscription) -> list[tuple[str, str]]:
    return [(each.type, each.object["metadata"]["name"]) for each in subscription.poll()]


def selecting(ours: Cluster, labels: str) -> Subscription:
    selection = Selection(labels=labels, revision=str(ours.state.store.revision))
    return ours.watch(Request(verb="watch", resource="configmaps", selection=selection))


def test_tells_what_happens_after_a_revision_once() -> None:
    ours = cluster()
    revision = ours.list("configmaps").revision
    ours.create("configmaps", configmap("a"))
    ours.patch("configmaps", "default", "a", {"data": {"x": "1"}})
    ours.delete("configmaps", "default", "a")

    watch = ours.subscribe("configmaps", "default", revision)

    assert news(watch) == [("ADDED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]
    assert news(watch) == []


def test_starts_with_what_is_there_when_no_revision_is_given() -> None:
    ours = cluster()
    ours.create("configmaps", configmap("a"))

    watch = ours.subscribe("configmaps")

    assert [(each.type, each.object["metadata"]["name"]) for each in watch.initial] == [
        ("ADDED", "a")
    ]
    assert news(watch) == []


def test_hears_nothing_of_other_kinds_and_namespaces() -> None:
    ours = cluster()
    watch = ours.subscribe("configmaps", "default")
    ours.create("configmaps", bury(configmap("a"), "metadata.namespace", "kube-system"))
    ours.create("secrets", {"metadata": {"name": "s"}})

    assert news(watch) == []


def test_an_object_enters_and_leaves_a_selection() -> None:
    ours = cluster()
    watch = selecting(ours, "app=x")
    ours.create("configmaps", configmap("a"))
    ours.patch("configmaps", "default", "a", {"metadata": {"labels": {"app": "x"}}})
    ours.patch("configmaps", "default", "a", {"data": {"k": "v"}})
    left = ours.patch("configmaps", "default", "a", {"metadata": {"labels": {"app": "y"}}})
    ours.delete("configmaps", "default", "a")

    events = watch.poll()

    assert [each.type for each in events] == ["ADDED", "MODIFIED", "DELETED"]
    assert events[-1].object["metadata"]["resourceVersion"] == left["metadata"]["resourceVersion"]


def test_the_deleted_object_carries_the_revision_of_its_end() -> None:
    ours = cluster()
    made = ours.create("configmaps", configmap("a"))
    watch = ours.subscribe("configmaps", None, made["metadata"]["resourceVersion"])
    ours.delete("configmaps", "default", "a")

    (gone,) = watch.poll()

    assert gone.object["metadata"]["resourceVersion"] == str(ours.state.store.revision)


def test_a_watch_that_fell_behind_is_told_so() -> None:
    ours = cluster(history_max=1)
    watch = ours.subscribe("configmaps")
    for name in "abc":
        ours.create("configmaps", configmap(name))

    with pytest.raises(ApiError) as error:
        watch.poll()
    assert (error.value.code, error.value.reason) == (410, "Expired")


def test_calls_back_on_news_until_it_is_closed() -> None:
    ours = cluster()
    watch = ours.subscribe("configmaps")
    heard: list[int] = []
    watch.on_news(lambda: heard.append(ours.state.store.revision))

    ours.create("configmaps", configmap("a"))
    watch.close()
    ours.create("configmaps", configmap("b"))

    assert heard == [int(ours.get("configmaps", "default", "a")["metadata"]["resourceVersion"])]
