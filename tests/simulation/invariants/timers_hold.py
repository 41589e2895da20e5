"""A timer fires once, and never early."""

from collections.abc import Iterator

from shared.events.envelope import Record
from shared.events.records import TimerFired
from shared.events.subjects import place_of
from tests.simulation.invariants.invariant import Invariant


class TimersHold(Invariant):
    """Timers that went off."""

    def recorded(self, record: Record) -> Iterator[str]:
        body, place = record.envelope.body, place_of(record.subject)
        if not isinstance(body, TimerFired) or place is None:
            return
        if record.at < body.due_at:
            yield f"{record.subject} fired at {record.at}, due at {body.due_at}"
        before = self.scene.archive.latest(place.key, record.sequence - 1).get(record.subject)
        known = before.envelope.body if before else None
        if isinstance(known, TimerFired) and (known.act, known.due_at) == (body.act, body.due_at):
            yield f"{record.subject} fired twice for act {body.act}"
