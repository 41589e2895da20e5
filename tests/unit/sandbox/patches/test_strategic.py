"""Strategic merge patch: lists that merge by key, and the directives."""

from typing import Any

import pytest

from sandbox.errors import ApiError
from sandbox.patches.shapes import Shapes
from sandbox.patches.strategic import strategic_merge_patch


def merged(current: dict[str, Any], patch: object) -> dict[str, Any]:
    return strategic_merge_patch(current, patch, Shapes())


def pod(*containers: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {"spec": {"containers": list(containers), **spec}}


def test_containers_merge_by_name_and_new_ones_follow_the_order_of_the_patch() -> None:
    current = pod({"name": "a", "image": "x:1", "tty": True}, {"name": "b"})

    patch = pod({"name": "a", "image": "x:2"}, {"name": "c"})

    assert merged(current, patch) == pod(
        {"name": "a", "image": "x:2", "tty": True}, {"name": "c"}, {"name": "b"}
    )


@pytest.mark.parametrize(
    ("field", "key"),
    [
        ("env", "name"),
        ("volumeMounts", "mountPath"),
        ("ports", "containerPort"),
        ("volumeDevices", "devicePath"),
    ],
)
def test_lists_within_a_container_merge_by_their_own_key(field: str, key: str) -> None:
    current = pod({"name": "a", field: [{key: 1, "v": 1}, {key: 2, "v": 1}]})

    patch = pod({"name": "a", field: [{key: 2, "v": 2}]})

    assert merged(current, patch) == pod({"name": "a", field: [{key: 1, "v": 1}, {key: 2, "v": 2}]})


def test_ports_of_a_service_merge_by_port() -> None:
    current = {"spec": {"ports": [{"port": 80, "name": "web"}, {"port": 443, "name": "tls"}]}}

    patch = {"spec": {"ports": [{"port": 80, "name": "http"}]}}

    assert merged(current, patch) == {
        "spec": {"ports": [{"port": 80, "name": "http"}, {"port": 443, "name": "tls"}]}
    }


def test_conditions_merge_by_type_and_owners_by_uid() -> None:
    current = {
        "metadata": {"ownerReferences": [{"uid": "1", "name": "a"}]},
        "status": {"conditions": [{"type": "Ready", "status": "False"}]},
    }
    patch = {
        "metadata": {"ownerReferences": [{"uid": "2", "name": "b"}]},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }

    assert merged(current, patch) == {
        "metadata": {"ownerReferences": [{"uid": "2", "name": "b"}, {"uid": "1", "name": "a"}]},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }


def test_finalizers_are_a_set() -> None:
    current = {"metadata": {"finalizers": ["a", "b"]}}

    assert merged(current, {"metadata": {"finalizers": ["b", "c"]}}) == {
        "metadata": {"finalizers": ["a", "b", "c"]}
    }


def test_lists_without_a_key_replace_each_other() -> None:
    current = pod({"name": "a", "args": ["x"]}, tolerations=[{"key": "old"}])

    patch = pod({"name": "a", "args": ["y"]}, tolerations=[{"key": "new"}])

    assert merged(current, patch) == patch


def test_null_removes_a_field_and_creates_none() -> None:
    current = {"spec": {"a": 1, "b": 2}}

    assert merged(current, {"spec": {"a": None, "new": {"c": None}}}) == {
        "spec": {"b": 2, "new": {}}
    }


def test_an_item_is_deleted_by_its_key() -> None:
    current = pod({"name": "a"}, {"name": "b"})

    assert merged(current, pod({"name": "a", "$patch": "delete"})) == pod({"name": "b"})


def test_a_list_is_replaced_when_told_so() -> None:
    current = pod({"name": "a"}, {"name": "b"})

    assert merged(current, pod({"name": "c"}, {"$patch": "replace"})) == pod({"name": "c"})


def test_an_object_is_replaced_or_emptied_when_told_so() -> None:
    current = {"spec": {"a": 1, "b": 2}}

    assert merged(current, {"spec": {"$patch": "replace", "c": 3}}) == {"spec": {"c": 3}}
    assert merged(current, {"spec": {"$patch": "delete"}}) == {"spec": {}}


def test_values_are_taken_out_of_a_primitive_list() -> None:
    current = {"metadata": {"finalizers": ["a", "b", "c"]}}

    assert merged(current, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["b"]}}) == {
        "metadata": {"finalizers": ["a", "c"]}
    }


def test_only_retained_keys_survive() -> None:
    current = {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}}

    patch = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}

    assert merged(current, patch) == {"spec": {"strategy": {"type": "Recreate"}}}


def test_items_take_the_order_they_are_given() -> None:
    current = pod({"name": "a"}, {"name": "server-only"}, {"name": "b"})
    patch = pod({"name": "c"})
    patch["spec"]["$setElementOrder/containers"] = [{"name": "c"}, {"name": "b"}, {"name": "a"}]

    assert merged(current, patch) == pod(
        {"name": "c"}, {"name": "server-only"}, {"name": "b"}, {"name": "a"}
    )


def test_primitive_lists_take_an_order_too() -> None:
    current = {"metadata": {"finalizers": ["a", "b"]}}
    patch = {"metadata": {"$setElementOrder/finalizers": ["b", "a"]}}

    assert merged(current, patch) == {"metadata": {"finalizers": ["b", "a"]}}


@pytest.mark.parametrize(
    "patch",
    [
        ["not an object"],
        {"$patch": "explode"},
        pod({"image": "no name"}),
        {"spec": {"$retainKeys": "a"}},
        {"metadata": {"$deleteFromPrimitiveList/finalizers": "a"}},
        {"metadata": {"$setElementOrder/finalizers": "a"}},
        {"metadata": {"ownerReferences": ["not an object"]}},
    ],
)
def test_malformed_patches_are_bad_requests(patch: object) -> None:
    with pytest.raises(ApiError) as refused:
        merged({"metadata": {"finalizers": ["a"]}, "spec": {"containers": []}}, patch)

    assert refused.value.code == 400


def test_what_it_was_made_from_stays_as_it_was() -> None:
    current = pod({"name": "a", "env": [{"name": "X", "value": "1"}]})

    merged(current, pod({"name": "a", "env": [{"name": "X", "value": "2"}]}))

    assert current == pod({"name": "a", "env": [{"name": "X", "value": "1"}]})
