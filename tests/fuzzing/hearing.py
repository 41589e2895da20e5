"""What the log tells while trials are played: records by namespace, and what must not be there."""

from collections import Counter, defaultdict
from datetime import datetime

from shared.events.codec import UnreadableRecordError, decode
from shared.events.decisions import Decided
from shared.events.envelope import Record
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Message
from tests.fuzzing.markers import SECRET_MARKER

MOST = 40
"""So often nobody decides on a namespace in one moment of virtual time."""


class RunawayError(Exception):
    """Something is decided on without a pause: time would stand still for ever."""


class Heard:
    """Takes message after message."""

    def __init__(self) -> None:
        self.records: dict[str, list[Record]] = defaultdict(list)
        self.unreadable: list[str] = []
        self._acts: Counter[str] = Counter()
        self._now: datetime | None = None
        self.leaks: list[str] = []
        """Subjects of records that hold the value of a Secret."""

    def take(self, message: Message) -> None:
        """Keep one message."""
        if SECRET_MARKER.encode() in message.data:
            self.leaks.append(message.subject)
        place = place_of(message.subject)
        if place is None:
            return
        try:
            record = decode(message)
        except UnreadableRecordError as problem:
            self.unreadable.append(str(problem))
            return
        self.records[place.key.namespace].append(record)
        if isinstance(record.envelope.body, Decided):
            self._count(place.key, record.at)

    def _count(self, key: ResourceKey, now: datetime) -> None:
        """Break whoever decides without a pause, so that time goes on and a finding is made."""
        if now != self._now:
            self._now = now
            self._acts.clear()
        self._acts[key.namespace] += 1
        if self._acts[key.namespace] > MOST:
            raise RunawayError(f"{key} was decided on {MOST} times in one moment")
