"""One resource as the log tells it: the last record of each of its subjects, and nothing else.

Invariant: a view is a function of a prefix of the log. Whoever followed for days, whoever loaded a
second ago and whoever replays next week hold the same view at the same sequence. Subjects are by
name, truth is by uid: what belongs to a former resource of the same name is invisible, except that
its sequence still fences the subject and its name is still taken.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from operator import attrgetter
from types import MappingProxyType

from msgspec import Struct

from shared.aggregates.expectations import Name, in_flight
from shared.events import subjects
from shared.events.decisions import Answered, Decided, Expectation
from shared.events.envelope import Record
from shared.events.lifecycle import LifeTold
from shared.events.objects import (
    ChildSeen,
    ObjectGone,
    Observation,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
)
from shared.events.records import Parked, StatusWritten, TimerFired
from shared.events.told import HealthTold, JobTold, Looked, ServeTold, Told
from shared.kernel.instants import EPOCH
from shared.kernel.keys import ResourceKey

TOLD = (JobTold, Looked, ServeTold, HealthTold)
NO_STATUS: Mapping[str, object] = MappingProxyType({})
_SEQUENCE = attrgetter("sequence")


class Heard(Struct, frozen=True, kw_only=True):
    """An answer to a want, and when it came."""

    body: Told
    at: datetime


class Life(Struct, frozen=True, kw_only=True):
    """The last lifecycle event of a resource, and of which uid it was."""

    body: LifeTold
    uid: str
    sequence: int
    at: datetime


class Parking(Struct, frozen=True, kw_only=True):
    """What was told last of rules that broke, or hold again, and of which uid it was."""

    body: Parked
    uid: str
    sequence: int
    at: datetime


NOTHING_TOLD: Mapping[str, Heard] = MappingProxyType({})
NO_FENCES: Mapping[str, int] = MappingProxyType({})


class View(Struct, frozen=True, kw_only=True):
    """The aggregate. `based_on` and `now` are those of its newest record."""

    key: ResourceKey
    based_on: int
    now: datetime
    own: ResourceSeen | None
    """The resource, unless it was never seen or is gone."""
    former: ObjectGone | None
    """Its tombstone, if that is the last that was seen of it."""
    children: Mapping[Name, Observation]
    """Everything else seen under this resource, tombstones and strangers included."""
    act: Decided | None
    """The last act for this uid."""
    answer: Answered | None
    """What came of it."""
    last_act: Decided | None
    """The last act of its subject, for whichever uid."""
    status: Mapping[str, object]
    """The newer of what was seen and what was written."""
    status_version: int
    """The resourceVersion that the status has."""
    act_fence: int
    answer_fence: int
    status_fence: int
    woken: frozenset[str]
    """Timers of the last act that have gone off."""
    expectations: tuple[Expectation, ...]
    told: Mapping[str, Heard] = NOTHING_TOLD
    """The last answers to what acts wanted, by the want's name, whether still wanted or not."""
    dash_fences: Mapping[str, int] = NO_FENCES
    """The sequences that fence the answers, those of former resources included."""

    life: Life | None = None
    """The last lifecycle event that was told, those of former resources included."""

    parking: Parking | None = None
    """What was told last of rules that broke, for whichever uid; no decision depends on it."""

    @property
    def parked(self) -> str:
        """Where the rules broke over this generation, if they did since the last act."""
        if self.parking is None or self.own is None or self.parking.uid != self.own.meta.uid:
            return ""
        told = self.parking.body
        counts = (told.generation, told.act) == (self.own.meta.generation, self.act_fence)
        return told.where if counts else ""

    @property
    def open(self) -> bool:
        """Whether the last act has actions and no answer yet."""
        return self.act is not None and bool(self.act.actions) and self.answer is None


def view(key: ResourceKey, records: Iterable[Record]) -> View:
    """Fold a resource's records, in any order: the last of each subject counts."""
    ordered = sorted(records, key=_SEQUENCE)
    latest = {record.subject: record for record in ordered}
    newest = ordered[-1] if ordered else None
    seen = latest.get(subjects.own(key))
    own = seen.envelope.body if seen else None
    uid = own.meta.uid if isinstance(own, ResourceSeen) else ""
    mine = {
        subject: record for subject, record in latest.items() if uid and record.envelope.uid == uid
    }
    act, answer = _act_and_answer(key, mine)
    children = _children(key, latest)
    status, status_version = _status(own, mine.get(subjects.status(key)))
    last_act = latest.get(subjects.act(key))
    told, dash_fences = _answers(uid, latest)
    return View(
        key=key,
        based_on=newest.sequence if newest else 0,
        now=newest.at if newest else EPOCH,
        own=own if isinstance(own, ResourceSeen) else None,
        former=own if isinstance(own, ObjectGone) else None,
        children=children,
        act=act,
        answer=answer,
        last_act=_decided(last_act),
        status=status,
        status_version=status_version,
        act_fence=_fence(last_act),
        answer_fence=_fence(latest.get(subjects.res(key))),
        status_fence=_fence(latest.get(subjects.status(key))),
        woken=_woken(key, act, mine),
        expectations=_expectations(act, answer, {**children, **_itself(key, own)}, latest),
        told=told,
        dash_fences=dash_fences,
        life=_life(latest),
        parking=_parking(latest.get(subjects.parked(key))),
    )


