"""Watches: what happened to a selection of objects since a revision.

A subscription holds a revision and nothing else; what it has not read yet is in the shared history.
Invariant: between two polls no event of the selection is skipped; one that fell out of the history
ends the subscription with 410. An object that leaves the selection is told as deleted.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from sandbox.errors import ApiError
from sandbox.history import EventType, WatchEvent
from sandbox.kinds import Kind
from sandbox.objects import Object, metadata, namespace_of, with_metadata
from sandbox.reading import asked_revision, selector, unreadable
from sandbox.requests import Request, Selection
from sandbox.state import State


class Seen(Struct, frozen=True, kw_only=True, eq=False):
    """One event as this subscription sees it; `source` is the commit behind it, if any."""

    type: EventType
    object: Object
    source: WatchEvent | None = None


class Subscription:
    """News about one selection of objects, polled."""

    def __init__(self, state: State, request: Request) -> None:
        self.kind: Kind = state.registry.find(request.resource)
        self._state = state
        self._namespace = request.namespace
        self._selected = selector(self.kind, request.selection)
        self._forget: list[Callable[[], None]] = []
        self.initial: tuple[Seen, ...] = ()
        self.revision = self._start(request.selection)

    def poll(self) -> list[Seen]:
        """Return what happened since the last poll; raises `ApiError` (410) if forgotten."""
        events = self._state.store.history(self.kind.resource).after(self.revision)
        self.revision = self._state.store.revision
        return [seen for event in events for seen in self._seen(event)]

    def on_news(self, callback: Callable[[], None]) -> None:
        """Call back after every commit that could concern this subscription."""
        self._forget.append(self._state.store.listen(callback, self.kind.resource))

    def close(self) -> None:
        """Call back no more."""
        for forget in self._forget:
            forget()
        self._forget.clear()

    def _start(self, selection: Selection) -> int:
        store = self._state.store
        if selection.revision in {"", "0"}:
            self.initial = tuple(self.present())
            return store.revision
        if not selection.revision.isdigit():
            raise ApiError(500, "", unreadable(selection.revision))
        revision = asked_revision(self._state, selection.revision)
        store.history(self.kind.resource).after(revision)
        return revision

    def present(self) -> Iterator[Seen]:
        """Yield what is there now, as if it had just been added, in the order of names."""
        held = self._state.store.objects(self.kind.resource)
        ordered = sorted(held, key=lambda obj: (namespace_of(obj), metadata(obj)["name"]))
        for obj in ordered:
            if self._concerned(obj):
                yield Seen(type="ADDED", object=obj)

    def _seen(self, event: WatchEvent) -> Iterator[Seen]:
        now = self._concerned(event.object)
        before = event.previous is not None and self._concerned(event.previous)
        if event.type == "DELETED":
            if before:
                yield Seen(type="DELETED", object=event.object, source=event)
        elif now:
            yield Seen(type="MODIFIED" if before else "ADDED", object=event.object, source=event)
        elif before and event.previous is not None:
            last = with_metadata(event.previous, resourceVersion=str(event.revision))
            yield Seen(type="DELETED", object=last)

    def _concerned(self, obj: Object) -> bool:
        here = not self._namespace or namespace_of(obj) == self._namespace
        return here and self._selected(obj)
