"""The concerns of a RayCluster in order, and which of them end the round.

Nothing is computed here. Each concern looks at the same situation and yields actions; the draft
that they fill becomes an act in `services.reconciler.decisions.decision`. What pods rest on comes
before them: access, ingress, secret, storage, policies, services.
"""

from itertools import chain

from msgspec.structs import replace

from services.reconciler.decisions.decision import Context, Draft
from services.reconciler.decisions.oversize import somebody_elses
from services.reconciler.decisions.raycluster import (
    access,
    auth_secret,
    batch_scheduling,
    certificate_news,
    certificates,
    deletion,
    head,
    ingress,
    invalid,
    network_policy,
    obstacles,
    protection,
    route,
    services,
    storage,
    suspension,
    unhealthy,
    upgrade,
    warnings,
    worker_groups,
)
from services.reconciler.decisions.raycluster.situation import Situation, situation_of
from shared.actions.objects import PostNotice
from shared.aggregates.view import View

COMPANIONS = (
    warnings.warn,
    access.ensure,
    ingress.ensure,
    route.ensure,
    auth_secret.ensure,
    storage.ensure,
    network_policy.ensure,
    certificates.ensure,
    certificate_news.tell,
    services.ensure,
    batch_scheduling.ensure,
)
PODS = (upgrade.restamp, unhealthy.replace, head.ensure, worker_groups.size)
MARKS = (
    warnings.marks,
    ingress.marks,
    auth_secret.marks,
    storage.marks,
    network_policy.marks,
    certificates.marks,
    certificate_news.marks,
    services.marks,
    batch_scheduling.marks,
)


def draft_raycluster(view: View, context: Context) -> Draft | None:
    """Say what a RayCluster needs now; None while it is somebody else's."""
    deleting = view.own is not None and view.own.meta.deleted_at is not None
    if somebody_elses(view):
        return None
    found = situation_of(view, context)
    if not isinstance(found, Situation):
        return deletion.draft_unreadable(view) if deleting else invalid.draft(view, found)
    if deleting:
        return deletion.draft(found)
    if problems := invalid.problems(found):
        return invalid.draft(view, problems)
    return protection.protect(found) or _draft(found)


def _draft(found: Situation) -> Draft:
    """Say what a valid, protected cluster needs."""
    noted = tuple(chain.from_iterable(marks(found) for marks in MARKS))
    if suspension.concerns(found):
        return _with_warnings(found, suspension.draft(found), noted)
    if upgrade.concerns(found):
        return _with_warnings(found, upgrade.draft(found), noted)
    concerns = (*COMPANIONS, *(() if _pods_rest(found) else PODS))
    actions = tuple(chain.from_iterable(concern(found) for concern in concerns))
    in_the_way = obstacles.obstacles(found)
    return Draft(
        phase=found.state.phase,
        actions=actions,
        manifests=found.manifests(actions),
        noted=noted,
        troubles=in_the_way + batch_scheduling.troubles(found),
        timers=certificate_news.timers(found),
        because=(
            *storage.because(found),
            *obstacles.because(found, in_the_way),
            *batch_scheduling.because(found),
        ),
    )


def _pods_rest(found: Situation) -> bool:
    """Whether no pod is touched: the head shall stay away, or the gang's group is not ready."""
    return head.stays_away(found) or batch_scheduling.holds(found)


def _with_warnings(found: Situation, draft: Draft, noted: tuple[str, ...]) -> Draft:
    """Tell what is to be told in any phase: marks say that it was."""
    actions = chain.from_iterable(concern(found) for concern in COMPANIONS)
    warnings = tuple(action for action in actions if isinstance(action, PostNotice))
    return replace(draft, actions=warnings + draft.actions, noted=noted)
