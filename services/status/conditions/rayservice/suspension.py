"""Suspending a RayService and resuming it: one way, step by step.

It begins when the user wants it, ends when nothing is left after a closed act that saw this very
phase, and then waits. Whoever changes their mind meanwhile waits until it has come to its end.
"""

from services.status.conditions.transitions import Conditions, Finding, holds, record
from shared.aggregates.phases import SERVICE_SUSPENDED as SUSPENDED
from shared.aggregates.phases import SERVICE_SUSPENDING as SUSPENDING
from shared.aggregates.rayservice import ACTIVE, PENDING, RayServiceState
from shared.aggregates.view import View
from shared.resources.rayservice import RayService

Status = dict[str, object]
READY, UPGRADING, ROLLING_BACK = "Ready", "UpgradeInProgress", "RollbackInProgress"


def suspend(
    status: Status, conditions: Conditions, view: View, state: RayServiceState, service: RayService
) -> bool:
    """Take the next step; say whether the service is suspended or on its way there."""
    generation = view.own.meta.generation if view.own else 0
    wished = service.spec.suspend is True
    if holds(conditions, SUSPENDING):
        if _emptied(view, state):
            _ended(conditions, view, generation)
        return True
    if holds(conditions, SUSPENDED):
        if wished:
            return True
        _resumed(conditions, view, generation)
        return False
    judged = view.act is not None and view.act.seen.generation == generation
    if not wished or not judged:
        return False
    _begun(status, conditions, view, generation)
    return True


def _emptied(view: View, state: RayServiceState) -> bool:
    act = view.act
    seen = act is not None and act.seen.phase == state.word and not view.open
    left = (state.clusters, state.services, state.unsettled, state.gateway, state.route)
    return seen and not any(left)


def _begun(status: Status, conditions: Conditions, view: View, generation: int) -> None:
    told = "Spec.Suspend is true; will delete all Kubernetes resources owned by this RayService."
    begun = Finding(
        type=SUSPENDING,
        holds=True,
        reason="SuspendRequested",
        message=told,
        began_with=generation,
    )
    record(conditions, begun, view.now)
    _nothing_else(conditions, view, "SuspendInProgress", "RayService is suspending.", generation)
    status.pop(ACTIVE, None)
    status.pop(PENDING, None)
    status["numServeEndpoints"] = 0


def _ended(conditions: Conditions, view: View, generation: int) -> None:
    reason, told = "SuspendComplete", "All owned resources have been deleted."
    for type_ in (SUSPENDING, SUSPENDED):
        finding = Finding(
            type=type_,
            holds=type_ == SUSPENDED,
            reason=reason,
            message=told,
            began_with=generation,
        )
        record(conditions, finding, view.now)
    _nothing_else(conditions, view, reason, "RayService is suspended.", generation)


def _nothing_else(
    conditions: Conditions, view: View, reason: str, ready: str, generation: int
) -> None:
    """Tell that the service neither serves nor moves, as of this generation."""
    words = {
        READY: ready,
        UPGRADING: "No upgrade in progress.",
        ROLLING_BACK: "No rollback in progress.",
    }
    for type_, message in words.items():
        finding = Finding(type=type_, holds=False, reason=reason, message=message)
        record(conditions, finding, view.now)
        conditions[type_]["observedGeneration"] = generation


def _resumed(conditions: Conditions, view: View, generation: int) -> None:
    told = "Spec.Suspend is false; RayService has resumed."
    resumed = Finding(
        type=SUSPENDED,
        holds=False,
        reason="RayServiceResumed",
        message=told,
        began_with=generation,
    )
    record(conditions, resumed, view.now)
    conditions.pop(ROLLING_BACK, None)
    for type_ in (READY, UPGRADING):
        conditions.pop(type_, None)
        words = "RayService is initializing after resuming from suspend."
        finding = Finding(type=type_, holds=False, reason="Initializing", message=words)
        record(conditions, finding, view.now)
