"""The log as a careful reader keeps it: this life's records by resource, and all acts ever.

When the log loses something, so does the archive's present; acts once told stay known, because
what they asked for may still arrive.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable

from msgspec import Struct

from shared.aggregates.view import View, view
from shared.events.decisions import Decided, SettingsUsed
from shared.events.envelope import Record
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey


class Act(Struct, frozen=True, kw_only=True):
    """An act, whose it is, and where it stood."""

    key: ResourceKey
    uid: str
    sequence: int
    decided: Decided


class Archive:
    """Everything that was ever told, as far as it still counts."""

    def __init__(self) -> None:
        self._records: dict[ResourceKey, list[Record]] = defaultdict(list)
        self.acts: dict[str, Act] = {}
        self._settings: dict[int, SettingsUsed] = {}
        self.first = 1
        """Where the present log begins; what rests on less rests on a log that is lost."""

    def take(self, record: Record) -> None:
        """Keep one more record."""
        body, place = record.envelope.body, place_of(record.subject)
        if isinstance(body, SettingsUsed):
            self._settings[record.sequence] = body
        if place is None:
            return
        self._records[place.key].append(record)
        if isinstance(body, Decided):
            self.acts[body.id] = Act(
                key=place.key, uid=record.envelope.uid, sequence=record.sequence, decided=body
            )

    def cut(self, last: int) -> None:
        """Forget what the log has lost."""
        for records in self._records.values():
            del records[bisect_right(records, last, key=_sequence) :]
        self._keep_settings(lambda sequence: sequence <= last)

    def begin_anew(self, first: int) -> None:
        """Forget everything: the log is another one, and begins here."""
        self._records.clear()
        self._settings.clear()
        self.first = first

    def damage(self, first: int, last: int) -> None:
        """Forget what the log has lost in its middle."""
        for key, records in self._records.items():
            self._records[key] = [one for one in records if not first <= one.sequence <= last]
        self._keep_settings(lambda sequence: not first <= sequence <= last)

    def settings(self, digest: str) -> SettingsUsed | None:
        """Return the settings of a digest, if the present log tells them."""
        return next((one for one in self._settings.values() if one.digest == digest), None)

    def _keep_settings(self, stays: Callable[[int], bool]) -> None:
        self._settings = {at: told for at, told in self._settings.items() if stays(at)}

    def resources(self) -> Iterable[ResourceKey]:
        """Return every resource with a record."""
        return tuple(key for key, records in self._records.items() if records)

    def latest(self, key: ResourceKey, at: int | None = None) -> dict[str, Record]:
        """Return the last record of each subject of a resource, now or at a sequence."""
        records = self._records[key]
        end = len(records) if at is None else bisect_right(records, at, key=_sequence)
        return {record.subject: record for record in records[:end]}

    def after(self, key: ResourceKey, sequence: int) -> tuple[Record, ...]:
        """Return the records of a resource behind a sequence."""
        records = self._records[key]
        return tuple(records[bisect_right(records, sequence, key=_sequence) :])

    def view(self, key: ResourceKey, at: int | None = None) -> View:
        """Fold a resource, now or at a sequence."""
        return view(key, self.latest(key, at).values())


def _sequence(record: Record) -> int:
    return record.sequence
