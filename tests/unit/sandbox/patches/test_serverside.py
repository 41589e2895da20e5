"""Server-side apply: ownership, conflicts, force, and fields that are no longer applied."""

from typing import Any

import pytest
from msgspec.structs import replace

from sandbox.errors import ApiError
from sandbox.patches.ownership import FieldOwner
from sandbox.patches.serverside import server_side_apply
from sandbox.patches.shapes import Shapes
from sandbox.patches.tracking import tracked
from sandbox.schemas.builtin import ANYTHING
from sandbox.schemas.nodes import Node
from sandbox.schemas.structural import compile_schema

FIELDS = ("replicas", "containers", "ports", "a", "b", "c", "limits", "mine", "theirs", "other")
SPEC = Node(properties={**dict.fromkeys(FIELDS, ANYTHING), "b": Node(properties={"c": ANYTHING})})
ITEMS = Node(items=Node(properties=dict.fromkeys(("name", "image", "port", "protocol"), ANYTHING)))
SPEC = replace(SPEC, properties={**SPEC.properties, "containers": ITEMS, "ports": ITEMS})
PODS = Shapes(builtin=Node(properties={"spec": SPEC, "metadata": ANYTHING}))
NOON = "2026-01-01T12:00:00Z"
LATER = "2026-01-01T13:00:00Z"


def config(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


def applied(
    current: dict[str, Any],
    wanted: dict[str, Any],
    manager: str = "alice",
    *,
    at: str = NOON,
    force: bool = False,
) -> dict[str, Any]:
    owner = FieldOwner(manager=manager, at=at, force=force)
    return server_side_apply(current, wanted, owner, PODS)


def updated(
    before: dict[str, Any], after: dict[str, Any], manager: str = "editor"
) -> dict[str, Any]:
    return tracked(before, after, FieldOwner(manager=manager, at=LATER), PODS)


def owned(obj: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{item['manager']}/{item['operation']}": item["fieldsV1"]
        for item in obj["metadata"].get("managedFields", [])
    }


def test_creates_what_does_not_exist_and_notes_who_owns_it() -> None:
    assert applied({}, config(replicas=1)) == {
        **config(replicas=1),
        "metadata": {
            "name": "p",
            "managedFields": [
                {
                    "manager": "alice",
                    "operation": "Apply",
                    "apiVersion": "v1",
                    "time": NOON,
                    "fieldsType": "FieldsV1",
                    "fieldsV1": {"f:spec": {"f:replicas": {}}},
                }
            ],
        },
    }


def test_applying_the_same_again_changes_nothing_not_even_the_time() -> None:
    once = applied({}, config(replicas=1, containers=[{"name": "a", "image": "x"}]))

    again = applied(once, config(replicas=1, containers=[{"name": "a", "image": "x"}]), at=LATER)

    assert again == once


def test_leaves_alone_what_others_set() -> None:
    current = updated(config(), config(theirs=1))

    assert applied(current, config(mine=2))["spec"] == {"theirs": 1, "mine": 2}


def test_removes_what_is_no_longer_applied() -> None:
    first = applied({}, config(a=1, b={"c": 2}, containers=[{"name": "x"}, {"name": "y"}]))

    second = applied(first, config(a=1, containers=[{"name": "y"}]))

    assert second["spec"] == {"a": 1, "containers": [{"name": "y"}]}
    assert owned(second) == {
        "alice/Apply": {
            "f:spec": {
                "f:a": {},
                "f:containers": {'k:{"name":"y"}': {".": {}, "f:name": {}}},
            }
        }
    }


def test_keeps_what_is_no_longer_applied_but_owned_by_another_too() -> None:
    shared = applied(applied({}, config(a=1, b=2)), config(a=1), "bob")

    left = applied(shared, config(b=2))

    assert left["spec"] == {"a": 1, "b": 2}
    assert owned(left) == {
        "alice/Apply": {"f:spec": {"f:b": {}}},
        "bob/Apply": {"f:spec": {"f:a": {}}},
    }


def test_takes_a_finalizer_back_from_the_set() -> None:
    mine = {"metadata": {"name": "p", "finalizers": ["mine"]}}
    current = updated({}, {"metadata": {"name": "p", "finalizers": ["theirs"]}})
    both = applied(current, mine)

    after = applied(both, {"metadata": {"name": "p"}})

    assert both["metadata"]["finalizers"] == ["theirs", "mine"]
    assert after["metadata"]["finalizers"] == ["theirs"]


def test_changing_a_field_of_another_conflicts() -> None:
    current = applied({}, config(replicas=1))

    with pytest.raises(ApiError) as refused:
        applied(current, config(replicas=2), "bob")

    assert refused.value.status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'Apply failed with 1 conflict: conflict with "alice": .spec.replicas',
        "reason": "Conflict",
        "details": {
            "causes": [
                {
                    "reason": "FieldManagerConflict",
                    "message": 'conflict with "alice"',
                    "field": ".spec.replicas",
                }
            ]
        },
        "code": 409,
    }


