"""The history of one resource: complete from a revision on, or refused."""

import pytest

from sandbox.errors import ApiError
from sandbox.history import History, WatchEvent


def event(revision: int) -> WatchEvent:
    return WatchEvent(type="ADDED", revision=revision, object={})


def revisions(history: History, after: int) -> list[int]:
    return [each.revision for each in history.after(after)]


def test_returns_what_came_after_a_revision() -> None:
    history = History(floor=1, limit=10)
    for revision in (3, 5, 9):
        history.append(event(revision))

    assert [revisions(history, after) for after in (1, 3, 4, 9)] == [[3, 5, 9], [5, 9], [5, 9], []]


def test_forgets_the_oldest_and_says_so() -> None:
    history = History(floor=1, limit=2)
    for revision in (2, 3, 4, 5):
        history.append(event(revision))

    assert revisions(history, 3) == [4, 5]
    with pytest.raises(ApiError) as refused:
        history.after(2)
    assert (refused.value.code, refused.value.reason) == (410, "Expired")
    assert str(refused.value) == "too old resource version: 2 (3)"
