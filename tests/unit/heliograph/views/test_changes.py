"""Two values compared, field by field."""

import pytest

from heliograph.views.changes import changes, words_of


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, ["a: 1 -> 2"]),
        ({}, {"a": True}, ["a: none -> True"]),
        ({"a": {"b": 1}}, {"a": {}}, ["a.b: 1 -> none"]),
        ({"a": 1}, {"a": {"b": 1}}, ["a changed"]),
        ({}, {"a": {"b": 1}}, ["a added"]),
        ({"a": [1, 2]}, {"a": [1, 3]}, ["a[1]: 2 -> 3"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a[1]: none -> 2"]),
        ({"a": "x\ny"}, {"a": "x\nz"}, ["a changed"]),
    ],
)
def test_what_differs_is_told_by_its_path(old: object, new: object, told: list[str]) -> None:
    assert [words_of(one) for one in changes(old, new)] == told


def test_entries_with_names_are_told_by_their_names() -> None:
    old = {"groups": [{"groupName": "a", "n": 1}, {"groupName": "b", "n": 1}]}
    new = {"groups": [{"groupName": "b", "n": 2}]}

    assert sorted(words_of(one) for one in changes(old, new)) == [
        "groups[a] removed",
        "groups[b].n: 1 -> 2",
    ]
