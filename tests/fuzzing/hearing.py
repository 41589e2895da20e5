"""What the log tells while trials are played: records by namespace, and what must not be there."""

from collections import defaultdict

from shared.events.codec import UnreadableRecordError, decode
from shared.events.envelope import Record
from shared.events.subjects import place_of
from shared.ports.event_log import Message
from tests.fuzzing.markers import SECRET_MARKER


class Heard:
    """Takes message after message."""

    def __init__(self) -> None:
        self.records: dict[str, list[Record]] = defaultdict(list)
        self.unreadable: list[str] = []
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
            self.records[place.key.namespace].append(decode(message))
        except UnreadableRecordError as problem:
            self.unreadable.append(str(problem))
