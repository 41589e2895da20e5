"""Both faces of an event show the same one."""

from sandbox.events import as_new, as_stored
from sandbox.objects import Object
from tests.unit.sandbox.widgets import cluster

STORED: Object = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {"name": "e", "namespace": "default"},
    "involvedObject": {"kind": "Pod", "name": "p"},
    "message": "started",
    "count": 2,
    "reportingComponent": "kubelet",
}


def test_going_there_and_back_changes_nothing() -> None:
    assert as_stored(as_new(STORED)) == STORED
    assert as_stored(STORED) == STORED


def test_the_new_face_has_the_new_names() -> None:
    assert as_new(STORED) == {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "default"},
        "regarding": {"kind": "Pod", "name": "p"},
        "note": "started",
        "deprecatedCount": 2,
        "reportingController": "kubelet",
    }


def test_an_event_written_through_one_face_is_found_through_the_other() -> None:
    ours = cluster()
    made = ours.create("events.events.k8s.io", as_new(STORED))

    found = ours.list("events", "default", fields="involvedObject.name=p").items
    again = ours.list("events.events.k8s.io", "default", fields="regarding.name=p").items

    assert [each["message"] for each in found] == ["started"]
    assert list(again) == [made]
