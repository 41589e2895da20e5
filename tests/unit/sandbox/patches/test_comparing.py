"""What lies between two values of one object."""

from typing import Any

import pytest

from sandbox.patches.comparing import compare
from sandbox.patches.shapes import Shapes

FINALIZERS = ("f:metadata", "f:finalizers")
HEAD = ("f:spec", "f:containers", 'k:{"name":"head"}')


def told(old: Any, new: Any) -> dict[str, set[tuple[str, ...]]]:
    found = compare(old, new, Shapes())
    sorts = {"added": found.added, "removed": found.removed, "modified": found.modified}
    return {sort: fields for sort, fields in sorts.items() if fields}


def test_an_object_counts_itself_only_where_it_comes_or_goes() -> None:
    assert told({}, {"a": {"b": 1}}) == {"added": {("f:a",), ("f:a", "f:b")}}
    assert told({"a": {"b": 1}}, {}) == {"removed": {("f:a",), ("f:a", "f:b")}}
    assert told({"a": {"b": 1}}, {"a": {}}) == {"removed": {("f:a", "f:b")}}


@pytest.mark.parametrize(
    ("old", "new", "sort"),
    [
        ({"a": 1}, {"a": 2}, "modified"),
        ({"a": 1}, {"a": True}, "modified"),
        ({"a": {}}, {"a": None}, "modified"),
        ({"a": {"b": 1}}, {"a": 1}, "modified"),
        ({}, {"a": None}, "added"),
        ({"a": []}, {}, "removed"),
    ],
)
def test_values_that_cannot_be_looked_into_are_one_place(old: Any, new: Any, sort: str) -> None:
    assert told(old, new) == {sort: {("f:a",)}}


def test_a_whole_number_is_the_same_as_a_fraction_and_null_as_nothing_around_items() -> None:
    assert told({"a": 1}, {"a": 1.0}) == {}
    assert told({"spec": {"containers": None}}, {"spec": {"containers": [{"name": "head"}]}}) == {
        "added": {HEAD, (*HEAD, "f:name")}
    }


def test_items_are_compared_by_their_keys_not_their_places() -> None:
    old = {"spec": {"containers": [{"name": "head", "image": "a"}, {"name": "side"}]}}
    new = {"spec": {"containers": [{"name": "side"}, {"name": "head", "image": "b"}]}}

    assert told(old, new) == {"modified": {(*HEAD, "f:image")}}


def test_items_of_one_owner_are_compared_whole() -> None:
    old = {"metadata": {"ownerReferences": [{"uid": "1", "name": "a"}]}}
    new = {"metadata": {"ownerReferences": [{"uid": "1", "name": "b"}, {"uid": "2"}]}}
    owner = ("f:metadata", "f:ownerReferences")

    assert told(old, new) == {
        "modified": {(*owner, 'k:{"uid":"1"}')},
        "added": {(*owner, 'k:{"uid":"2"}')},
    }


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (["x", "x"], ["x", "x"], {}),
        (["x", "x"], ["x", "x", "x"], {"modified": {(*FINALIZERS, 'v:"x"')}}),
        (["x"], ["x", "x"], {sort: {(*FINALIZERS, 'v:"x"')} for sort in ("added", "removed")}),
        (["x", "x"], ["x"], {sort: {(*FINALIZERS, 'v:"x"')} for sort in ("added", "removed")}),
    ],
)
def test_items_that_repeat_have_one_owner_together(old: Any, new: Any, expected: Any) -> None:
    assert told({"metadata": {"finalizers": old}}, {"metadata": {"finalizers": new}}) == expected
