"""Drives the controllers: shows them the world, and applies what they ask for.

Changes go the way of requests: same rules, same conflicts. One that is refused (the object has
moved on, or is gone) is dropped; the controllers see the new world in the next round and ask again.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import assert_never

from sandbox.controllers import everything
from sandbox.controllers.scenario import Scenario
from sandbox.controllers.world import Change, CreateObject, PutObject, PutStatus, RemoveObject
from sandbox.errors import ApiError
from sandbox.objects import Object, name_of, namespace_of
from sandbox.removing import delete
from sandbox.requests import Deletion, Request
from sandbox.retiring import retire
from sandbox.state import State, as_stored
from sandbox.writing import create, update, write

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


def settle(state: State, scenario: Scenario) -> datetime | None:
    """Run the controllers until they are quiet; return when they have more to do."""
    world = StoredWorld(state)
    for _ in range(ROUNDS_MAX):
        steps = everything.step(world, state.clock(), scenario)
        before = state.store.revision
        for change in (*steps.changes, *retire(world)):
            _attempt(state, change)
        if state.store.revision == before:
            return steps.next_at
    return state.clock()


def _attempt(state: State, change: Change) -> None:
    try:
        _apply(state, change)
    except ApiError as refused:
        if refused.code >= 500:  # noqa: PLR2004 - from here on it is the server's own fault
            raise


def _apply(state: State, change: Change) -> None:
    match change:
        case CreateObject(plural=plural, object=obj):
            create(
                state,
                Request(verb="create", resource=plural, namespace=namespace_of(obj), body=obj),
            )
        case PutObject(plural=plural, object=obj):
            _put_whole(state, plural, obj)
        case PutStatus(plural=plural, object=obj):
            update(state, _to_status(plural, obj))
        case RemoveObject():
            delete(state, _removal(change))
        case _:
            assert_never(change)


def _put_whole(state: State, plural: str, obj: Object) -> None:
    """Replace metadata, spec and status at once, as a client cannot."""
    kind = state.registry.find(plural)
    old = state.find(kind, namespace_of(obj), name_of(obj))
    request = Request(verb="update", resource=plural)
    write(state, kind, old, as_stored(kind, obj), request, whole=True)


def _to_status(plural: str, obj: Object) -> Request:
    return Request(
        verb="update",
        resource=plural,
        namespace=namespace_of(obj),
        name=name_of(obj),
        subresource="status",
        body=obj,
    )


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
