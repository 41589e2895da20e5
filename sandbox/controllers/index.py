"""Every object of the cluster, found by what controllers look for.

A `World` that is told of each change instead of being searched: by name, uid, owner, namespace,
label and address. Holds references only, never copies. Read next: driver.py, which feeds it.
"""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from sandbox.objects import Object, dig, metadata, name_of, namespace_of

Place: TypeAlias = tuple[str, str, str]
"""Plural, namespace, name."""
Names: TypeAlias = dict[Place, None]
Table: TypeAlias = dict[Any, Names]
Entry: TypeAlias = tuple[Table, Any]

PODS = "pods"


def place_of(plural: str, obj: Object) -> Place:
    """Say where an object is kept."""
    return plural, namespace_of(obj), name_of(obj)


class Index:
    """Objects under every key that somebody asks for."""

    def __init__(self) -> None:
        self._objects: dict[str, dict[Place, Object]] = {}
        self._uids: dict[str, Object] = {}
        self._where: dict[str, Place] = {}
        self._dependents: Table = {}
        self._contents: Table = {}
        self._labelled: Table = {}
        self._selecting: Table = {}
        self._addresses: Table = {}

    def clear(self) -> None:
        """Forget everything."""
        for table in (self._dependents, self._contents, self._labelled, self._selecting):
            table.clear()
        self._addresses.clear()
        self._objects.clear()
        self._uids.clear()
        self._where.clear()

    def objects(self, plural: str) -> Iterable[Object]:
        """Return all objects of one resource; a bare plural finds the one of any group."""
        held = self._objects.get(plural)
        if held is None:
            prefix = f"{plural}."
            found = (name for name in self._objects if name.startswith(prefix))
            held = self._objects.get(next(found, ""), {})
        return tuple(held.values())

    def all_objects(self) -> Iterator[tuple[str, Object]]:
        """Yield every object with its plural."""
        for plural, held in self._objects.items():
            yield from ((plural, obj) for obj in tuple(held.values()))

    def find_uid(self, uid: str) -> Object | None:
        """Return the object with this uid, if it still exists."""
        return self._uids.get(uid)

    def place(self, uid: str) -> Place | None:
        """Say where the object with this uid is."""
        return self._where.get(uid)

    def services_on(self, namespace: str, key: str, value: str) -> Iterable[Place]:
        """Return the services of a namespace that look their pods up by this label."""
        return tuple(self._selecting.get((namespace, key, value), ()))

    def get(self, place: Place) -> Object | None:
        """Return the object at a place."""
        return self._objects.get(place[0], {}).get(place)

    def places(self) -> Iterator[Place]:
        """Yield where everything is."""
        for held in self._objects.values():
            yield from tuple(held)

    def dependents(self, uid: str) -> list[tuple[str, Object]]:
        """Return what names this uid as an owner."""
        return self._found(self._dependents.get(uid, {}))

    def contents(self, namespace: str) -> list[tuple[str, Object]]:
        """Return everything in a namespace."""
        return self._found(self._contents.get(namespace, {}))

    def labelled(self, namespace: str, key: str, value: str) -> list[Object]:
        """Return the pods of a namespace that carry a label."""
        return [pod for _, pod in self._found(self._labelled.get((namespace, key, value), {}))]

    def at_address(self, address: str) -> list[Object]:
        """Return the pods and services that have an address."""
        return [obj for _, obj in self._found(self._addresses.get(address, {}))]

    def put(self, plural: str, obj: Object) -> None:
        """Take an object in, or another value of one."""
        place = place_of(plural, obj)
        before = self.get(place)
        if before is not None:
            self._forget(place, before)
        self._objects.setdefault(plural, {})[place] = obj
        uid = str(metadata(obj).get("uid", ""))
        self._uids[uid] = obj
        self._where[uid] = place
        for table, key in self._keys(place, obj):
            table.setdefault(key, {})[place] = None

    def drop(self, plural: str, obj: Object) -> None:
        """Forget an object that is gone."""
        place = place_of(plural, obj)
        before = self.get(place)
        if before is not None:
            self._forget(place, before)
            del self._objects[plural][place]

    def _forget(self, place: Place, obj: Object) -> None:
        uid = str(metadata(obj).get("uid", ""))
        self._uids.pop(uid, None)
        self._where.pop(uid, None)
        for table, key in self._keys(place, obj):
            names = table.get(key, {})
            names.pop(place, None)
            if not names:
                table.pop(key, None)

    def _keys(self, place: Place, obj: Object) -> Iterator[Entry]:
        plural, namespace, _ = place
        for reference in metadata(obj).get("ownerReferences") or ():
            yield self._dependents, str(reference.get("uid"))
        if namespace:
            yield self._contents, namespace
        if plural == PODS:
            yield from self._keys_of_pod(namespace, obj)
        elif plural == "services":
            yield from self._keys_of_service(namespace, obj)

    def _keys_of_pod(self, namespace: str, pod: Object) -> Iterator[Entry]:
        for key, value in (metadata(pod).get("labels") or {}).items():
            yield self._labelled, (namespace, key, value)
        if address := dig(pod, "status.podIP"):
            yield self._addresses, address

    def _keys_of_service(self, namespace: str, service: Object) -> Iterator[Entry]:
        if selector := dig(service, "spec.selector"):
            yield self._selecting, (namespace, *min(selector.items()))
        if address := dig(service, "spec.clusterIP"):
            yield self._addresses, address

    def _found(self, names: Names) -> list[tuple[str, Object]]:
        return [(place[0], self._objects[place[0]][place]) for place in names]
