"""What the API server refused, or could not do, and nobody has got done since.

Each trouble is about one wish: creating pods of one group, or one named object, or deleting one.
Other wishes of the same resource go on. An act carries the troubles that still wait for another
try; a new generation of the spec starts with none.
"""

from collections.abc import Iterator

from shared.actions.jobs import SubmitJob
from shared.actions.objects import (
    Action,
    ConfigureServe,
    ConfirmObject,
    CreateObject,
    DeleteObject,
    PatchObject,
)
from shared.actions.outcomes import AlreadySo, Gone, Occupied, Outcome, Refused, Unknown
from shared.aggregates.expectations import UNOBSERVED, answered
from shared.aggregates.view import View
from shared.events.decisions import WAKE, Decided, Trouble

_VERBS = {CreateObject: "create", DeleteObject: "delete", PatchObject: "patch"}

WAIT = "wait"
"""The verb of a trouble that no API server made: something is awaited, or for people to settle."""

Wish = tuple[str, str, str]
"""Verb, kind, and the group or name that it is about."""


def wish_of(asked: Action | Trouble) -> Wish | None:
    """Return what an action, or a refused one, is about; None for notices and readings."""
    match asked:
        case Trouble():
            return (asked.verb, asked.kind, asked.group or asked.name)
        case CreateObject():
            return ("create", asked.kind, asked.group or asked.name)
        case DeleteObject() | PatchObject():
            return (_VERBS[type(asked)], asked.kind, asked.name)
        case SubmitJob():
            return ("submit", "job", asked.job_id)
        case ConfigureServe():
            return ("configure", "serve", asked.cluster)
        case _:
            return None


def fresh_troubles(view: View) -> tuple[Trouble, ...]:
    """Return what of the last act was refused, one trouble for each wish.

    Nothing while it is open: who asks Ray is not refused because no answer has come yet.
    """
    if view.open and WAKE not in view.woken:
        return ()
    found = {wish_of(trouble): trouble for trouble in _refused(view)}
    return tuple(found.values())


def _refused(view: View) -> Iterator[Trouble]:
    for action, told in answered(view.act, view.answer) if view.act else ():
        if isinstance(action, ConfirmObject):
            yield from _not_done(view.act, action, told)
        outcome = _at_least(action, told)
        if not isinstance(outcome, Refused | Occupied):
            continue
        if isinstance(action, CreateObject | DeleteObject | PatchObject):
            yield Trouble(
                verb=_VERBS[type(action)],
                rule=action.rule,
                kind=action.kind,
                name=action.name,
                group=action.group if isinstance(action, CreateObject) else "",
                message=outcome.message,
                outage=isinstance(outcome, Refused) and outcome.outage,
            )
        elif isinstance(action, SubmitJob | ConfigureServe):
            verb, kind, name = wish_of(action) or ("", "", "")
            yield Trouble(
                verb=verb, rule=action.rule, kind=kind, name=name, message=outcome.message
            )


def _not_done(act: Decided | None, action: ConfirmObject, outcome: Outcome) -> Iterator[Trouble]:
    """Take for refused what ended in an error, and was not done as a reading shows.

    Whether a change was made no reading shows: it is decided anew.
    """
    for entry in act.expectations if act else ():
        if (entry.kind, entry.name) != (action.kind, action.name):
            continue
        doubted = bool(entry.error) and not entry.resource_version
        left = isinstance(outcome, AlreadySo) and not outcome.deleting and entry.what == "delete"
        missing = isinstance(outcome, Gone | Occupied) and entry.what == "create"
        if doubted and (missing or left):
            yield Trouble(
                verb=entry.what,
                rule=entry.rule or action.rule,
                kind=entry.kind,
                name=entry.name,
                group=entry.group if entry.what == "create" else "",
                message=entry.error,
            )


def _at_least(action: Action, outcome: Outcome | None) -> Outcome | None:
    """Take for refused what must not be asked for again at once.

    That is what was asked of Ray, or of somebody else's object, or is never watched, if nobody sees
    what came of it.
    """
    unseen = isinstance(action, SubmitJob | ConfigureServe) or _not_ours(action) or _hidden(action)
    if unseen and isinstance(outcome, Unknown):
        return Refused(code=0, reason="unknown", message=outcome.error)
    if _not_ours(action) and isinstance(outcome, Gone):
        return Refused(code=0, reason="gone", message="it is not there")
    return outcome


def _hidden(action: Action) -> bool:
    """Whether an action makes something that nobody watches; making it again does no harm."""
    return isinstance(action, CreateObject) and action.kind in UNOBSERVED


def _not_ours(action: Action) -> bool:
    """Whether an action is about an object whose changes are not seen under this resource."""
    return isinstance(action, PatchObject) and bool(action.owner)


def troubles(view: View) -> tuple[Trouble, ...]:
    """Return everything that is in the way of the present generation."""
    act = view.act
    if act is None or view.own is None or act.seen.generation != view.own.meta.generation:
        return ()
    tried = {wish_of(action) for action in act.actions} if view.answer else set()
    waiting = tuple(trouble for trouble in act.troubles if wish_of(trouble) not in tried)
    return waiting + fresh_troubles(view)
