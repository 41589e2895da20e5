"""One resource's history in people's words: what was seen, decided, done and told.

A fold over its records in order. What repeats (an echo of our own status, an update that changes
nothing a person would notice) is left out. Pure: the same records give the same lines. What many
pods do alike can be summed up afterwards: `heliograph.views.chatter`.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from heliograph.views.answers import answer_text
from heliograph.views.discretion import names_in
from heliograph.views.redaction import Redactor
from heliograph.views.sightings import sighting
from heliograph.views.wishes import came_of, deed_words, wishes_of
from shared.actions.objects import Action, CreateObject, DeleteObject
from shared.actions.outcomes import AlreadySo, Done, Gone, Outcome
from shared.aggregates.raycluster import group_of
from shared.events.approvals import Approved
from shared.events.decisions import Answered, Decided, SettingsUsed
from shared.events.envelope import Record
from shared.events.lifecycle import LifeTold
from shared.events.modes import ModeChosen
from shared.events.objects import (
    ChildSeen,
    ObjectGone,
    Observation,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
)
from shared.events.records import KindListed, Parked, StatusWritten, TimerFired
from shared.events.subjects import place_of
from shared.events.told import HealthTold, JobTold, Looked, ServeTold, Told
from shared.resources.labels import HEAD_GROUP

LATE_AFTER = 1.0
"""Seconds after which a timer is called late."""


class Moment(Struct, frozen=True, kw_only=True):
    """One line of a history. `what` is seen, decided, done, told or timer.

    `chatter` says, where a pod does what all pods do, of which group it is and what it does;
    `count` how many lines are summed up in this one.
    """

    sequence: int
    at: datetime
    what: str
    text: str
    because: tuple[str, ...] = ()
    chatter: str = ""
    count: int = 1


class Teller:
    """Tells one resource's records as they come."""

    def __init__(self) -> None:
        self._seen: dict[str, Observation] = {}
        self._groups: dict[str, str] = {}
        self._acts: dict[str, Decided] = {}
        self._told: dict[str, Told] = {}
        self._redactor = Redactor()
        self._learnt: set[tuple[str, int]] = set()

    def tell(self, record: Record) -> Iterator[Moment]:
        """Yield what the next record has to say, without secrets."""
        for moment in self._tell(record):
            because = tuple(map(self._redactor.text, moment.because))
            yield replace(moment, text=self._redactor.text(moment.text), because=because)

    def _tell(self, record: Record) -> Iterator[Moment]:
        body = record.envelope.body
        match body:
            case ResourceSeen() | PodSeen() | ServiceSeen() | ChildSeen() | ObjectGone():
                yield from self._sight(record, body)
            case Decided():
                self._acts[body.id] = body
                yield _moment(record, "decided", wishes_of(body), body.because)
            case Answered():
                yield from self._answers(record, body)
            case StatusWritten() | TimerFired() | Parked():
                yield _said(record, body)
            case SettingsUsed() | KindListed() | LifeTold() | Approved() | ModeChosen():
                return
            case JobTold() | Looked() | ServeTold() | HealthTold():
                text = answer_text(self._told.get(record.subject), body)
                self._told[record.subject] = body
                if text:
                    yield _moment(record, "seen", text)
            case _:
                assert_never(body)

    def _sight(self, record: Record, body: Observation) -> Iterator[Moment]:
        if isinstance(body, PodSeen):
            self._groups[body.meta.name] = group_of(body.meta)
        if isinstance(body, ResourceSeen):
            self._learn(body)
        hide = self._redactor.redacted
        text = sighting(self._seen.get(record.subject), body, _kind_below(record), hide)
        self._seen[record.subject] = body
        if text:
            yield _moment(record, "seen", text, chatter=self._seen_chatter(body, text))

    def _learn(self, seen: ResourceSeen) -> None:
        """Know the secrets of a spec before a message repeats them."""
        known = (seen.meta.uid, seen.meta.generation)
        if known not in self._learnt:
            self._learnt.add(known)
            self._redactor.learn((seen.spec,), names=names_in(seen))

    def _seen_chatter(self, body: Observation, text: str) -> str:
        """Name what a worker does, if it is one of the steps that every pod takes."""
        if isinstance(body, PodSeen):
            name = body.meta.name
        elif isinstance(body, ObjectGone) and body.kind == "pod":
            name = body.name
        else:
            return ""
        step = text.removeprefix(f"pod {name} ")
        return self._chatter(name, _STEPS[step]) if step in _STEPS else ""

    def _chatter(self, pod: str, step: str) -> str:
        group = self._groups.get(pod, "")
        return f"{group}/{step}" if group and group != HEAD_GROUP else ""

    def _answers(self, record: Record, answer: Answered) -> Iterator[Moment]:
        act = self._acts.get(answer.act)
        if act is None:
            yield _moment(record, "done", "something that was decided before the log begins")
            return
        for action, outcome in zip(act.actions, answer.outcomes, strict=False):
            text = f"{deed_words(action)}{came_of(outcome)}"
            yield _moment(record, "done", text, chatter=self._done_chatter(action, outcome))

    def _done_chatter(self, action: Action, outcome: Outcome) -> str:
        """Name what was done to a worker, if it went as every time."""
        if not isinstance(outcome, Done | AlreadySo | Gone):
            return ""
        if isinstance(action, CreateObject) and action.kind == "pod":
            worker = action.group not in ("", HEAD_GROUP)
            return f"{action.group}/create" if worker else ""
        if isinstance(action, DeleteObject) and action.kind == "pod":
            return self._chatter(action.name, "delete")
        return ""


_STEPS = {
    "appeared": "appeared",
    "is Running": "Running",
    "is ready": "ready",
    "is ending": "ending",
    "is gone": "gone",
}


def timeline(records: Iterable[Record]) -> Iterator[Moment]:
    """Tell the records of one resource, oldest first."""
    teller = Teller()
    for record in records:
        yield from teller.tell(record)


def _said(record: Record, body: StatusWritten | TimerFired | Parked) -> Moment:
    if isinstance(body, TimerFired):
        return _moment(record, "timer", timer_words(record, body))
    if isinstance(body, Parked):
        broke = f"nothing can be decided: the rules broke ({body.where})"
        return _moment(record, "decided", broke if body.where else "the rules hold again")
    return _moment(record, "told", "status: " + ("; ".join(body.because) or "details only"))


def _kind_below(record: Record) -> str:
    """Return the kind of an object that is not the resource itself."""
    place = place_of(record.subject)
    if place is None or place.rest == (place.key.kind, place.key.name):
        return ""
    return place.rest[0] if place.rest else ""


def _moment(
    record: Record, what: str, text: str, because: tuple[str, ...] = (), *, chatter: str = ""
) -> Moment:
    return Moment(
        sequence=record.sequence,
        at=record.at,
        what=what,
        text=text,
        because=because,
        chatter=chatter,
    )


def timer_words(record: Record, fired: TimerFired) -> str:
    """Say that a timer went off, and how late."""
    late = (record.at - fired.due_at).total_seconds()
    told = f", {late:.1f} s late" if late > LATE_AFTER else ""
    return f"{fired.timer} went off{told}"
