"""What this version would have decided otherwise, the dangerous part first. Pure.

Every act is judged on its own recorded prefix, so what differs first does not make everything after
it differ. Destructive is what takes away or changes something that lives, and was not decided then:
a deletion, a change, the stop of a job, another configuration for Serve.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import assert_never

from msgspec import Struct

from heliograph.views.replay import Verdict
from heliograph.views.wishes import deed_words
from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.objects import (
    Action,
    ConfigureServe,
    ConfirmObject,
    CreateObject,
    DeleteObject,
    PatchObject,
    PostNotice,
)
from shared.events.codec import encode
from shared.events.decisions import Decided

NO_RULE = "(no action)"
"""Where only words, timers or wants differ."""

Deed = tuple[str, ...]


class Change(Struct, frozen=True, kw_only=True):
    """One decision that would differ. `destroys` is what it would newly take away or change."""

    resource: str
    sequence: int
    at: datetime | None
    rules: tuple[str, ...]
    destroys: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()


class Group(Struct, frozen=True, kw_only=True):
    """The changes of one rule, or of several that changed together."""

    rules: tuple[str, ...]
    destructive: bool
    changes: tuple[Change, ...]


class Rehearsal(Struct, frozen=True, kw_only=True):
    """Everything that would differ, and how much was looked at."""

    decisions: int
    resources: int
    missing: int
    different: int
    destructive: int
    groups: tuple[Group, ...]


class Rehearsing:
    """Gathers verdicts; holds what differs and nothing else."""

    def __init__(self) -> None:
        self._decisions = 0
        self._missing = 0
        self._resources: set[str] = set()
        self._changes: list[Change] = []

    def take(self, verdict: Verdict) -> None:
        """Take the next verdict."""
        self._decisions += 1
        self._missing += verdict.missing
        self._resources.add(str(verdict.key))
        if verdict.differences:
            self._changes.append(change_of(verdict))

    def result(self) -> Rehearsal:
        """Return what was found, destructive changes first."""
        return Rehearsal(
            decisions=self._decisions,
            resources=len(self._resources),
            missing=self._missing,
            different=len(self._changes),
            destructive=sum(1 for change in self._changes if change.destroys),
            groups=tuple(_grouped(self._changes)),
        )


def change_of(verdict: Verdict) -> Change:
    """Say what would be done otherwise."""
    then, now = _deeds(verdict.then), _deeds(verdict.now)
    new = [action for deed, action in now.items() if deed not in then]
    gone = [action for deed, action in then.items() if deed not in now]
    touched = {action.rule for action in (*new, *gone)} or _rules_apart(then, now)
    return Change(
        resource=str(verdict.key),
        sequence=verdict.sequence,
        at=verdict.then.decided_at if verdict.then else None,
        rules=tuple(sorted(touched)) or (NO_RULE,),
        destroys=tuple(deed_words(action) for action in new if destroys(action)),
        adds=tuple(deed_words(action) for action in new if not destroys(action)),
        leaves=tuple(deed_words(action) for action in gone),
        differences=verdict.differences,
    )


def destroys(action: Action) -> bool:
    """Whether an action takes away or changes what lives."""
    match action:
        case DeleteObject() | PatchObject() | StopJob() | ConfigureServe():
            return True
        case CreateObject() | ConfirmObject() | PostNotice() | SubmitJob():
            return False
        case _:
            assert_never(action)


def _deeds(act: Decided | None) -> dict[Deed, Action]:
    return {_deed(action): action for action in (act.actions if act else ())}


def _deed(action: Action) -> Deed:
    """Return what makes an action this one and no other: its words do not count."""
    word = type(action).__name__
    match action:
        case PatchObject():
            return word, action.kind, action.name, action.uid, encode(action.patch).decode()
        case DeleteObject():
            return word, action.kind, action.name, action.uid
        case CreateObject() | ConfirmObject():
            return word, action.kind, action.name
        case PostNotice():
            return word, action.reason, action.message
        case SubmitJob() | StopJob():
            return word, action.job_id
        case ConfigureServe():
            return word, action.cluster, encode(action.config).decode()
        case _:
            assert_never(action)


def _rules_apart(then: dict[Deed, Action], now: dict[Deed, Action]) -> set[str]:
    """Return the rules of actions that are the same deed in other words."""
    return {action.rule for deed, action in now.items() if then.get(deed) != action}


def _grouped(changes: Iterable[Change]) -> Iterator[Group]:
    groups: dict[tuple[bool, tuple[str, ...]], list[Change]] = {}
    for change in changes:
        groups.setdefault((bool(change.destroys), change.rules), []).append(change)
    ordered = sorted(groups.items(), key=lambda item: (not item[0][0], -len(item[1]), item[0][1]))
    for (destructive, rules), found in ordered:
        yield Group(rules=rules, destructive=destructive, changes=tuple(found))
