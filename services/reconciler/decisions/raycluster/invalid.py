"""A resource that makes no sense gets a warning that says so, once per generation, and waits.

Nothing of it is touched. Repaired, it goes on as if nothing had been.
"""

from services.reconciler.decisions.decision import Draft
from services.reconciler.decisions.raycluster.situation import Situation
from shared.actions.objects import PostNotice
from shared.aggregates.view import View
from shared.events.decisions import Trouble
from shared.resources.problem import Problem
from shared.validation.raycluster import told, validate


def problems(found: Situation) -> tuple[Problem, ...]:
    """Return what is wrong with the resource, the first thing first."""
    return validate(found.cluster, found.settings.features)


def draft(view: View, problems: tuple[Problem, ...], phase: str) -> Draft:
    """Tell people about the first problem, unless they were told for this generation."""
    generation = view.own.meta.generation if view.own else 0
    mark = f"invalid/{generation}"
    if view.act and mark in view.act.noted:
        return Draft(phase=phase, noted=view.act.noted, troubles=view.act.troubles)
    first = problems[0]
    at = f"{first.path}: " if first.path else ""
    notice = PostNotice(
        warning=True,
        reason=first.reason,
        action="Validate",
        message=told(first, view.key.namespace, view.key.name),
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
