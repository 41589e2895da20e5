"""What the rules would want if something had not happened. Pure.

An operator that is quicker than we are has done a thing before we could want it, and what it went
by may reach our log after its effect. So what appeared is not looked up among our wishes: it is
taken away again, and the rules are asked whether they want it.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from heliograph.views.likeness import Likeness, likeness_of
from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.settings import DecisionSettings
from shared.actions.objects import Action, DeleteObject
from shared.actions.outcomes import Overtaken
from shared.aggregates.expectations import Name
from shared.aggregates.shadows import wishes_stand
from shared.aggregates.view import View
from shared.events.decisions import REFRESH, WAKE, Answered
from shared.events.modes import NOT_DONE
from shared.events.objects import ObjectSeen

Would = Callable[[View], tuple[Action, ...]]
"""Say what is wanted in a view."""

AHEAD = timedelta(seconds=1)
"""By how much another operator's deadline may come before ours: each counts from its own sight."""


class Effect(Struct, frozen=True, kw_only=True):
    """Something that appeared or went. `before` is how it was; None if it was not there."""

    like: Likeness
    name: Name
    owner: str
    at: datetime
    sequence: int
    before: ObjectSeen | None = None
    rule: str = ""
    """The rule that it says made it, if it says so."""


def would_with(known: dict[str, dict[str, object]]) -> Would:
    """Return how to ask the installed rules, in the settings that the last act names.

    A view without an act is judged by the settings that were recorded last.
    """
    read: dict[str, DecisionSettings] = {}

    def would(view: View) -> tuple[Action, ...]:
        digest = view.act.settings if view.act else next(reversed(known), "")
        if digest not in known:
            return ()
        if digest not in read:
            read[digest] = msgspec.convert(known[digest], DecisionSettings)
        return _wanted(view, Context(settings=read[digest], session="supposed"))

    return would


def _wanted(view: View, context: Context) -> tuple[Action, ...]:
    act = view.act
    if act is not None and view.open:
        undone = tuple(Overtaken(because=NOT_DONE) for _ in act.actions)
        answer = Answered(act=act.id, outcomes=undone)
        view = replace(view, answer=answer, expectations=act.expectations)
    decided = decide(view, context)
    if decided is not None:
        return decided.actions
    return act.actions if act is not None and wishes_stand(view) else ()


def supposed(view: View, effect: Effect) -> View:
    """Return the view as if the effect had not been, at the moment when it was made."""
    children = {name: seen for name, seen in view.children.items() if name != effect.name}
    if effect.before is not None:
        children[effect.name] = effect.before
    now = max(view.now, effect.at) + AHEAD
    timers = view.act.timers if view.act else ()
    due = {one.name for one in timers if one.name not in (WAKE, REFRESH) and one.due_at <= now}
    return replace(view, children=dict(sorted(children.items())), now=now, woken=view.woken | due)


def wanted_in(view: View, effect: Effect, would: Would) -> Action | None:
    """Return the action by which the rules would have brought about the effect, if any."""
    instead = supposed(view, effect)
    alike = [
        action for action in would(instead) if likeness_of(action, instead.children) == effect.like
    ]
    named = (one for one in alike if isinstance(one, DeleteObject) and one.name == effect.name[1])
    return next(named, alike[0] if alike else None)
