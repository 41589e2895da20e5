"""What a controller sees and what it may ask for.

A step is a function from a `World`, a moment and a scenario to `Steps`: the changes wanted now, and
the next moment at which time alone would make the answer different. A step never writes to what it
is shown: every object in a change is a fresh copy that carries the resourceVersion it was read at,
so whoever applies the change can drop it when the object has moved on. The next step asks again.
Read next: everything.py.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal, Protocol, TypeAlias

import msgspec

from sandbox.objects import Object

Propagation: TypeAlias = Literal["Background", "Foreground", "Orphan"]


class World(Protocol):
    """Every object of the cluster, read only; plurals may carry their group (`jobs.batch`)."""

    def objects(self, plural: str) -> Iterable[Object]:
        """All objects of one resource, in every namespace."""
        ...

    def all_objects(self) -> Iterable[tuple[str, Object]]:
        """Every object with the plural it is stored under."""
        ...

    def find_uid(self, uid: str) -> Object | None:
        """Find the object with this uid, if it still exists."""
        ...


class CreateObject(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Create as a client would; an object of that name already there means: do nothing."""

    plural: str
    object: Object


class PutObject(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Replace the whole object: metadata, spec and status, as internal subresources may."""

    plural: str
    object: Object


class PutStatus(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Replace the status only."""

    plural: str
    object: Object


class RemoveObject(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Delete as a client would, if the uid still fits; finalizers hold as they do for clients."""

    plural: str
    namespace: str | None
    name: str
    uid: str
    grace_seconds: int = 0
    propagation: Propagation = "Background"


Change: TypeAlias = CreateObject | PutObject | PutStatus | RemoveObject


class Steps(msgspec.Struct, frozen=True, kw_only=True):
    """What to change now, and when to ask again even if nothing else happens."""

    changes: tuple[Change, ...] = ()
    next_at: datetime | None = None


def joined(steps: Iterable[Steps]) -> Steps:
    """Join the answers of several controllers: all changes, the nearest moment."""
    answers = tuple(steps)
    moments = [answer.next_at for answer in answers if answer.next_at is not None]
    return Steps(
        changes=tuple(change for answer in answers for change in answer.changes),
        next_at=min(moments, default=None),
    )
