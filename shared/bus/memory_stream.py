"""One stream in memory: the server's half of the port's promises, without a server.

Everything happens at once and in call order, so a run is as deterministic as its callers. Expiry
and schedules hang on the loop's clock; age is looked at whenever somebody looks at the stream.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from shared.bus.matching import Test, matcher
from shared.bus.memory_clock import LoopClock
from shared.bus.wire import (
    FIRED_LIFE,
    ID,
    MARKER,
    check_size,
    headers_of,
    is_marker,
    shown,
    whole_seconds,
)
from shared.ports.event_log import Appended, Entry, LogEnd, Message, Refused, Schedule


class Rules(Struct, frozen=True, kw_only=True):
    """What a stream keeps and for how long."""

    name: str
    duplicates: timedelta
    per_subject: int
    max_age: timedelta | None = None
    marker_life: timedelta | None = None
    dedupe_first: bool = False
    """Clustered servers look at the id before the fence, single ones after it."""


class MemoryStream:
    """Messages in one order."""

    def __init__(self, rules: Rules, clock: LoopClock) -> None:
        self._rules = rules
        self._clock = clock
        self._life = 1
        self._messages: dict[int, Message] = {}
        self._subjects: dict[str, list[int]] = {}
        self._ids: dict[str, tuple[int, datetime]] = {}
        self._listeners: dict[Callable[[Message], None], None] = {}
        self._aged_at: datetime | None = None
        self.last_sequence = 0
        self.cuts: list[int] = []
        """Where the log was cut off, each time that it went backwards."""

    def listen(self, listener: Callable[[Message], None]) -> Callable[[], None]:
        """Call the listener for each stored message; return what ends that."""
        self._listeners[listener] = None
        return lambda: self._listeners.pop(listener, None)

    def append(self, entry: Entry) -> Appended | Refused:
        """Store an entry under all the rules."""
        headers = headers_of(entry)
        check_size(entry, headers)
        self._age()
        judged = self._judge(entry)
        if judged is not None:
            return judged
        message = self.store(entry.subject, headers, entry.data, entry.ttl)
        if entry.id:
            self._ids[entry.id] = (message.sequence, message.at)
        if entry.schedule is not None:
            self._arm(message, entry.schedule)
        return Appended(sequence=message.sequence)

    def store(
        self,
        subject: str,
        headers: Mapping[str, str],
        data: bytes,
        ttl: timedelta | None = None,
        at: datetime | None = None,
    ) -> Message:
        """Store without asking, and tell everybody."""
        self.last_sequence += 1
        message = Message(
            sequence=self.last_sequence,
            at=at or self._clock.now(),
            subject=subject,
            headers=shown(headers),
            data=data,
            gone=is_marker(headers),
        )
        self._messages[message.sequence] = message
        places = self._subjects.setdefault(subject, [])
        places.append(message.sequence)
        for sequence in places[: -self._rules.per_subject]:
            self._remove(sequence)
        if ttl is not None:
            lasting = MARKER not in headers and self._rules.marker_life is not None
            self._expire_later(message, ttl, leaves_marker=lasting)
        for listener in tuple(self._listeners):
            listener(message)
        return message

    def last(self, subject: str) -> Message | None:
        """Return the last message of a subject, or of all that a filter names."""
        self._age()
        return self._messages.get(self._last_of(subject))

    def end(self) -> LogEnd:
        """Say which stream this is and where it ends."""
        self._age()
        first = next(iter(self._messages), self.last_sequence + 1)
        identity = f"{self._rules.name}-{self._life}"
        return LogEnd(identity=identity, first=first, last=self.last_sequence)

    def get(self, sequence: int) -> Message | None:
        """Return the message at a sequence, if it is still there."""
        return self._messages.get(sequence)

    def newest(self, matches: Test) -> tuple[Message, ...]:
        """Return the last message of each subject that passes a test, oldest first."""
        self._age()
        places = sorted(held[-1] for name, held in self._subjects.items() if matches(name))
        return tuple(self._messages[place] for place in places)

    def after(self, position: int, matches: Test) -> tuple[Message, ...]:
        """Return every message behind a position whose subject passes a test."""
        self._age()
        return tuple([one for one in self._behind(position) if matches(one.subject)])

    def position_before(self, moment: datetime) -> int:
        """Return the position right before the first message of a moment or later."""
        self._age()
        kept = list(self._messages.values())
        index = bisect_right([one.at for one in kept], moment - timedelta(microseconds=1))
        return kept[index].sequence - 1 if index < len(kept) else self.last_sequence

    def purge(self, subject: str, up_to: int | None = None) -> None:
        """Remove a subject up to a sequence; what was scheduled under it will not fire."""
        end = self.last_sequence if up_to is None else up_to
        for name in [one for one in self._subjects if matcher([subject])(one)]:
            for sequence in [one for one in self._subjects[name] if one <= end]:
                self._remove(sequence)

    def truncate(self, last: int) -> None:
        """Forget everything behind a sequence, as a power cut does."""
        for sequence in [one for one in self._messages if one > last]:
            self._remove(sequence)
        self._ids = {key: place for key, place in self._ids.items() if place[0] <= last}
        self.last_sequence = min(self.last_sequence, last)
        self.cuts.append(self.last_sequence)

    def lose(self, first: int, last: int) -> None:
        """Forget what stands between two sequences, as a damaged file does, and its ids."""
        for sequence in [one for one in self._messages if first <= one <= last]:
            self._remove(sequence)
        self._ids = {
            key: place for key, place in self._ids.items() if not first <= place[0] <= last
        }

    def wipe(self, first_sequence: int = 1) -> None:
        """Become another, empty stream."""
        self._messages.clear()
        self._subjects.clear()
        self._ids.clear()
        self._life += 1
        self.last_sequence = first_sequence - 1

    def expire(self, before: datetime) -> None:
        """Remove what is older than a moment."""
        for sequence in [key for key, one in self._messages.items() if one.at < before]:
            self._remove(sequence)

    def _behind(self, position: int) -> list[Message]:
        if self.last_sequence - position > len(self._messages):
            return [one for key, one in self._messages.items() if key > position]
        known = map(self._messages.get, range(position + 1, self.last_sequence + 1))
        return [one for one in known if one is not None]

    def _judge(self, entry: Entry) -> Appended | Refused | None:
        if self._rules.dedupe_first:
            return self._duplicate(entry) or self._refusal(entry)
        return self._refusal(entry) or self._duplicate(entry)

    def _refusal(self, entry: Entry) -> Refused | None:
        last = self._last_of(entry.fence_over or entry.subject)
        return None if entry.fence in (None, last) else Refused(last=last)

    def _last_of(self, subject: str) -> int:
        if "*" not in subject and not subject.endswith(".>"):
            return self._subjects.get(subject, (0,))[-1]
        matches = matcher([subject])
        held = (places[-1] for name, places in self._subjects.items() if matches(name))
        return max(held, default=0)

    def _duplicate(self, entry: Entry) -> Appended | None:
        known = self._ids.get(entry.id)
        if known is None:
            return None
        sequence, at = known
        if self._clock.now() - at > self._rules.duplicates:
            return None
        return Appended(sequence=sequence, duplicate=True)

    def _age(self) -> None:
        if self._rules.max_age is None or self._aged_at == (now := self._clock.now()):
            return
        self._aged_at, horizon = now, now - self._rules.max_age
        while self._messages:
            oldest = next(iter(self._messages.values()))
            if oldest.at >= horizon:
                return
            self._remove(oldest.sequence)

    def _remove(self, sequence: int) -> None:
        message = self._messages.pop(sequence)
        places = self._subjects[message.subject]
        places.remove(sequence)
        if not places:
            del self._subjects[message.subject]

    def _holds(self, message: Message) -> bool:
        return self._messages.get(message.sequence) is message

    def _expire_later(self, message: Message, ttl: timedelta, *, leaves_marker: bool) -> None:
        def expire() -> None:
            if not self._holds(message):
                return
            self._remove(message.sequence)
            if leaves_marker and message.subject not in self._subjects:
                self.store(message.subject, {MARKER: "MaxAge"}, b"", self._rules.marker_life)

        self._clock.call_at(message.at + timedelta(seconds=whole_seconds(ttl)), expire)

    def _arm(self, message: Message, schedule: Schedule) -> None:
        def fire() -> None:
            if not self._holds(message):
                return
            self._remove(message.sequence)
            headers = {name: value for name, value in message.headers.items() if name != ID}
            at = max(self._clock.now(), schedule.due_at)
            self.store(schedule.target, headers, message.data, FIRED_LIFE, at)

        self._clock.call_at(schedule.due_at, fire)
