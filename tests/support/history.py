"""The log of one resource, told step by step.

A `History` appends records with rising sequences and moments, as the server would, and folds them
with the real ledger. `tests.support.plot` adds a reconciler that decides.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count

from msgspec.structs import replace

from services.status.lifecycle.telling import next_event
from shared.actions.outcomes import Outcome
from shared.aggregates.ledger import Ledger
from shared.aggregates.view import View
from shared.events import subjects
from shared.events.codec import encode
from shared.events.decisions import Answered, Decided
from shared.events.envelope import SCHEMA, Body, Envelope, Record
from shared.events.objects import (
    ChildSeen,
    ObjectGone,
    Observation,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
)
from shared.events.records import Parked, StatusWritten, TimerFired
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Message
from tests.support.builders import KEY, NOON, UID


class History:
    """Records of one resource, oldest first."""

    def __init__(self, key: ResourceKey = KEY, uid: str = UID) -> None:
        self.key = key
        self.uid = uid
        self.now: datetime = NOON
        self.records: list[Record] = []
        self._sequences: Iterator[int] = count(1)

    def passes(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def append(self, subject: str, body: Body) -> Record:
        record = Record(
            sequence=next(self._sequences),
            at=self.now,
            subject=subject,
            envelope=Envelope(
                schema=SCHEMA,
                id=f"record-{len(self.records) + 1}",
                body=body,
                code="test",
                written_at=self.now,
                key=self.key,
                uid=self.uid,
            ),
        )
        self.records.append(record)
        return record

    def sees(self, *observations: Observation) -> None:
        """The watcher writes what it sees; the resource itself changes whose history this is."""
        for seen in observations:
            if isinstance(seen, ResourceSeen):
                self.uid = seen.meta.uid
            kind, name = _place(seen, self.key)
            self.append(subjects.observed(self.key, kind, name), seen)

    def acts(self, act: Decided) -> None:
        self.append(subjects.act(self.key), act)

    def answers(self, act: Decided, *outcomes: Outcome) -> None:
        self.append(subjects.res(self.key), Answered(act=act.id, outcomes=outcomes))

    def writes_status(self, status: dict[str, object], version: int) -> None:
        body = StatusWritten(status=status, resource_version=version, based_on=0)
        self.append(subjects.status(self.key), body)

    def parks(self, where: str) -> None:
        """The rules break over what is known, or hold again if it is said of nowhere."""
        view = self.view()
        seen = view.own.meta.generation if view.own else 0
        body = Parked(generation=seen, act=view.act_fence, where=where)
        self.append(subjects.parked(self.key), body)

    def announces(self) -> list[str]:
        """Everybody is told what there is to tell; return the events."""
        view, told = self.view(), []
        last, uid = (view.life.body, view.life.uid) if view.life else (None, "")
        while (event := next_event(view, last, uid)) is not None:
            last, uid = event.body, event.uid
            record = self.append(subjects.life(self.key, last.what), last)
            self.records[-1] = replace(record, envelope=replace(record.envelope, uid=uid))
            told.append(last.what)
        return told

    def fires(self, act: Decided, timer: str) -> None:
        """The timer of this act goes off, at its time."""
        due_at = next(one.due_at for one in act.timers if one.name == timer)
        self.now = max(self.now, due_at)
        body = TimerFired(timer=timer, due_at=due_at, act=0)
        self.append(subjects.fired(self.key, timer), body)

    def view(self) -> View:
        ledger = Ledger()
        for record in self.records:
            ledger.take(record, self.key)
        return ledger.view(self.key)

    def messages(self) -> list[Message]:
        return [message_of(record) for record in self.records]


def message_of(record: Record) -> Message:
    return Message(
        sequence=record.sequence,
        at=record.at,
        subject=record.subject,
        data=encode(record.envelope),
    )


def _place(seen: Observation, key: ResourceKey) -> tuple[str, str]:
    match seen:
        case ResourceSeen():
            return key.kind, key.name
        case PodSeen():
            return "pod", seen.meta.name
        case ServiceSeen():
            return "service", seen.meta.name
        case ChildSeen():
            return seen.kind, seen.meta.name
        case ObjectGone():
            return seen.kind, seen.name
