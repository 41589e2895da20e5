"""The last records of many resources, kept up as they come.

A cache and nothing else: losing it costs a reload. Applying a record twice, or an older one after
a newer one, changes nothing. Resources whose records cannot be read are named, so that whoever
decides leaves them to newer code.
"""

from collections.abc import Iterable

from shared.aggregates.view import View, view
from shared.events.codec import UnreadableRecordError, decode
from shared.events.envelope import Record
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Message


class Ledger:
    """The last record of each subject, by resource."""

    def __init__(self) -> None:
        self._records: dict[ResourceKey, dict[str, Record]] = {}
        self._unreadable: dict[ResourceKey, dict[str, str]] = {}

    def apply(self, message: Message) -> ResourceKey | None:
        """Take one message in; return the resource it concerns."""
        place = place_of(message.subject)
        if place is None:
            return None
        try:
            record = decode(message)
        except UnreadableRecordError as problem:
            self._unreadable.setdefault(place.key, {})[message.subject] = str(problem)
            return place.key
        self.take(record, place.key)
        return place.key

    def take(self, record: Record, key: ResourceKey) -> None:
        """Take one decoded record of a resource in."""
        self._unreadable.get(key, {}).pop(record.subject, None)
        records = self._records.setdefault(key, {})
        known = records.get(record.subject)
        if known is None or known.sequence < record.sequence:
            records[record.subject] = record

    def view(self, key: ResourceKey) -> View:
        """Fold what is known of a resource."""
        return view(key, self._records.get(key, {}).values())

    def unreadable(self, key: ResourceKey) -> tuple[str, ...]:
        """Say which records of a resource cannot be read."""
        return tuple(self._unreadable.get(key, {}).values())

    def resources(self) -> Iterable[ResourceKey]:
        """Return every resource with a record."""
        return tuple(self._records)

    def forget(self, keys: Iterable[ResourceKey]) -> None:
        """Drop resources, for example those of a partition that moved away."""
        for key in keys:
            self._records.pop(key, None)
            self._unreadable.pop(key, None)
