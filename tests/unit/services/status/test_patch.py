"""Merge patches: applied, they give the new status; empty if and only if nothing differs."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.patches.merge import merge_patch as merged
from services.status.patch import described, difference, merge_patch
from tests.support.builders import Raw

SCALARS = st.one_of(st.text(max_size=3), st.integers(-3, 3), st.booleans())
KEYS = st.sampled_from("abcd")
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
STATUSES = st.dictionaries(KEYS, VALUES, max_size=4)


@given(STATUSES, STATUSES)
def test_applied_it_gives_the_new_status(old: Raw, new: Raw) -> None:
    assert merged(old, merge_patch(old, new)) == new


@given(STATUSES, STATUSES)
def test_is_empty_only_if_nothing_differs(old: Raw, new: Raw) -> None:
    assert (merge_patch(old, new) == {}) == (old == new)


@given(STATUSES, STATUSES)
def test_holds_nothing_that_is_so_already(old: Raw, new: Raw) -> None:
    patch = merge_patch(old, new)

    assert merge_patch(old, merged(old, patch)) == patch


@pytest.mark.parametrize(
    ("old", "new", "patch"),
    [
        ({"a": 1}, {"a": 2}, {"a": 2}),
        ({"a": 1}, {}, {"a": None}),
        ({}, {"a": {}}, {"a": {}}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, {"a": {"c": None}}),
        ({"a": {"b": 1}}, {"a": 1}, {"a": 1}),
        ({"a": [1, 2]}, {"a": [1]}, {"a": [1]}),
    ],
)
def test_is_the_smallest_change(old: Raw, new: Raw, patch: Raw) -> None:
    assert merge_patch(old, new) == patch


def test_the_time_of_the_last_write_is_no_difference() -> None:
    """Checklist 103."""
    assert difference({"lastUpdateTime": "then", "a": 1}, {"a": 1}) == {}
    assert difference({"a": 1}, {"lastUpdateTime": "now", "a": 2}) == {"a": 2}


def fit(status: str, reason: str) -> dict[str, Any]:
    return {"type": "Fit", "status": status, "reason": reason, "message": "ignored"}


@pytest.mark.parametrize(
    ("old", "patch", "lines"),
    [
        ({"state": "ready"}, {"state": "suspended"}, ("state: ready -> suspended",)),
        ({}, {"state": "ready"}, ("state: ready",)),
        ({}, {"desiredWorkerReplicas": 3, "desiredCPU": "4"}, ("desiredWorkerReplicas: 3",)),
        ({"head": {}}, {"head": {"podIP": "1"}, "endpoints": {}}, ()),
        ({}, {"other": {}}, ("other changed",)),
        (
            {"conditions": [fit("False", "No")]},
            {"conditions": [fit("True", "Yes")]},
            ("Fit is True (Yes)",),
        ),
        ({}, {"conditions": [fit("True", "Yes")]}, ("Fit is True (Yes)",)),
        ({}, {"conditions": [fit("False", "No")]}, ()),
        (
            {"conditions": [fit("True", "Yes")]},
            {"conditions": []},
            ("Fit is no longer told",),
        ),
        ({"conditions": [fit("True", "Yes")]}, {"conditions": [fit("True", "Yes")]}, ()),
    ],
)
def test_says_what_changes_in_words(old: Raw, patch: Raw, lines: tuple[str, ...]) -> None:
    assert described(old, patch) == lines


def test_something_that_goes_is_told_as_gone() -> None:
    assert described({"reason": "x"}, {"reason": None}) == ("reason: x -> none",)


@pytest.mark.parametrize(
    ("patch", "lines"),
    [
        (
            {"activeServiceStatus": {"rayClusterName": "shop-a", "targetCapacity": 50}},
            ("active cluster: shop-a", "active capacity: 50 percent"),
        ),
        (
            {"pendingServiceStatus": {"rayClusterName": "", "trafficRoutedPercent": 0}},
            ("pending cluster: none", "pending traffic: 0 percent"),
        ),
        ({"pendingServiceStatus": None}, ("no pending cluster",)),
        (
            {
                "activeServiceStatus": {
                    "applicationStatuses": {"stand": {"status": "RUNNING"}, "market": None, "x": {}}
                }
            },
            ("stand is RUNNING", "market is gone"),
        ),
        ({"activeServiceStatus": {"applicationStatuses": None, "rayClusterStatus": {}}}, ()),
    ],
)
def test_says_which_clusters_a_service_has_and_how_its_applications_are(
    patch: Raw, lines: tuple[str, ...]
) -> None:
    assert described({}, patch) == lines
