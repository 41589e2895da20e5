"""What happened lately to one resource: a bounded list of events, oldest first.

Invariant: `after(revision)` is complete or it raises; there is no silent gap. A watcher holds only
the revision it has seen, so a slow one costs nothing and is told when it has fallen too far behind.
"""

from bisect import bisect_right
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field

from sandbox.errors import ApiError
from sandbox.objects import Object

EventType: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED"]


class WatchEvent(Struct, frozen=True, kw_only=True, eq=False):
    """One commit: the object after it (or at its end), and before it.

    `encoded` is the HTTP face's cache: one event is written out once per form, not per watcher.
    """

    type: EventType
    revision: int
    object: Object
    previous: Object | None = None
    encoded: dict[Any, bytes] = field(default_factory=dict)


class History:
    """The last events of one resource."""

    def __init__(self, *, floor: int, limit: int) -> None:
        self.floor = floor
        self._limit = limit
        self._events: list[WatchEvent] = []

    def append(self, event: WatchEvent) -> None:
        """Remember one more event, and forget the oldest when there are twice too many."""
        self._events.append(event)
        if len(self._events) >= 2 * self._limit:
            self.forget(keep=self._limit)

    def forget(self, *, keep: int) -> None:
        """Drop all but the newest events; whoever needs the others is told that they are gone."""
        surplus = len(self._events) - keep
        if surplus > 0:
            self.floor = self._events[surplus - 1].revision
            del self._events[:surplus]

    def after(self, revision: int) -> list[WatchEvent]:
        """Return the events after a revision; raises `ApiError` (410) if some are forgotten."""
        if revision < self.floor:
            raise ApiError.gone(revision, self.floor)
        if not self._events or self._events[-1].revision <= revision:
            return []
        start = bisect_right(self._events, revision, key=lambda event: event.revision)
        return self._events[start:]
