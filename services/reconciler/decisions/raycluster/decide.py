"""The concerns of a RayCluster in order, and which of them end the round.

Nothing is computed here. Each concern looks at the same situation and yields actions; the draft
that they fill becomes an act in `services.reconciler.decisions.decision`. What pods rest on comes
before them: access, ingress, secret, storage, policies, services.
"""

from itertools import chain

from msgspec.structs import replace

from services.reconciler.decisions.decision import Context, Draft
from services.reconciler.decisions.raycluster import (
    access,
    auth_secret,
    deletion,
    head,
    ingress,
    invalid,
    network_policy,
    protection,
    services,
    storage,
    suspension,
    unhealthy,
    upgrade,
    worker_groups,
)
from services.reconciler.decisions.raycluster.situation import Situation, situation_of
from shared.aggregates.phases import phase_of
from shared.aggregates.view import View
from shared.resources.predicates import managed_by_us

COMPANIONS = (
    access.ensure,
    ingress.ensure,
    auth_secret.ensure,
    storage.ensure,
    network_policy.ensure,
    services.ensure,
)
PODS = (upgrade.restamp, unhealthy.replace, head.ensure, worker_groups.size)
MARKS = (
    ingress.marks,
    auth_secret.marks,
    storage.marks,
    network_policy.marks,
    services.marks,
)


def draft_raycluster(view: View, context: Context) -> Draft | None:
    """Say what a RayCluster needs now; None while it is somebody else's."""
    phase = phase_of(view.status)
    deleting = view.own is not None and view.own.meta.deleted_at is not None
    found = situation_of(view, context)
    if not isinstance(found, Situation):
        return deletion.draft_unreadable(view) if deleting else invalid.draft(view, found, phase)
    if not managed_by_us(found.cluster):
        return None
    if deleting:
        return deletion.draft(found)
    if problems := invalid.problems(found):
        return invalid.draft(view, problems, phase)
    return protection.protect(found) or _draft(found)


def _draft(found: Situation) -> Draft:
    """Say what a valid, protected cluster needs."""
    noted = tuple(chain.from_iterable(marks(found) for marks in MARKS))
    if suspension.concerns(found):
        return replace(suspension.draft(found), noted=noted)
    if upgrade.concerns(found):
        return replace(upgrade.draft(found), noted=noted)
    concerns = (*COMPANIONS, *(() if head.stays_away(found) else PODS))
    actions = tuple(chain.from_iterable(concern(found) for concern in concerns))
    return Draft(
        phase=found.state.phase,
        actions=actions,
        manifests=found.manifests(actions),
        noted=noted,
        because=storage.because(found),
    )
