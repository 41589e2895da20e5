"""The concerns of a RayCluster in order, and which of them end the round.

Nothing is computed here. Each concern looks at the same situation and yields actions; the draft
that they fill becomes an act in `services.reconciler.decisions.decision`.
"""

from itertools import chain

from services.reconciler.decisions.decision import Context, Draft
from services.reconciler.decisions.raycluster import (
    head,
    invalid,
    services,
    suspension,
    unhealthy,
    worker_groups,
)
from services.reconciler.decisions.raycluster.situation import Situation, situation_of
from shared.aggregates.phases import phase_of
from shared.aggregates.view import View
from shared.resources.predicates import managed_by_us


def draft_raycluster(view: View, context: Context) -> Draft | None:
    """Say what a RayCluster needs now; None while it is somebody else's or on its way out."""
    phase = phase_of(view.status)
    found = situation_of(view, context)
    if not isinstance(found, Situation):
        return invalid.draft(view, found, phase)
    if not managed_by_us(found.cluster):
        return None
    if view.own and view.own.meta.deleted_at:
        return Draft(phase=phase)
    if problems := invalid.problems(found):
        return invalid.draft(view, problems, phase)
    if suspension.concerns(found):
        return suspension.draft(found)
    pods = (unhealthy.replace, head.ensure, worker_groups.size)
    concerns = (services.ensure, *(() if head.stays_away(found) else pods))
    actions = tuple(chain.from_iterable(concern(found) for concern in concerns))
    return Draft(phase=phase, actions=actions, manifests=found.manifests(actions))
