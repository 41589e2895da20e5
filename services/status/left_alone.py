"""A resource of which a record cannot be read is left alone, and after a while its status says so.

Newer code may have written the record, and newer replicas take it up; during an upgrade that takes
a moment, so nothing is said at once. What is said names the record and quotes nothing of it: it may
hold anything. Once everything can be read the status is assessed as ever, and the word is gone.
"""

from collections.abc import Sequence

from msgspec import Struct

from services.status.conditions.stuck import Status, tell_stuck
from shared.aggregates.blame import CANNOT, UNREADABLE, Wait
from shared.aggregates.ledger import Unreadable
from shared.aggregates.view import View
from shared.events import subjects
from shared.kernel.features import Features
from shared.kernel.keys import ResourceKey

SILENT_FOR = 300.0
"""How long nothing is said, in seconds: longer than an upgrade of all replicas takes."""


class Left(Struct, frozen=True, kw_only=True):
    """Because of which record a resource is left alone, since when, and whether that was said."""

    sequence: int
    since: float
    said: bool = False


class Silence:
    """Knows of each resource that is left alone; reads no clock."""

    def __init__(self) -> None:
        self._left: dict[ResourceKey, Left] = {}

    def seconds(self, key: ResourceKey, sequence: int, now: float) -> float:
        """Return how long nothing is to be said yet; another record begins a silence of its own."""
        left = self._left.get(key)
        if left is None or left.sequence != sequence:
            left = self._left[key] = Left(sequence=sequence, since=now)
        return max(left.since + SILENT_FOR - now, 0.0)

    def break_once(self, key: ResourceKey) -> bool:
        """Whether it is to be said now for the first time."""
        left = self._left[key]
        self._left[key] = Left(sequence=left.sequence, since=left.since, said=True)
        return not left.said

    def end(self, key: ResourceKey) -> None:
        """Everything of the resource can be read, or it is gone."""
        self._left.pop(key, None)


def told_of(view: View, unreadable: Sequence[Unreadable], features: Features) -> Status:
    """Return the status as it was, and what cannot be read; only as it was if that is the status.

    Without the resource's own record, or what was written last, nobody knows what to write over.
    """
    status = dict(view.status)
    lost = {subjects.own(view.key), subjects.status(view.key)} & {one.subject for one in unreadable}
    return status if lost else tell_stuck(view, status, _wait(view.key, unreadable), features)


def _wait(key: ResourceKey, unreadable: Sequence[Unreadable]) -> Wait:
    first = unreadable[0]
    more = f", nor {len(unreadable) - 1} more" if len(unreadable) > 1 else ""
    words = (
        f"{CANNOT}read record {first.sequence} ({first.subject}){more}; "
        "it is left to newer replicas, and its pods are left as they are"
    )
    return Wait(cause=UNREADABLE, what=f"{key.kind} {key.name}", words=words, of_head=True)
