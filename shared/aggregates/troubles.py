"""What the API server refused and nobody has got done since.

Each trouble is about one wish: creating pods of one group, or one named object, or deleting one.
Other wishes of the same resource go on. An act carries the troubles that still wait for another
try; a new generation of the spec starts with none.
"""

from collections.abc import Iterator

from shared.actions.objects import Action, CreateObject, DeleteObject, PatchObject
from shared.actions.outcomes import Occupied, Refused
from shared.aggregates.expectations import answered
from shared.aggregates.view import View
from shared.events.decisions import Trouble

_VERBS = {CreateObject: "create", DeleteObject: "delete", PatchObject: "patch"}

Wish = tuple[str, str, str]
"""Verb, kind, and the group or name that it is about."""


def wish_of(asked: Action | Trouble) -> Wish | None:
    """Return what an action, or a refused one, is about; None for notices and readings."""
    match asked:
        case Trouble():
            return (asked.verb, asked.kind, asked.group or asked.name)
        case CreateObject():
            return ("create", asked.kind, asked.group or asked.name)
        case DeleteObject():
            return ("delete", asked.kind, asked.name)
        case PatchObject():
            return ("patch", asked.kind, asked.name)
        case _:
            return None


def fresh_troubles(view: View) -> tuple[Trouble, ...]:
    """Return what of the last act was refused, one trouble for each wish."""
    found = {wish_of(trouble): trouble for trouble in _refused(view)}
    return tuple(found.values())


def _refused(view: View) -> Iterator[Trouble]:
    for action, outcome in answered(view.act, view.answer) if view.act else ():
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
            )


def troubles(view: View) -> tuple[Trouble, ...]:
    """Return everything that is in the way of the present generation."""
    act = view.act
    if act is None or view.own is None or act.seen.generation != view.own.meta.generation:
        return ()
    tried = {wish_of(action) for action in act.actions} if view.answer else set()
    waiting = tuple(trouble for trouble in act.troubles if wish_of(trouble) not in tried)
    return waiting + fresh_troubles(view)
