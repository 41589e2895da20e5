"""The last act of every resource, its answer and its timers, read for what waits. Pure.

Takes messages in any order; the last of each subject counts. A resource whose records cannot be
read is named: no act of it is believed.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from heliograph.views.doctor.facts import Acts, Coded, Waiting
from shared.events.approvals import HELD
from shared.events.codec import UnreadableRecordError, decode
from shared.events.decisions import Answered, Decided
from shared.events.envelope import Record
from shared.events.records import Parked, TimerFired
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Message

FILTERS = ("ray.*.*.*.*.act", "ray.*.*.*.*.res", "ray.*.*.*.*.park", "ray.*.*.*.*.fire.*")
OVERDUE = timedelta(seconds=30)


class ActBook:
    """What is left of the messages that were read: little, however large the acts are."""

    def __init__(self) -> None:
        self._acts: dict[ResourceKey, tuple[Record, Decided]] = {}
        self._answered: dict[ResourceKey, str] = {}
        self._parked: dict[ResourceKey, tuple[Record, Parked]] = {}
        self._fired: set[tuple[ResourceKey, str, datetime]] = set()
        self._unreadable: set[ResourceKey] = set()

    def take(self, message: Message) -> None:
        """Take one message in."""
        place = place_of(message.subject)
        if place is None or message.gone:
            return
        try:
            record = decode(message)
        except UnreadableRecordError:
            self._unreadable.add(place.key)
            return
        match record.envelope.body:
            case Decided() as act:
                known = self._acts.get(place.key)
                if known is None or known[0].sequence < record.sequence:
                    self._acts[place.key] = (record, act)
            case Answered(act=answered):
                self._answered[place.key] = answered
            case TimerFired(timer=name, due_at=due_at):
                self._fired.add((place.key, name, due_at))
            case Parked() as parked:
                self._parked[place.key] = (record, parked)
            case _:
                return

    def tell(self, now: datetime) -> Acts:
        """Say what waits now."""
        known = {
            key: found
            for key, found in sorted(self._acts.items(), key=lambda each: str(each[0]))
            if key not in self._unreadable
        }
        rules = (int(act.rules) for _, act in known.values() if act.rules.isdigit())
        return Acts(
            count=len(known),
            unanswered=tuple(self._open(known)),
            held=tuple(_troubles(known, held=True)),
            refused=tuple(_troubles(known, held=False)),
            parked=tuple(self._broken()),
            overdue=tuple(self._overdue(known, now)),
            unreadable=tuple(sorted(map(str, self._unreadable))),
            codes=_codes(known),
            rules=max(rules, default=0),
        )

    def _broken(self) -> Iterator[Waiting]:
        """Yield the resources over which the rules broke, and nothing was decided since."""
        for key, (record, parked) in sorted(self._parked.items(), key=lambda each: str(each[0])):
            act = self._acts.get(key)
            if parked.where and parked.act == (act[0].sequence if act else 0):
                yield Waiting(resource=str(key), since=record.at, words=parked.where)

    def _open(self, known: dict[ResourceKey, tuple[Record, Decided]]) -> Iterator[Waiting]:
        for key, (record, act) in known.items():
            if act.actions and self._answered.get(key) != act.id:
                words = f"{len(act.actions)} actions, {'; '.join(act.because[:1])}"
                yield Waiting(resource=str(key), since=record.at, words=words)

    def _overdue(
        self, known: dict[ResourceKey, tuple[Record, Decided]], now: datetime
    ) -> Iterator[Waiting]:
        for key, (_, act) in known.items():
            for timer in act.timers:
                late = now - timer.due_at > OVERDUE
                if late and (key, timer.name, timer.due_at) not in self._fired:
                    words = f"timer {timer.name}: {timer.because}"
                    yield Waiting(resource=str(key), since=timer.due_at, words=words)


def _troubles(known: dict[ResourceKey, tuple[Record, Decided]], *, held: bool) -> Iterator[Waiting]:
    for key, (record, act) in known.items():
        for trouble in act.troubles:
            if trouble.message.startswith(HELD) is held:
                words = f"{trouble.verb} {trouble.kind} {trouble.name}: {trouble.message}"
                yield Waiting(resource=str(key), since=record.at, words=words)
                break
        else:
            yield from () if held else _doubts(key, record, act)


def _doubts(key: ResourceKey, record: Record, act: Decided) -> Iterator[Waiting]:
    """Yield the first thing whose outcome nobody could tell the act."""
    for entry in act.expectations:
        if entry.error:
            words = f"{entry.what} {entry.kind} {entry.name}: {entry.error}"
            yield Waiting(resource=str(key), since=record.at, words=words)
            return


def _codes(known: dict[ResourceKey, tuple[Record, Decided]]) -> tuple[Coded, ...]:
    found: dict[str, list[datetime]] = {}
    for record, _ in known.values():
        found.setdefault(record.envelope.code, []).append(record.at)
    return tuple(
        Coded(code=code, acts=len(times), last_at=max(times))
        for code, times in sorted(found.items())
    )
