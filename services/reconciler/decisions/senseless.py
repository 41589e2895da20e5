"""A resource that makes no sense gets a warning that says so, once per generation, and waits.

Nothing of it is touched. Repaired, it goes on as if nothing had been. A warning of which the
executor says that it cannot have arrived is given again: where a resource has no field for what is
wrong with it, nobody else would tell.
"""

from datetime import timedelta

from services.reconciler.decisions.decision import Draft
from shared.actions.objects import PostNotice
from shared.actions.outcomes import Unknown
from shared.aggregates.expectations import answered
from shared.aggregates.view import View
from shared.events.decisions import Decided, Timer, Trouble
from shared.resources.problem import Problem

AGAIN = "tell"
"""The timer after which people are told again."""
PAUSE = timedelta(seconds=30)


def draft_senseless(view: View, first: Problem, phase: str, message: str) -> Draft:
    """Tell people about the first problem, unless they were told for this generation."""
    generation = view.own.meta.generation if view.own else 0
    mark, unheard = f"invalid/{generation}", f"unheard/{generation}"
    if view.act and mark in view.act.noted and not _lost(view, view.act):
        return Draft(phase=phase, noted=view.act.noted, troubles=view.act.troubles)
    pause = _pause(view, mark, unheard)
    if view.act and pause is not None:
        noted, troubles = (unheard,), view.act.troubles
        return Draft(phase=phase, noted=noted, troubles=troubles, timers=(pause,))
    at = f"{first.path}: " if first.path else ""
    notice = PostNotice(
        warning=True,
        reason=first.reason,
        action="Validate",
        message=message,
        rule="invalid",
        because=f"{at}{first.message}",
    )
    trouble = Trouble(
        verb="validate",
        rule=first.reason,
        kind=view.key.kind,
        name=view.key.name,
        message=f"{at}{first.message}",
    )
    return Draft(phase=phase, actions=(notice,), noted=(mark,), troubles=(trouble,))


def _lost(view: View, act: Decided) -> bool:
    """Whether the warning of the last act was sent and nobody knows where it is."""
    return view.answer is not None and any(
        isinstance(action, PostNotice) and isinstance(outcome, Unknown)
        for action, outcome in answered(act, view.answer)
    )


def _pause(view: View, mark: str, unheard: str) -> Timer | None:
    """Return what is waited for before people are told again, if so."""
    noted = view.act.noted if view.act else ()
    if mark in noted:
        because = "what is wrong could not be told"
        return Timer(name=AGAIN, due_at=view.now + PAUSE, because=because)
    if unheard not in noted or AGAIN in view.woken or view.act is None:
        return None
    return next((timer for timer in view.act.timers if timer.name == AGAIN), None)
