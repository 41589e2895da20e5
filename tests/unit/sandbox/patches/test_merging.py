"""Laying one object over another, and taking fields out of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from sandbox.patches.merging import laid_over, taken_out
from sandbox.patches.shapes import Shapes

letters = some.lists(some.sampled_from("abcdef"), unique=True, max_size=6)


def merged(live: Any, applied: Any) -> Any:
    return laid_over(live, applied, (), Shapes())


def finalizers(*names: str) -> dict[str, Any]:
    return {"metadata": {"finalizers": list(names)}}


def test_lays_objects_over_each_other_and_keeps_what_is_not_spoken_of() -> None:
    live = {"spec": {"a": 1, "b": {"c": 2}, "selector": {"x": "1"}}}
    applied = {"spec": {"b": {"d": 3}, "selector": {"y": "2"}}}

    assert merged(live, applied) == {
        "spec": {"a": 1, "b": {"c": 2, "d": 3}, "selector": {"y": "2"}}
    }


@pytest.mark.parametrize(
    ("live", "applied", "left"),
    [
        ({"b": 1}, None, {"b": 1}),
        ({}, None, None),
        (None, {}, {}),
        (1, None, None),
        ({"b": 1}, 2, 2),
        ([1, 2], [3], [3]),
    ],
)
def test_null_never_wins_over_something_but_over_a_value(
    live: Any, applied: Any, left: Any
) -> None:
    assert merged({"a": live}, {"a": applied}) == {"a": left}


@pytest.mark.parametrize(
    ("live", "applied", "order"),
    [
        ("ab", "ba", "ba"),
        ("axb", "ba", "xba"),
        ("ab", "acb", "acb"),
        ("xy", "ab", "xyab"),
        ("bx", "ca", "bxca"),
        ("bxa", "abc", "xabc"),
        ("", "ab", "ab"),
    ],
)
def test_items_come_in_the_order_that_is_applied(live: str, applied: str, order: str) -> None:
    assert merged(finalizers(*live), finalizers(*applied)) == finalizers(*order)


@given(letters, letters)
def test_no_item_is_lost_doubled_or_out_of_the_applied_order(
    live: list[str], applied: list[str]
) -> None:
    items = merged(finalizers(*live), finalizers(*applied))["metadata"]["finalizers"]

    assert sorted(items) == sorted({*live, *applied})
    assert [item for item in items if item in applied] == applied
    assert [item for item in items if item not in applied] == [
        item for item in live if item not in applied
    ]


def test_keyed_items_merge_and_those_of_one_owner_do_not() -> None:
    live = {
        "spec": {"containers": [{"name": "a", "image": "x"}], "secrets": [{"name": "s", "k": 1}]}
    }
    applied = {"spec": {"containers": [{"name": "a", "tty": True}], "secrets": [{"name": "s"}]}}

    assert merged(live, applied)["spec"] == {
        "containers": [{"name": "a", "image": "x", "tty": True}],
        "secrets": [{"name": "s"}],
    }


def test_taking_out_leaves_a_null_where_everything_went() -> None:
    obj = {"spec": {"a": 1, "limits": {"x": 1}, "containers": [{"name": "c"}, {"name": "d"}]}}
    item = ("f:spec", "f:containers", 'k:{"name":"c"}')

    left = taken_out(obj, frozenset((("f:spec", "f:limits", "f:x"), item)), Shapes())

    assert left == {"spec": {"a": 1, "limits": None, "containers": [{"name": "d"}]}}
    assert taken_out(obj, frozenset((("f:spec",),)), Shapes()) == {}
