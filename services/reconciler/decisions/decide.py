"""A resource's view to its next act: kind to decider, and the rules that hold for all kinds.

At most one act per resource is open. An open one is left alone until its timer fires; then a new
act replaces it, even an empty one. A resource that is gone gets one closing act without timers. A
shadow, whose wishes nobody here fulfils, speaks when they change (`looking_on.py`).
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from services.reconciler.decisions.decision import (
    RULES,
    Context,
    Draft,
    identify,
    seal,
)
from services.reconciler.decisions.looking_on import nothing_new
from services.reconciler.decisions.raycluster.decide import draft_raycluster
from services.reconciler.decisions.raycronjob.decide import draft_raycronjob
from services.reconciler.decisions.rayjob.decide import draft_rayjob
from services.reconciler.decisions.rayservice.decide import draft_rayservice
from services.reconciler.decisions.settings import digest_of
from shared.actions.outcomes import Overtaken
from shared.aggregates.phases import phase_of
from shared.aggregates.shadows import wishes_stand
from shared.aggregates.view import View
from shared.events.decisions import WAKE, Decided, Seen

Drafter = Callable[[View, Context], Draft | None]

DRAFTERS: Mapping[str, Drafter] = MappingProxyType(
    {
        "raycluster": draft_raycluster,
        "rayjob": draft_rayjob,
        "raycronjob": draft_raycronjob,
        "rayservice": draft_rayservice,
    }
)


def decide(view: View, context: Context) -> Decided | None:
    """Return the next act of a resource, or None if there is nothing new to say."""
    if view.own is None:
        return _close(view, context)
    looks_on = wishes_stand(view)
    waits = view.open or (not looks_on and _overtaken_by_nothing_seen(view))
    if waits and WAKE not in view.woken:
        return None
    drafter = DRAFTERS.get(view.key.kind)
    draft = drafter(view, context) if drafter else None
    act = seal(view, draft, context) if draft is not None else None
    return None if act is not None and looks_on and nothing_new(view, act) else act


def _overtaken_by_nothing_seen(view: View) -> bool:
    """Whether the executor saw something newer than we do: deciding again would repeat the act."""
    act, own = view.act, view.own
    if act is None or own is None or view.answer is None:
        return False
    if not any(isinstance(outcome, Overtaken) for outcome in view.answer.outcomes):
        return False
    now = (own.meta.generation, phase_of(view.status), own.meta.deleted_at is not None)
    return now == (act.seen.generation, act.seen.phase, act.seen.deleting)


def _close(view: View, context: Context) -> Decided | None:
    """Write under a vanished resource that nothing more will be done, once."""
    if view.former is None or view.last_act is None or view.last_act.closing:
        return None
    act = Decided(
        id="",
        fence=view.act_fence,
        based_on=view.based_on,
        decided_at=view.now,
        seen=Seen(session=context.session, generation=0, phase="gone"),
        rules=RULES,
        settings=digest_of(context.settings),
        because=(f"{view.key.kind} {view.key.name} is gone",),
        closing=True,
    )
    return identify(view, act)
