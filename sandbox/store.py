"""Objects by resource, one revision counter, and what happened lately.

Invariants: every commit takes the next revision and leaves one event in the history of its
resource; an object's resourceVersion is the revision that wrote it; a stored object never changes.
What may be written is decided elsewhere (lifecycle.py, deletion.py): the store only keeps.
Time comes with the call, and so does everything else. Read next: history.py, then state.py.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import chain

from sandbox.history import EventType, History, WatchEvent
from sandbox.objects import Object, metadata, with_metadata

HISTORY_MAX = 4_096

Key = tuple[str, str]
Listener = Callable[[], None]


class Store:
    """The memory of the cluster."""

    def __init__(self, *, history_max: int = HISTORY_MAX, first_revision: int = 1) -> None:
        self.revision = first_revision
        self._first = first_revision
        self.changed_at: datetime | None = None
        self._history_max = history_max
        self._objects: dict[str, dict[Key, Object]] = {}
        self._histories: dict[str, History] = {}
        self._uids: dict[str, Object] = {}
        self._listeners: dict[str, dict[int, Listener]] = {}
        self._listener_count = 0

    def get(self, resource: str, namespace: str, name: str) -> Object | None:
        """Return the object under that name, if any."""
        return self._objects.get(resource, {}).get((namespace, name))

    def find_uid(self, uid: str) -> Object | None:
        """Return the object with that uid, if it still exists."""
        return self._uids.get(uid)

    def objects(self, resource: str) -> Iterable[Object]:
        """Return all objects of a resource, in no particular order."""
        return self._objects.get(resource, {}).values()

    def resources(self) -> tuple[str, ...]:
        """Return the resources that hold at least one object."""
        return tuple(resource for resource, held in self._objects.items() if held)

    def history(self, resource: str) -> History:
        """Return what happened lately to a resource."""
        if resource not in self._histories:
            self._histories[resource] = History(floor=self._first, limit=self._history_max)
        return self._histories[resource]

    def kept(self) -> tuple[str, ...]:
        """Return the resources that ever held an object."""
        return tuple(self._histories)

    def objects_at(self, resource: str, revision: int) -> dict[Key, Object]:
        """Return the objects as they stood at a revision; raises `ApiError` if forgotten."""
        held = dict(self._objects.get(resource, {}))
        for event in reversed(self.history(resource).after(revision)):
            key = _key(event.object)
            if event.previous is None:
                held.pop(key, None)
            else:
                held[key] = event.previous
        return held

    def insert(self, resource: str, obj: Object, now: datetime) -> Object:
        """Keep a new object; its name must be free."""
        return self._commit(resource, "ADDED", obj, now)

    def replace(self, resource: str, obj: Object, now: datetime) -> Object:
        """Keep another value of an object that is there."""
        return self._commit(resource, "MODIFIED", obj, now)

    def remove(self, resource: str, obj: Object, now: datetime) -> Object:
        """Forget an object; its last value is told to watchers."""
        return self._commit(resource, "DELETED", obj, now)

    def listen(self, listener: Listener, *resources: str) -> Callable[[], None]:
        """Call the listener after every commit to these resources (none given: to any)."""
        self._listener_count += 1
        number = self._listener_count
        for resource in resources or ("",):
            self._listeners.setdefault(resource, {})[number] = listener

        def forget() -> None:
            for resource in resources or ("",):
                self._listeners[resource].pop(number, None)

        return forget

    def _commit(self, resource: str, kind: EventType, obj: Object, now: datetime) -> Object:
        held = self._objects.setdefault(resource, {})
        key = _key(obj)
        previous = held.get(key)
        if (previous is None) is not (kind == "ADDED"):
            raise LookupError(f"{kind} of {resource} {key} does not fit what is stored")
        self.revision += 1
        self.changed_at = now
        kept = with_metadata(obj, resourceVersion=str(self.revision))
        self._index(held, key, kept, gone=kind == "DELETED")
        self.history(resource).append(
            WatchEvent(type=kind, revision=self.revision, object=kept, previous=previous)
        )
        for listener in self._listeners_of(resource):
            listener()
        return kept

    def _index(self, held: dict[Key, Object], key: Key, obj: Object, *, gone: bool) -> None:
        uid = str(metadata(obj).get("uid", ""))
        if gone:
            del held[key]
            self._uids.pop(uid, None)
        else:
            held[key] = obj
            self._uids[uid] = obj

    def _listeners_of(self, resource: str) -> Iterator[Listener]:
        named = self._listeners.get(resource, {})
        return iter(tuple(chain(named.values(), self._listeners.get("", {}).values())))


def _key(obj: Object) -> Key:
    meta = metadata(obj)
    return str(meta.get("namespace") or ""), str(meta["name"])
