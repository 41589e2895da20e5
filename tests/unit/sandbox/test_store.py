"""The store: revisions, events, listeners, and looking back."""

import pytest

from sandbox.errors import ApiError
from sandbox.objects import Object
from sandbox.store import Store
from tests.unit.sandbox.widgets import NOON


def thing(name: str, **fields: object) -> Object:
    return {"metadata": {"name": name, "namespace": "a", "uid": f"uid-{name}"}, **fields}


def test_every_commit_takes_the_next_revision() -> None:
    store = Store()

    first = store.insert("things", thing("x"), NOON)
    second = store.insert("others", thing("x"), NOON)

    assert [first["metadata"]["resourceVersion"], second["metadata"]["resourceVersion"]] == [
        "2",
        "3",
    ]
    assert store.revision == 3


def test_leaves_one_event_per_commit_with_what_was_before() -> None:
    store = Store()
    first = store.insert("things", thing("x"), NOON)
    second = store.replace("things", thing("x", spec=1), NOON)
    last = store.remove("things", second, NOON)

    told = [(each.type, each.object, each.previous) for each in store.history("things").after(1)]

    assert told == [
        ("ADDED", first, None),
        ("MODIFIED", second, first),
        ("DELETED", last, second),
    ]


def test_what_was_before_its_first_revision_is_gone() -> None:
    store = Store(first_revision=100)
    store.insert("things", thing("x"), NOON)

    assert len(store.history("things").after(100)) == 1
    with pytest.raises(ApiError, match=r"too old resource version: 7 \(100\)"):
        store.history("things").after(7)


def test_finds_objects_by_uid_as_long_as_they_exist() -> None:
    store = Store()
    kept = store.insert("things", thing("x"), NOON)

    assert store.find_uid("uid-x") == kept
    store.remove("things", kept, NOON)
    assert store.find_uid("uid-x") is None


def test_shows_objects_as_they_stood_at_a_revision() -> None:
    store = Store()
    first = store.insert("things", thing("x"), NOON)
    store.insert("things", thing("y"), NOON)
    store.replace("things", thing("x", spec=1), NOON)
    store.remove("things", first, NOON)

    assert store.objects_at("things", 2) == {("a", "x"): first}
    assert list(store.objects_at("things", 1)) == []


def test_refuses_to_show_what_is_forgotten() -> None:
    store = Store(history_max=1)
    for name in "abc":
        store.insert("things", thing(name), NOON)

    with pytest.raises(ApiError, match="too old resource version: 2"):
        store.objects_at("things", 2)


def test_calls_listeners_of_the_resource_and_of_everything() -> None:
    store = Store()
    heard: list[str] = []
    store.listen(lambda: heard.append("any"))
    forget = store.listen(lambda: heard.append("things"), "things")

    store.insert("things", thing("x"), NOON)
    store.insert("others", thing("x"), NOON)
    forget()
    store.insert("things", thing("y"), NOON)

    assert heard == ["things", "any", "any", "any"]


def test_refuses_a_commit_that_does_not_fit_what_is_stored() -> None:
    with pytest.raises(LookupError, match="MODIFIED of things"):
        Store().replace("things", thing("x"), NOON)
