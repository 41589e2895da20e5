"""Which effects of acts the observations do not show yet.

Invariant: an expectation ends only when the object's own record is at or past the version that the
outcome named, never because time went by. What stays unseen is read (`ConfirmObject`), and the
answer is one more outcome to fold here. What is not seen yet counts against creating, never for
deleting.
"""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime

from msgspec.structs import replace

from shared.actions.objects import (
    Action,
    ConfirmObject,
    CreateObject,
    DeleteObject,
    PatchObject,
)
from shared.actions.outcomes import AlreadySo, Done, Gone, Occupied, Outcome, Refused, Unknown
from shared.events.decisions import Answered, Decided, Expectation
from shared.events.objects import ObjectGone, Observation, uid_of, version_of

Name = tuple[str, str]
"""Kind and name of an object."""

UNOBSERVED = frozenset({"secret"})
"""Kinds that are made and never watched: whoever may list Secrets may read them all."""
NO_ANSWER = Unknown(error="no answer is recorded")


def in_flight(
    act: Decided,
    answer: Answered | None,
    children: Mapping[Name, Observation],
    known_gone: Collection[Name] = (),
) -> tuple[Expectation, ...]:
    """Return the act's expectations and the effects of its actions, less what is seen.

    `known_gone` names what the act knew to be gone: an object that was found there after all is
    out of the watchers' sight, because somebody took its labels away.
    """
    flight = {(entry.kind, entry.name): entry for entry in act.expectations}
    for action, outcome in answered(act, answer):
        _expect(flight, action, outcome, act.decided_at)
    return tuple(
        entry
        for name, entry in sorted(flight.items())
        if not _shown(entry, children.get(name), found_again=name in known_gone)
    )


def answered(act: Decided, answer: Answered | None) -> Iterator[tuple[Action, Outcome]]:
    """Pair each action with its outcome; without an answer every outcome is unknown."""
    outcomes = answer.outcomes if answer else ()
    for index, action in enumerate(act.actions):
        yield action, outcomes[index] if index < len(outcomes) else NO_ANSWER


def _expect(
    flight: dict[Name, Expectation], action: Action, outcome: Outcome, since: datetime
) -> None:
    match action:
        case CreateObject() if action.kind in UNOBSERVED:
            found = None
        case CreateObject():
            found = _after_creating(action, outcome, since)
        case DeleteObject():
            found = _after_touching(action, "delete", outcome, since)
        case PatchObject() if action.owner:
            found = None
        case PatchObject():
            found = _after_touching(action, "change", outcome, since)
        case ConfirmObject():
            known = flight.get((action.kind, action.name))
            found = (
                _after_reading(known, outcome, since)
                if known is not None
                else _found_out(action, outcome, since)
            )
        case _:
            found = None
    if found is not None:
        flight[found.kind, found.name] = found


def _after_creating(action: CreateObject, outcome: Outcome, since: datetime) -> Expectation | None:
    entry = Expectation(
        kind=action.kind,
        name=action.name,
        what="create",
        since=since,
        group=action.group,
        labels=action.labels,
    )
    match outcome:
        case Done() | AlreadySo():
            return _present(entry, outcome)
        case Unknown():
            return _doubted(entry, outcome, action.rule)
        case _:
            return None


def _after_touching(
    action: DeleteObject | PatchObject, what: str, outcome: Outcome, since: datetime
) -> Expectation | None:
    entry = Expectation(kind=action.kind, name=action.name, what=what, since=since, uid=action.uid)
    match outcome:
        case Done() | AlreadySo() | Gone():
            return replace(entry, resource_version=outcome.resource_version)
        case Unknown():
            return _doubted(entry, outcome, action.rule)
        case _:
            return None


def _found_out(action: ConfirmObject, outcome: Outcome, since: datetime) -> Expectation | None:
    """Expect the sight of an end that nobody expected, and that a reading told."""
    entry = Expectation(kind=action.kind, name=action.name, what="gone", since=since)
    match outcome:
        case Gone() | Occupied():
            return replace(entry, resource_version=outcome.resource_version)
        case AlreadySo() if outcome.deleting:
            return _present(entry, outcome)
        case _:
            return None


def _after_reading(entry: Expectation, outcome: Outcome, since: datetime) -> Expectation | None:
    again = replace(entry, since=since, asked=entry.asked + 1, error=_instead(outcome))
    match outcome:
        case Done() | AlreadySo():
            return _present(again, outcome)
        case Gone() | Occupied():
            version = outcome.resource_version
            return replace(again, what="gone", resource_version=version, asked=0)
        case _ if again.error:
            return again
        case _:
            return replace(entry, since=since)


def _doubted(entry: Expectation, outcome: Outcome, rule: str) -> Expectation:
    error = _instead(outcome)
    return replace(entry, error=error, rule=rule) if error else entry


def _instead(outcome: Outcome) -> str:
    """Return what came instead of an answer, if anything did."""
    match outcome:
        case Refused():
            return outcome.message
        case Unknown() if outcome != NO_ANSWER:
            return outcome.error
        case _:
            return ""


def _present(entry: Expectation, outcome: Done | AlreadySo) -> Expectation:
    what = "delete" if outcome.deleting else "create"
    version = outcome.resource_version
    return replace(entry, what=what, uid=outcome.uid, resource_version=version)


def _shown(entry: Expectation, record: Observation | None, *, found_again: bool) -> bool:
    """Say whether the object's record shows what is expected."""
    if record is None:
        return entry.what == "gone"
    caught_up = bool(entry.resource_version) and version_of(record) >= entry.resource_version
    gone = isinstance(record, ObjectGone)
    if entry.what == "create":
        return not (gone and found_again) and _shows_creation(entry, record)
    replaced = bool(entry.uid) and uid_of(record) != entry.uid
    if entry.what == "gone":
        return gone or caught_up or replaced
    if entry.what == "change":
        return gone or caught_up or replaced
    going = replaced or _deleting(record)
    final = gone and not replaced
    return final or (going and (caught_up or not entry.resource_version))


def _shows_creation(entry: Expectation, record: Observation) -> bool:
    """Say whether a creation is seen; a tombstone must be newer, or the object is out of sight."""
    if isinstance(record, ObjectGone):
        return bool(entry.resource_version) and version_of(record) > entry.resource_version
    return not entry.resource_version or version_of(record) >= entry.resource_version


def _deleting(record: Observation) -> bool:
    return not isinstance(record, ObjectGone) and record.meta.deleted_at is not None
