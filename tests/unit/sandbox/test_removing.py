"""Deleting: at once, in grace, under finalizers, by selection."""

import pytest

from sandbox.errors import ApiError
from sandbox.objects import bury
from sandbox.requests import Selection
from tests.unit.sandbox.widgets import HandClock, cluster, configmap, pod, widget

BOUND = [{"op": "add", "path": "/spec/nodeName", "value": "n1"}]
JSON_PATCH = "application/json-patch+json"


def test_an_object_that_nothing_holds_goes_at_once() -> None:
    ours = cluster()
    made = ours.create("widgets", widget())

    answer = ours.delete("widgets", "default", "one")

    assert (answer["status"], answer["details"]) == (
        "Success",
        {
            "name": "one",
            "group": "example.com",
            "kind": "widgets",
            "uid": made["metadata"]["uid"],
        },
    )
    with pytest.raises(ApiError, match=r'widgets\.example\.com "one" not found'):
        ours.get("widgets", "default", "one")


def test_a_finalizer_holds_an_object_until_it_is_taken_off() -> None:
    ours = cluster()
    ours.create("widgets", bury(widget(), "metadata.finalizers", ["example.com/keep"]))

    waiting = ours.delete("widgets", "default", "one")
    again = ours.delete("widgets", "default", "one")
    ours.patch("widgets", "default", "one", {"metadata": {"finalizers": None}})

    assert (waiting["metadata"]["deletionTimestamp"], waiting["metadata"]["generation"]) == (
        "2030-01-01T12:00:00Z",
        2,
    )
    assert again == waiting
    assert ours.list("widgets").items == ()


def test_a_dying_object_takes_no_new_finalizers() -> None:
    ours = cluster()
    ours.create("widgets", bury(widget(), "metadata.finalizers", ["example.com/keep"]))
    ours.delete("widgets", "default", "one")

    with pytest.raises(ApiError, match="no new finalizers can be added"):
        ours.patch(
            "widgets", "default", "one", {"metadata": {"finalizers": ["example.com/keep", "a.b/c"]}}
        )


def test_a_running_pod_has_its_grace_and_can_be_hurried() -> None:
    ours = cluster()
    ours.create("pods", pod())
    ours.patch("pods", "default", "one", BOUND, content_type=JSON_PATCH)

    waiting = ours.delete("pods", "default", "one")
    hurried = ours.delete("pods", "default", "one", grace_seconds=5)
    ours.delete("pods", "default", "one", grace_seconds=0)

    stamps = [
        (each["metadata"]["deletionTimestamp"], each["metadata"]["deletionGracePeriodSeconds"])
        for each in (waiting, hurried)
    ]
    assert stamps == [("2030-01-01T12:00:30Z", 30), ("2030-01-01T12:00:05Z", 5)]
    assert ours.list("pods").items == ()


def test_a_pod_without_a_node_needs_no_grace() -> None:
    ours = cluster()
    made = ours.create("pods", pod())

    assert ours.delete("pods", "default", "one")["metadata"]["uid"] == made["metadata"]["uid"]
    assert ours.list("pods").items == ()


@pytest.mark.parametrize(
    ("policy", "finalizers"), [("Foreground", ["foregroundDeletion"]), ("Orphan", ["orphan"])]
)
def test_a_propagation_policy_leaves_its_finalizer(policy: str, finalizers: list[str]) -> None:
    ours = cluster()
    ours.create("widgets", widget())

    waiting = ours.delete("widgets", "default", "one", propagation=policy)

    assert waiting["metadata"]["finalizers"] == finalizers


def test_preconditions_protect_an_object() -> None:
    ours = cluster()
    ours.create("widgets", widget())

    with pytest.raises(ApiError, match="the UID in the precondition"):
        ours.delete("widgets", "default", "one", uid="other")
    with pytest.raises(ApiError, match="the ResourceVersion in the precondition"):
        ours.delete("widgets", "default", "one", revision="1")
    assert len(ours.list("widgets").items) == 1


def test_deletes_what_is_selected() -> None:
    ours = cluster()
    for name, app in (("a", "x"), ("b", "y"), ("c", "x")):
        ours.create("configmaps", configmap(name, labels={"app": app}))

    gone = ours.delete_collection("configmaps", "default", Selection(labels="app=x"))

    assert [each["metadata"]["name"] for each in gone] == ["a", "c"]
    assert [each["metadata"]["name"] for each in ours.list("configmaps").items] == ["b"]


def test_a_namespace_takes_its_content_along() -> None:
    clock = HandClock()
    ours = cluster(clock)
    ours.create("namespaces", {"metadata": {"name": "demo"}})
    ours.create("configmaps", bury(configmap(), "metadata.namespace", "demo"))

    dying = ours.delete("namespaces", None, "demo")
    with pytest.raises(ApiError, match="because it is being terminated"):
        ours.create("configmaps", bury(configmap("two"), "metadata.namespace", "demo"))
    ours.step()

    assert dying["status"] == {"phase": "Terminating"}
    assert ours.list("configmaps", "demo").items == ()
    assert [each["metadata"]["name"] for each in ours.list("namespaces").items] == [
        "default",
        "kube-system",
    ]


def test_a_definition_takes_its_objects_along_and_is_served_no_longer() -> None:
    ours = cluster()
    ours.create("widgets", widget())

    ours.delete("customresourcedefinitions", None, "widgets.example.com")
    ours.step()

    with pytest.raises(ApiError, match="could not find the requested resource"):
        ours.list("widgets")
    assert ours.list("customresourcedefinitions").items == ()


def test_the_first_namespaces_are_permanent() -> None:
    with pytest.raises(ApiError, match="this namespace may not be deleted"):
        cluster().delete("namespaces", None, "default")
