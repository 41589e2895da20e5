"""A history that is looked at again and again, and told in several ways from one point on.

Models tell many stories: the records that count are kept by subject, the view is folded once for
each record, and `branch` copies a story so that either copy goes on by itself.
"""

import copy
from dataclasses import dataclass
from itertools import count
from typing import Self, TypeVar

from shared.aggregates.view import View, view
from shared.events.envelope import Body, Record
from shared.kernel.keys import ResourceKey
from tests.support.builders import KEY, UID
from tests.support.history import History


class Living:
    """Something in the world that changes in place; every branch has its own."""

    def branched(self) -> Self:
        """Return one that is the same and goes on by itself."""
        other = copy.copy(self)
        other.__dict__ = {key: _copied(value) for key, value in self.__dict__.items()}
        return other


@dataclass
class Numbers(Living):
    """Rising numbers."""

    following: int

    def __next__(self) -> int:
        self.following += 1
        return self.following - 1


class FoldedHistory(History):
    """Records of one resource, with the last of each subject at hand."""

    def __init__(self, key: ResourceKey = KEY, uid: str = UID) -> None:
        super().__init__(key, uid)
        self.latest: dict[str, Record] = {}
        self._folded: View | None = None

    def append(self, subject: str, body: Body) -> Record:
        record = super().append(subject, body)
        self.latest[subject] = record
        self._folded = None
        return record

    def view(self) -> View:
        if self._folded is None:
            self._folded = view(self.key, self.latest.values())
        return self._folded


Told = TypeVar("Told", bound=FoldedHistory)


def branch(story: Told) -> Told:
    """Return the same story, to be told otherwise from here on.

    Containers are copied, and whatever lives; all else is a value that nobody changes.
    """
    other = copy.copy(story)
    other.__dict__ = {key: _copied(value) for key, value in story.__dict__.items()}
    other.__dict__["_sequences"] = count(len(story.records) + 1)
    return other


def _copied(value: object) -> object:
    if isinstance(value, Living):
        return value.branched()
    if isinstance(value, dict) and isinstance(next(iter(value.values()), None), Living):
        return {key: one.branched() for key, one in value.items()}
    return value.copy() if isinstance(value, list | dict | set) else value
