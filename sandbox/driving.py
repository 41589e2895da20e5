"""Drives the controllers: shows them the world, and applies what they ask for.

Changes meet the same conflicts as requests do. One that is refused (the object has
moved on, or is gone) is dropped; the controllers see the new world in the next round and ask again.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import assert_never

from sandbox.controllers.driver import Driver
from sandbox.controllers.index import PODS
from sandbox.controllers.scenario import Scenario
from sandbox.controllers.world import (
    Change,
    CreateObject,
    PutObject,
    PutStatus,
    RemoveObject,
    Steps,
)
from sandbox.dashboard.fleet import Fleet
from sandbox.dashboard.submitters import Submitters
from sandbox.deletion import released
from sandbox.errors import ApiError
from sandbox.lifecycle import Part, changed
from sandbox.objects import Object, name_of, namespace_of
from sandbox.removing import delete
from sandbox.requests import Deletion, Request
from sandbox.retiring import retire
from sandbox.state import State, as_stored
from sandbox.writing import create

ROUNDS_MAX = 100


class StoredWorld:
    """The state as controllers may see it: read only, under resource keys."""

    def __init__(self, state: State) -> None:
        self._state = state

    def objects(self, plural: str) -> Iterable[Object]:
        """Return all objects of one resource; none if it is not served."""
        try:
            resource = self._state.registry.find(plural).resource
        except ApiError:
            return ()
        return tuple(self._state.store.objects(resource))

    def all_objects(self) -> Iterator[tuple[str, Object]]:
        """Yield every object with the key of its resource."""
        for resource in self._state.store.resources():
            for obj in tuple(self._state.store.objects(resource)):
                yield resource, obj

    def find_uid(self, uid: str) -> Object | None:
        """Return the object with this uid, if it still exists."""
        return self._state.store.find_uid(uid)


class Controllers:
    """The controllers of one cluster; they look at what has changed since they last looked."""

    def __init__(self, state: State) -> None:
        self.driver = Driver(self._submit)
        self.fleet = Fleet(self.driver.index, self.driver.look_at)
        self._submitters = Submitters(self.fleet)
        self.scripted = True
        """Whether pods and what they submit are played; not where they really run."""
        self._state = state
        self._world = StoredWorld(state)
        self._revision = 0

    def settle(self, scenario: Scenario) -> datetime | None:
        """Run until they are quiet; return when they have more to do."""
        self._read()
        self.driver.begin()
        for _ in range(ROUNDS_MAX):
            before = self._state.store.revision
            for wish in self.driver.wishes(self._state.clock(), scenario):
                if not _attempt(self._state, wish.change):
                    self.driver.refuse(wish.task)
            for change in retire(self._world):
                _attempt(self._state, change)
            self._read()
            if self._state.store.revision == before:
                return self.driver.next_at
        return self._state.clock()

    def _submit(self, pod: Object, now: datetime, scenario: Scenario) -> Steps:
        return self._submitters.look(pod, now, scenario) if self.scripted else Steps()

    def _read(self) -> None:
        """Take in what happened since the last time; all there is if that is forgotten."""
        store = self._state.store
        if store.revision == self._revision:
            return
        try:
            for resource in store.kept():
                for event in store.history(resource).after(self._revision):
                    gone = event.type == "DELETED"
                    after = None if gone else event.object
                    self.driver.note(resource, after, event.previous)
                    if resource == PODS:
                        self.fleet.noted(event.object, gone=gone)
        except ApiError:
            self.driver.note_all(self._world.all_objects())
        self._revision = store.revision


def _attempt(state: State, change: Change) -> bool:
    """Carry a change out; tell whether it was taken."""
    try:
        _apply(state, change)
    except ApiError as refused:
        if refused.code >= 500:  # noqa: PLR2004 - from here on it is the server's own fault
            raise
        return False
    return True


def _apply(state: State, change: Change) -> None:
    match change:
        case CreateObject(plural=plural, object=obj):
            create(
                state,
                Request(verb="create", resource=plural, namespace=namespace_of(obj), body=obj),
            )
        case PutObject(plural=plural, object=obj):
            _put(state, plural, obj, "whole")
        case PutStatus(plural=plural, object=obj):
            _put(state, plural, obj, "status")
        case RemoveObject():
            delete(state, _removal(change))
        case _:
            assert_never(change)


def _put(state: State, plural: str, obj: Object, part: Part) -> None:
    """Replace the status, or all of an object at once, as a client cannot.

    What controllers write is taken as it is, neither pruned nor checked: so the parts that they
    leave alone stay the same in memory from one value of an object to the next.
    """
    kind = state.registry.find(plural)
    old = state.find(kind, namespace_of(obj), name_of(obj))
    merged = changed(kind, old, as_stored(kind, obj), part)
    if merged is old:
        return
    if released(kind, merged):
        state.remove(kind, merged)
    else:
        state.replace(kind, merged)


def _removal(change: RemoveObject) -> Request:
    return Request(
        verb="delete",
        resource=change.plural,
        namespace=change.namespace or "",
        name=change.name,
        deletion=Deletion(
            propagation=change.propagation,
            grace_seconds=change.grace_seconds,
            uid=change.uid,
        ),
    )
