"""JSON merge patch: the cases of RFC 7396 and the laws that make retries safe."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.errors import ApiError
from sandbox.patches.merge import merge_patch

scalars = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["a", "b"])
names = st.sampled_from(["a", "b", "c"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(names, values, max_size=3)


@pytest.mark.parametrize(
    ("current", "patch", "merged"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({"a": "foo"}, {"a": {"b": {"c": None}}}, {"a": {"b": {}}}),
    ],
)
def test_merges_as_the_standard_shows(
    current: dict[str, Any], patch: dict[str, Any], merged: dict[str, Any]
) -> None:
    assert merge_patch(current, patch) == merged


@given(current=objects, patch=objects)
def test_a_patch_applied_twice_is_a_patch_applied_once(
    current: dict[str, Any], patch: dict[str, Any]
) -> None:
    once = merge_patch(current, patch)

    assert merge_patch(once, patch) == once


@given(current=objects)
def test_an_empty_patch_changes_nothing(current: dict[str, Any]) -> None:
    assert merge_patch(current, {}) == current


@given(current=objects, patch=objects)
def test_the_result_shares_nothing_with_what_it_was_made_from(
    current: dict[str, Any], patch: dict[str, Any]
) -> None:
    kept, kept_patch = repr(current), repr(patch)

    _scribble(merge_patch(current, patch))

    assert (repr(current), repr(patch)) == (kept, kept_patch)


@given(current=objects, patch=objects)
def test_keys_the_patch_does_not_name_stay(current: dict[str, Any], patch: dict[str, Any]) -> None:
    merged = merge_patch(current, patch)

    assert {k: merged[k] for k in current.keys() - patch.keys()} == {
        k: current[k] for k in current.keys() - patch.keys()
    }


def test_a_patch_that_is_no_object_is_a_bad_request() -> None:
    with pytest.raises(ApiError, match="cannot unmarshal array into Go value") as refused:
        merge_patch({}, ["a"])

    assert refused.value.code == 400


def _scribble(value: object) -> None:
    if isinstance(value, dict):
        for inner in list(value.values()):
            _scribble(inner)
        value["scribbled"] = True
    elif isinstance(value, list):
        for inner in value:
            _scribble(inner)
        value.append("scribbled")