def _fence(record: Record | None) -> int:
    return record.sequence if record else 0


def _decided(record: Record | None) -> Decided | None:
    body = record.envelope.body if record else None
    return body if isinstance(body, Decided) else None


def _act_and_answer(
    key: ResourceKey, mine: Mapping[str, Record]
) -> tuple[Decided | None, Answered | None]:
    act = _decided(mine.get(subjects.act(key)))
    record = mine.get(subjects.res(key))
    answer = record.envelope.body if record else None
    if act is None or not isinstance(answer, Answered) or answer.act != act.id:
        return act, None
    return act, answer


def _children(key: ResourceKey, latest: Mapping[str, Record]) -> Mapping[Name, Observation]:
    found: dict[Name, Observation] = {}
    for subject, record in latest.items():
        place = subjects.place_of(subject)
        if place is None or place.facet != "obs" or place.rest == (key.kind, key.name):
            continue
        body = record.envelope.body
        if isinstance(body, PodSeen | ServiceSeen | ChildSeen | ResourceSeen | ObjectGone):
            found[place.rest[0], place.rest[1]] = body
    return dict(sorted(found.items()))


def _expectations(
    act: Decided | None,
    answer: Answered | None,
    seen: Mapping[Name, Observation],
    latest: Mapping[str, Record],
) -> tuple[Expectation, ...]:
    return in_flight(act, answer, seen, _known_gone(act, latest)) if act else ()


def _known_gone(act: Decided, latest: Mapping[str, Record]) -> frozenset[Name]:
    """Name what was told to be gone before this act was decided, and not told of since."""
    found: set[Name] = set()
    for subject, record in latest.items():
        if record.sequence <= act.based_on and isinstance(record.envelope.body, ObjectGone):
            place = subjects.place_of(subject)
            if place is not None and place.facet == "obs":
                found.add((place.rest[0], place.rest[1]))
    return frozenset(found)


def _itself(key: ResourceKey, own: object) -> Mapping[Name, Observation]:
    """Return the resource as one of the objects that an act may have changed."""
    return {(key.kind, key.name): own} if isinstance(own, ResourceSeen | ObjectGone) else {}


def _status(own: object, written: Record | None) -> tuple[Mapping[str, object], int]:
    """Return the status with the higher version: an echo, a crash and a lost log all read right."""
    if not isinstance(own, ResourceSeen):
        return NO_STATUS, 0
    body = written.envelope.body if written else None
    if isinstance(body, StatusWritten) and body.resource_version > own.meta.resource_version:
        return body.status, body.resource_version
    return own.status, own.meta.resource_version


def _woken(key: ResourceKey, act: Decided | None, mine: Mapping[str, Record]) -> frozenset[str]:
    woken = set()
    for timer in act.timers if act else ():
        record = mine.get(subjects.fired(key, timer.name))
        body = record.envelope.body if record else None
        if isinstance(body, TimerFired) and body.due_at == timer.due_at:
            woken.add(timer.name)
    return frozenset(woken)


def _parking(record: Record | None) -> Parking | None:
    body = record.envelope.body if record else None
    if record is None or not isinstance(body, Parked):
        return None
    return Parking(body=body, uid=record.envelope.uid, sequence=record.sequence, at=record.at)


def _life(latest: Mapping[str, Record]) -> Life | None:
    told = [
        Life(body=body, uid=record.envelope.uid, sequence=record.sequence, at=record.at)
        for subject, record in latest.items()
        if ".life." in subject and isinstance(body := record.envelope.body, LifeTold)
    ]
    return max(told, key=lambda one: one.sequence, default=None)


def _answers(
    uid: str, latest: Mapping[str, Record]
) -> tuple[Mapping[str, Heard], Mapping[str, int]]:
    """Return the answers to wants of this uid, and the fences of all."""
    heard: dict[str, Heard] = {}
    fences: dict[str, int] = {}
    for subject, record in latest.items():
        place = subjects.place_of(subject) if ".dash." in subject else None
        if place is None or place.facet != "dash":
            continue
        fences[place.rest[0]] = record.sequence
        body = record.envelope.body
        if uid and record.envelope.uid == uid and isinstance(body, TOLD):
            heard[place.rest[0]] = Heard(body=body, at=record.at)
    return dict(sorted(heard.items())), fences
