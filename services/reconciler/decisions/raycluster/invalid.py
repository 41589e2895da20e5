"""A cluster that makes no sense: what is wrong with it, and the warning that says so."""

from services.reconciler.decisions.decision import Draft
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.decisions.senseless import draft_senseless
from shared.aggregates.phases import phase_of
from shared.aggregates.view import View
from shared.resources.problem import Problem
from shared.validation.raycluster import told, validate


def problems(found: Situation) -> tuple[Problem, ...]:
    """Return what is wrong with the resource, the first thing first."""
    return validate(found.cluster, found.settings.features)


def draft(view: View, problems: tuple[Problem, ...]) -> Draft:
    """Tell people about the first problem, unless they were told for this generation."""
    message = told(problems[0], view.key.namespace, view.key.name)
    return draft_senseless(view, problems[0], phase_of(view.status), message)
