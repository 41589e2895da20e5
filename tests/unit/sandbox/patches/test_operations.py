"""JSON patch: operations in order, all or none, refusals as the API server gives them."""

from typing import Any

import pytest

from sandbox.errors import ApiError
from sandbox.patches.operations import json_patch


def test_applies_operations_in_order() -> None:
    current = {"spec": {"replicas": 1, "names": ["a", "c"]}}

    patched = json_patch(
        current,
        [
            {"op": "test", "path": "/spec/replicas", "value": 1},
            {"op": "replace", "path": "/spec/replicas", "value": 3},
            {"op": "add", "path": "/spec/names/1", "value": "b"},
            {"op": "copy", "from": "/spec/replicas", "path": "/spec/wanted"},
            {"op": "remove", "path": "/spec/names/0"},
        ],
    )

    assert patched == {"spec": {"replicas": 3, "wanted": 3, "names": ["b", "c"]}}
    assert current == {"spec": {"replicas": 1, "names": ["a", "c"]}}


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/a", "value": 2},
        {"op": "test", "path": "/a", "value": True},
        {"op": "remove", "path": "/missing"},
        {"op": "replace", "path": "/no/such", "value": 1},
        {"op": "replace", "path": "/list/0", "value": 1},
        {"op": "add", "path": "/list/01", "value": 1},
        {"op": "add", "path": "/list/9", "value": 1},
        {"op": "add", "path": "/no/such/parent", "value": 1},
    ],
)
def test_a_patch_that_does_not_fit_cannot_be_processed(operation: dict[str, Any]) -> None:
    with pytest.raises(ApiError) as refused:
        json_patch({"a": 1, "list": []}, [operation])

    assert (refused.value.code, refused.value.reason) == (422, "Invalid")


def test_replacing_a_key_that_is_missing_sets_it() -> None:
    patch = [{"op": "replace", "path": "/missing", "value": 1}]

    assert json_patch({"a": 1}, patch) == {"a": 1, "missing": 1}


@pytest.mark.parametrize(
    "patch",
    [
        [{"op": "leap", "path": "/a"}],
        [{"op": "add", "path": "/a"}],
        [{"path": "/a", "value": 1}],
        ["text"],
    ],
)
def test_operations_that_are_none_cannot_be_processed(patch: object) -> None:
    with pytest.raises(ApiError, match="an error in our request") as refused:
        json_patch({"a": 1}, patch)

    assert refused.value.code == 422


@pytest.mark.parametrize(
    "patch", [{"op": "add"}, "text", [{"op": "replace", "path": "", "value": 5}]]
)
def test_what_is_no_json_patch_is_a_bad_request(patch: object) -> None:
    with pytest.raises(ApiError, match="error decoding patch") as refused:
        json_patch({"a": 1}, patch)

    assert refused.value.code == 400
