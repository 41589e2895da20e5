"""The last records of many resources, kept up as they come.

A cache and nothing else: losing it costs a reload. Applying a record twice, or an older one after
a newer one, changes nothing. Resources whose records cannot be read are named, so that whoever
decides leaves them to newer code.
"""

from collections.abc import Iterable

from msgspec import Struct

from shared.aggregates.view import View, view
from shared.events import subjects
from shared.events.codec import UnreadableRecordError, decode
from shared.events.envelope import Record
from shared.events.objects import ResourceSeen
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Message


class Unreadable(Struct, frozen=True, order=True, kw_only=True):
    """The last record of a subject, which this version cannot read, and what is wrong with it."""

    sequence: int
    subject: str
    problem: str


class Ledger:
    """The last record of each subject, by resource."""

    def __init__(self) -> None:
        self._records: dict[ResourceKey, dict[str, Record]] = {}
        self._unreadable: dict[ResourceKey, dict[str, Unreadable]] = {}

    def apply(self, message: Message) -> ResourceKey | None:
        """Take one message in; return the resource it concerns."""
        place = place_of(message.subject)
        if place is None:
            return None
        if message.gone:
            self._drop(place.key, message)
            return place.key
        try:
            record = decode(message)
        except UnreadableRecordError as problem:
            if message.sequence > self._known(place.key, message.subject):
                marks = self._unreadable.setdefault(place.key, {})
                marks[message.subject] = Unreadable(
                    sequence=message.sequence, subject=message.subject, problem=str(problem)
                )
            return place.key
        self.take(record, place.key)
        return place.key

    def take(self, record: Record, key: ResourceKey) -> None:
        """Take one decoded record of a resource in."""
        if record.sequence > self._known(key, record.subject):
            self._can_read(key, record.subject)
            self._records.setdefault(key, {})[record.subject] = record

    def _known(self, key: ResourceKey, subject: str) -> int:
        """Return the sequence of the newest that is known of a subject, readable or not."""
        record = self._records.get(key, {}).get(subject)
        mark = self._unreadable.get(key, {}).get(subject)
        return max(record.sequence if record else 0, mark.sequence if mark else 0)

    def _can_read(self, key: ResourceKey, subject: str) -> None:
        """Take back that the last of a subject cannot be read."""
        marks = self._unreadable.get(key)
        if marks is not None:
            marks.pop(subject, None)
            if not marks:
                del self._unreadable[key]

    def _drop(self, key: ResourceKey, marker: Message) -> None:
        if marker.sequence > self._known(key, marker.subject):
            self._records.get(key, {}).pop(marker.subject, None)
            self._can_read(key, marker.subject)

    def view(self, key: ResourceKey) -> View:
        """Fold what is known of a resource."""
        return view(key, self._records.get(key, {}).values())

    def outline(self, key: ResourceKey) -> View:
        """Fold only what is known of the resource itself and its status: cheap at any size."""
        known = self._records.get(key, {})
        told = (known.get(subject) for subject in (subjects.own(key), subjects.status(key)))
        return view(key, [record for record in told if record is not None])

    def wish(self, key: ResourceKey) -> tuple[str, int]:
        """Return a resource's uid and generation, without folding anything."""
        record = self._records.get(key, {}).get(subjects.own(key))
        body = record.envelope.body if record else None
        return (body.meta.uid, body.meta.generation) if isinstance(body, ResourceSeen) else ("", 0)

    def size(self, key: ResourceKey) -> int:
        """Count the records that a view of the resource is folded from."""
        return len(self._records.get(key, {}))

    def unreadable(self, key: ResourceKey) -> tuple[Unreadable, ...]:
        """Return what of a resource cannot be read, in the order of the log."""
        return tuple(sorted(self._unreadable.get(key, {}).values()))

    def unreadable_resources(self) -> int:
        """Count the resources of which something cannot be read."""
        return len(self._unreadable)

    def resources(self) -> Iterable[ResourceKey]:
        """Return every resource with a record, readable or not."""
        return tuple({**self._records, **self._unreadable})

    def forget(self, keys: Iterable[ResourceKey]) -> None:
        """Drop resources, for example those of a partition that moved away."""
        for key in keys:
            self._records.pop(key, None)
            self._unreadable.pop(key, None)
