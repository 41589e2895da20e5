"""A resource that makes no sense gets a warning that says so, once per generation, and waits.

Nothing of it is touched. Repaired, it goes on as if nothing had been.
"""

from services.reconciler.decisions.decision import Draft
from shared.actions.objects import PostNotice
from shared.aggregates.view import View
from shared.events.decisions import Trouble
from shared.resources.problem import Problem


def draft_senseless(view: View, first: Problem, phase: str, message: str) -> Draft:
    """Tell people about the first problem, unless they were told for this generation."""
    generation = view.own.meta.generation if view.own else 0
    mark = f"invalid/{generation}"
    if view.act and mark in view.act.noted:
        return Draft(phase=phase, noted=view.act.noted, troubles=view.act.troubles)
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
