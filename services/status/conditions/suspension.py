"""Suspending and suspended: the two-step machine of a RayCluster's phase.

Invariant: never both true. Suspending ends only when no pod is left, nothing is in flight, and a
closed act has seen this very stay in the phase; whatever the spec says meanwhile. Resuming takes an
explicit `suspend: false`.
"""

from services.status.conditions.transitions import Conditions, Finding, holds, record
from shared.aggregates.phases import SUSPENDED, SUSPENDING, phase_of
from shared.aggregates.raycluster import RayClusterState
from shared.aggregates.view import View

PROVISIONED = "RayClusterProvisioned"


def suspend(
    conditions: Conditions, view: View, state: RayClusterState, *, wished: bool | None
) -> None:
    """Move the phase along its edge, if it is due."""
    if holds(conditions, SUSPENDING):
        if _nothing_left(view, state):
            _settle(conditions, view)
    elif holds(conditions, SUSPENDED):
        if wished is False:
            _tell(conditions, view, suspending=False, suspended=False)
    else:
        _tell(conditions, view, suspending=wished is True, suspended=False)


def _nothing_left(view: View, state: RayClusterState) -> bool:
    act = view.act
    seen = act is not None and act.seen.phase == phase_of(view.status)
    return seen and not view.open and not view.expectations and not state.pods


def _settle(conditions: Conditions, view: View) -> None:
    record(
        conditions,
        Finding(
            type=PROVISIONED,
            holds=False,
            reason="RayClusterPodsProvisioning",
            message="RayCluster has been suspended",
        ),
        view.now,
    )
    _tell(conditions, view, suspending=False, suspended=True)


def _tell(conditions: Conditions, view: View, *, suspending: bool, suspended: bool) -> None:
    generation = view.own.meta.generation if view.own else 0
    for type_, holding in ((SUSPENDED, suspended), (SUSPENDING, suspending)):
        finding = Finding(type=type_, holds=holding, reason=type_, began_with=generation)
        record(conditions, finding, view.now)
