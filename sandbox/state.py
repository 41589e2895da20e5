"""The cluster's state with the rules that bind its parts together.

Invariant: the registry serves exactly the custom kinds whose definitions are stored, whichever way
a definition came or went. Also the place where objects change their face: stored form to the
version a client asked for, and back. Read next: reading.py, writing.py, removing.py.
"""

from collections.abc import Callable
from datetime import datetime

from sandbox import crds, events
from sandbox.addresses import Addresses
from sandbox.builtin import BUILTIN_KINDS
from sandbox.identity import Uids
from sandbox.kinds import Kind, Registry, Version
from sandbox.objects import Object, metadata, name_of
from sandbox.schemas.structural import Schema, compile_schema
from sandbox.store import HISTORY_MAX, Store


class State:
    """Everything the verbs work on.

    `blank` holds the uids of custom objects that were applied with empty metadata (`labels: {}`).
    The API server keeps those as they were written, and so the next write costs a revision even if
    it changes nothing.
    """

    def __init__(
        self,
        clock: Callable[[], datetime],
        uids: Uids,
        *,
        history_max: int = HISTORY_MAX,
        first_revision: int = 1,
    ) -> None:
        self.clock = clock
        self.uids = uids
        self.store = Store(history_max=history_max, first_revision=first_revision)
        self.registry = Registry(BUILTIN_KINDS)
        self.addresses = Addresses()
        self.blank: set[str] = set()
        self._schemas: dict[tuple[str, str], Schema] = {}

    def find(self, kind: Kind, namespace: str, name: str) -> Object:
        """Return the stored object; raises `ApiError` if there is none."""
        found = self.store.get(kind.resource, namespace if kind.namespaced else "", name)
        if found is None:
            raise kind.not_found(name)
        return found

    def insert(self, kind: Kind, obj: Object) -> Object:
        """Store a new object."""
        kept = self.store.insert(kind.resource, obj, self.clock())
        self._defined(kind, kept)
        return kept

    def replace(self, kind: Kind, obj: Object) -> Object:
        """Store another value of an object."""
        kept = self.store.replace(kind.resource, obj, self.clock())
        self._defined(kind, kept)
        return kept

    def remove(self, kind: Kind, obj: Object) -> Object:
        """Forget an object."""
        last = self.store.remove(kind.resource, obj, self.clock())
        self.blank.discard(str(metadata(obj).get("uid", "")))
        if kind.resource == crds.RESOURCE:
            self.registry.drop(name_of(obj))
        return last

    def schema(self, kind: Kind, version: Version) -> Schema | None:
        """Return the compiled schema of a custom kind's version."""
        if version.schema is None:
            return None
        key = (kind.resource, version.name)
        if key not in self._schemas:
            self._schemas[key] = compile_schema(version.schema)
        return self._schemas[key]

    def _defined(self, kind: Kind, obj: Object) -> None:
        """Serve what a definition says, and tell so in its status."""
        if kind.resource != crds.RESOURCE:
            return
        made = crds.kind_of(obj)
        for version in made.versions:
            self._schemas.pop((made.resource, version.name), None)
        self.registry.add(made)
        served = crds.established(obj, self.clock())
        if served != obj:
            self.store.replace(kind.resource, served, self.clock())


def shown(kind: Kind, version: str, obj: Object) -> Object:
    """Return a stored object as a client of this version sees it."""
    if kind.stored_as:
        return events.as_new(obj)
    api_version = kind.api_version(version)
    return obj if obj.get("apiVersion") == api_version else {**obj, "apiVersion": api_version}


def as_stored(kind: Kind, obj: Object) -> Object:
    """Return an object that came through any version in the form it is kept."""
    if kind.stored_as:
        return events.as_stored(obj)
    return {**obj, "apiVersion": kind.api_version(), "kind": kind.kind}