def test_names_all_conflicts_by_manager() -> None:
    current = updated(applied({}, config(a=1, b=1)), config(a=1, b=1, c=1))

    with pytest.raises(ApiError) as refused:
        applied(current, config(a=2, b=2, c=2), "bob")

    assert str(refused.value) == (
        'Apply failed with 3 conflicts: conflicts with "alice":\n- .spec.a\n- .spec.b\n'
        'conflicts with "editor" using v1:\n- .spec.c'
    )


def test_force_takes_the_field_over() -> None:
    current = applied({}, config(replicas=1, other=1))

    taken = applied(current, config(replicas=2), "bob", force=True)

    assert taken["spec"] == {"replicas": 2, "other": 1}
    assert owned(taken) == {
        "alice/Apply": {"f:spec": {"f:other": {}}},
        "bob/Apply": {"f:spec": {"f:replicas": {}}},
    }


def test_equal_values_are_shared_without_conflict() -> None:
    shared = applied(applied({}, config(replicas=1)), config(replicas=1), "bob")

    assert owned(shared) == {
        "alice/Apply": {"f:spec": {"f:replicas": {}}},
        "bob/Apply": {"f:spec": {"f:replicas": {}}},
    }


def test_items_merge_by_all_their_keys() -> None:
    tcp, udp = {"port": 53, "name": "a"}, {"port": 53, "protocol": "UDP", "name": "b"}
    current = applied({}, config(ports=[tcp, udp]))

    after = applied(current, config(ports=[tcp, {**udp, "name": "c"}]))

    assert after["spec"]["ports"] == [tcp, {**udp, "name": "c"}]


def test_lists_of_custom_resources_merge_as_their_schema_says() -> None:
    item = {"type": "object", "properties": {"id": {"type": "string"}, "v": {"type": "integer"}}}
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"]}
    spec = {
        "groups": {"type": "array", "items": item, **keyed},
        "containers": {"type": "array", "items": item},
    }
    schema = compile_schema({"properties": {"spec": {"type": "object", "properties": spec}}})

    def put(current: dict[str, Any], manager: str, name: str) -> dict[str, Any]:
        owner = FieldOwner(manager=manager, at=NOON, force=True)
        wanted = config(groups=[{"id": name, "v": 1}], containers=[{"id": name}])
        return server_side_apply(current, wanted, owner, Shapes(schema))

    assert put(put({}, "alice", "a"), "bob", "b")["spec"] == {
        "groups": [{"id": "a", "v": 1}, {"id": "b", "v": 1}],
        "containers": [{"id": "b"}],
    }


def test_an_update_takes_the_fields_it_changed() -> None:
    before = applied({}, config(a=1, b=1, c=1))
    after = {**before, "spec": {"a": 1, "b": 2}}

    assert owned(updated(before, after)) == {
        "alice/Apply": {"f:spec": {"f:a": {}}},
        "editor/Update": {"f:spec": {"f:b": {}}},
    }


def test_an_update_that_changes_nothing_leaves_no_trace() -> None:
    before = applied({}, config(a=1))

    assert updated(before, before) == before


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (["a list"], "must be a mapping"),
        ({"metadata": {"managedFields": [{"manager": "x"}]}}, "managedFields must be nil"),
        (config(containers=[{"image": "x"}]), r'element 0: .* omits all key fields \["name"\]'),
        (config(containers=["x"]), r'omits all key fields \["name"\]'),
    ],
)
def test_refuses_what_cannot_be_applied(wanted: Any, told: str) -> None:
    with pytest.raises(ApiError, match=told) as refused:
        applied({}, wanted)

    assert refused.value.code == (500 if "omits" in told else 400)


def test_fills_an_object_that_it_left_empty() -> None:
    empty = applied({}, config())

    assert applied(empty, config(replicas=2), at=LATER)["spec"] == {"replicas": 2}


def test_an_object_stays_while_somebody_owns_a_part_of_it() -> None:
    empty = applied({}, config(limits={}))
    shared = updated(empty, {**empty, "spec": {"limits": {"a": 1}}})

    assert applied(shared, config())["spec"] == {"limits": {"a": 1}}


def test_what_it_was_made_from_stays_as_it_was() -> None:
    current = applied({}, config(containers=[{"name": "a", "image": "x"}]))
    kept = repr(current)

    applied(current, config(containers=[{"name": "a", "image": "y"}]))

    assert repr(current) == kept
