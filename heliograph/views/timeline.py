"""One resource's history in people's words: what was seen, decided, done and told.

A fold over its records in order. What repeats (an echo of our own status, an update that changes
nothing a person would notice) is left out. Pure: the same records give the same lines.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import assert_never

from msgspec import Struct

from heliograph.views.answers import answer_text
from heliograph.views.sightings import sighting
from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.objects import (
    Action,
    ConfigureServe,
    ConfirmObject,
    CreateObject,
    DeleteObject,
    PatchObject,
    PostNotice,
    RayAction,
)
from shared.actions.outcomes import (
    AlreadySo,
    Done,
    Gone,
    Occupied,
    Outcome,
    Overtaken,
    Refused,
    Unknown,
)
from shared.events.decisions import Answered, Decided, SettingsUsed
from shared.events.envelope import Record
from shared.events.objects import (
    ChildSeen,
    ObjectGone,
    Observation,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
)
from shared.events.records import KindListed, StatusWritten, TimerFired
from shared.events.told import HealthTold, JobTold, Looked, ServeTold, Told

LATE_AFTER = 1.0
"""Seconds after which a timer is called late."""


class Moment(Struct, frozen=True, kw_only=True):
    """One line of a history. `what` is seen, decided, done, told or timer."""

    sequence: int
    at: datetime
    what: str
    text: str
    because: tuple[str, ...] = ()


class Teller:
    """Tells one resource's records as they come."""

    def __init__(self) -> None:
        self._seen: dict[str, Observation] = {}
        self._acts: dict[str, Decided] = {}
        self._told: dict[str, Told] = {}

    def tell(self, record: Record) -> Iterator[Moment]:
        """Yield what the next record has to say."""
        body = record.envelope.body
        match body:
            case ResourceSeen() | PodSeen() | ServiceSeen() | ChildSeen() | ObjectGone():
                text = sighting(self._seen.get(record.subject), body)
                self._seen[record.subject] = body
                if text:
                    yield _moment(record, "seen", text)
            case Decided():
                self._acts[body.id] = body
                yield _moment(record, "decided", _wishes(body), body.because)
            case Answered():
                yield from _answers(record, body, self._acts.get(body.act))
            case StatusWritten() | TimerFired() | SettingsUsed() | KindListed():
                yield from _said(record, body)
            case JobTold() | Looked() | ServeTold() | HealthTold():
                text = answer_text(self._told.get(record.subject), body)
                self._told[record.subject] = body
                if text:
                    yield _moment(record, "seen", text)
            case _:
                assert_never(body)


def timeline(records: Iterable[Record]) -> Iterator[Moment]:
    """Tell the records of one resource, oldest first."""
    teller = Teller()
    for record in records:
        yield from teller.tell(record)


def _said(
    record: Record, body: StatusWritten | TimerFired | SettingsUsed | KindListed
) -> Iterator[Moment]:
    match body:
        case StatusWritten():
            yield _moment(record, "told", "status: " + ("; ".join(body.because) or "details only"))
        case TimerFired():
            yield _moment(record, "timer", _timer(record, body))
        case SettingsUsed() | KindListed():
            return
        case _:
            assert_never(body)


def _moment(record: Record, what: str, text: str, because: tuple[str, ...] = ()) -> Moment:
    return Moment(sequence=record.sequence, at=record.at, what=what, text=text, because=because)


def _wishes(act: Decided) -> str:
    if not act.actions:
        return "to close its books" if act.closing else "to wait"
    counts: dict[str, int] = {}
    for action in act.actions:
        words = _wish(action)
        counts[words] = counts.get(words, 0) + 1
    return ", ".join(
        f"{words} ({count})" if count > 1 else words for words, count in counts.items()
    )


def _wish(action: Action) -> str:
    match action:
        case CreateObject():
            return f"create {_thing(action)}"
        case PatchObject():
            return f"change {action.kind} {action.name}"
        case DeleteObject():
            return f"delete {action.kind} {action.name}"
        case ConfirmObject():
            return f"look again for {action.kind} {action.name}"
        case PostNotice():
            return f"tell people: {action.reason}"
        case SubmitJob() | StopJob() | ConfigureServe():
            return _errand(action)
        case _:
            assert_never(action)


def _errand(action: RayAction) -> str:
    if isinstance(action, ConfigureServe):
        return f"tell Serve on {action.cluster} what to run"
    verb = "submit" if isinstance(action, SubmitJob) else "stop"
    return f"{verb} Ray job {action.job_id}"


def _thing(action: CreateObject) -> str:
    if action.group:
        return f"{action.kind} of group {action.group}"
    return f"{action.kind} {action.name}"


def _answers(record: Record, answer: Answered, act: Decided | None) -> Iterator[Moment]:
    if act is None:
        yield _moment(record, "done", "something that was decided before the log begins")
        return
    for action, outcome in zip(act.actions, answer.outcomes, strict=False):
        yield _moment(record, "done", f"{_deed(action)}{came_of(outcome)}")


def _deed(action: Action) -> str:
    match action:
        case CreateObject():
            return f"create {action.kind} {action.name}"
        case _:
            return _wish(action)


def came_of(outcome: Outcome) -> str:
    """Say what came of an action, as it stands after it; nothing if it simply was done."""
    match outcome:
        case Done() | AlreadySo() | Gone():
            return _WENT_WELL[type(outcome)]
        case Refused():
            return f": refused: {outcome.message}"
        case Occupied():
            return f": the name is taken: {outcome.message}"
        case Overtaken():
            return f": not done, {outcome.because}"
        case Unknown():
            return f": no answer: {outcome.error}"
        case _:
            assert_never(outcome)


_WENT_WELL = {Done: "", AlreadySo: ": it was so already", Gone: ": it is gone"}


def _timer(record: Record, fired: TimerFired) -> str:
    late = (record.at - fired.due_at).total_seconds()
    told = f", {late:.1f} s late" if late > LATE_AFTER else ""
    return f"{fired.timer} went off{told}"
