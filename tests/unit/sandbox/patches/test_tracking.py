"""Who owns what after a write that does not apply."""

from typing import Any

from sandbox.patches.ownership import FieldOwner
from sandbox.patches.shapes import Shapes
from sandbox.patches.tracking import claimed, forgotten, tracked, zero

NOON, LATER = "2030-01-01T12:00:00Z", "2030-01-01T13:00:00Z"


def written(before: Any, after: Any, manager: str | None, at: str = NOON) -> Any:
    owner = None if manager is None else FieldOwner(manager=manager, at=at)
    return tracked(before, after, owner, Shapes())


def owned(obj: Any) -> dict[str, Any]:
    return {row["manager"]: row["fieldsV1"] for row in obj["metadata"].get("managedFields", [])}


def config(**data: str) -> Any:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}


def changed(obj: Any, **data: str) -> Any:
    return {**obj, "data": data}


def test_a_creator_owns_also_the_objects_it_brought_into_being() -> None:
    made = written({}, config(a="1"), "maker")

    assert owned(made) == {"maker": {"f:data": {".": {}, "f:a": {}}}}


def test_what_a_kind_is_born_with_has_no_owner_of_its_own() -> None:
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "a", "image": "i"}]}}

    made = written(zero("pods", "v1"), pod, "maker")

    container: Any = {".": {}, "f:name": {}, "f:image": {}}
    assert owned(made) == {"maker": {"f:spec": {"f:containers": {'k:{"name":"a"}': container}}}}


def test_a_writer_takes_what_it_changes_and_leaves_the_rest() -> None:
    made = written({}, config(a="1", b="1"), "maker")

    after = written(made, changed(made, a="1", b="2"), "editor", LATER)

    assert owned(after) == {
        "maker": {"f:data": {".": {}, "f:a": {}}},
        "editor": {"f:data": {"f:b": {}}},
    }


def test_what_is_gone_has_no_owner_whoever_removed_it() -> None:
    made = written({}, config(a="1", b="1"), "maker")

    assert owned(written(made, changed(made, a="1"), None)) == {
        "maker": {"f:data": {".": {}, "f:a": {}}}
    }
    assert owned(written(made, changed(made, a="1"), "editor", LATER)) == {
        "maker": {"f:data": {".": {}, "f:a": {}}}
    }


def test_a_time_moves_only_with_its_fields() -> None:
    made = written({}, config(a="1"), "maker")

    after = written(made, changed(made, a="1", b="2"), "editor", LATER)

    times = {row["manager"]: row["time"] for row in after["metadata"]["managedFields"]}
    assert times == {"maker": NOON, "editor": LATER}


def test_who_loses_fields_to_another_has_written_nothing() -> None:
    made = written({}, config(a="1", b="1"), "maker")

    taken = written(made, changed(made, a="2", b="1"), "editor", LATER)

    times = {row["manager"]: row["time"] for row in taken["metadata"]["managedFields"]}
    assert times == {"maker": NOON, "editor": LATER}


def test_who_changes_its_own_field_again_has_written() -> None:
    made = written({}, config(a="1"), "maker")

    after = written(made, changed(made, a="2"), "maker", LATER)

    assert [row["time"] for row in after["metadata"]["managedFields"]] == [LATER]


def test_equal_pods_share_one_tree() -> None:
    one = written({}, config(a="1"), "maker")["metadata"]["managedFields"][0]["fieldsV1"]
    two = written({}, config(a="9"), "maker")["metadata"]["managedFields"][0]["fieldsV1"]

    assert one is two


def test_owners_are_forgotten_on_request() -> None:
    assert forgotten({"metadata": {"managedFields": [{}]}})
    assert not forgotten(config())


def test_what_nobody_owns_belongs_to_those_before_the_first_applier() -> None:
    applier = FieldOwner(manager="applier", at=LATER)

    shared = claimed({}, config(a="1"), applier, Shapes())

    assert owned(shared) == {"before-first-apply": {"f:data": {".": {}, "f:a": {}}}}
    assert claimed({}, shared, applier, Shapes()) is shared
