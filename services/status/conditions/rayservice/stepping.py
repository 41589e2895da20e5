"""What is told of an upgrade in steps: capacity, traffic, the way back.

Capacity is what a cluster accepted, as the acts keep it; traffic is what the route says. The moment
of a change of traffic is the clock of the next step.
"""

from services.status.conditions.rayservice.suspension import ROLLING_BACK
from services.status.conditions.transitions import Conditions, Finding, record
from shared.aggregates.phases import phase_of
from shared.aggregates.rayservice import (
    ACTIVE,
    CAPACITY,
    DROP,
    PENDING,
    ROLLBACK,
    RayServiceState,
    noted,
    serve_service_name,
)
from shared.aggregates.service_routes import ABSENT, serve_service_of, weight_of
from shared.aggregates.service_steps import WHOLE
from shared.aggregates.view import View
from shared.kernel.instants import print_instant
from shared.kernel.manifests import integer_at, mapping_at, text_at
from shared.resources.rayservice import RayService

Status = dict[str, object]
TRAFFIC, TARGET_CAPACITY, MOVED_AT = (
    "trafficRoutedPercent",
    "targetCapacity",
    "lastTrafficMigratedTime",
)
_GOES_BACK = {
    "reverted": "Goal state reverted to original cluster, rolling back.",
    "changed": "Goal state changed mid-upgrade, rolling back to original cluster.",
}


def first_capacity(*, beside: bool) -> int:
    """Return the capacity that a new cluster begins with: none beside one that serves."""
    return 0 if beside else WHOLE


def tell_steps(status: Status, view: View, state: RayServiceState) -> None:
    """Tell what each cluster is to run, and which part of the traffic goes to it."""
    told = dict(mark.partition("/")[::2] for mark in noted(view, CAPACITY))
    beside = bool(text_at(status, ACTIVE, "rayClusterName"))
    for which in (ACTIVE, PENDING):
        name = text_at(status, which, "rayClusterName")
        if name not in state.clusters:
            continue
        known = dict(mapping_at(status, which))
        if name in told:
            known[TARGET_CAPACITY] = int(told[name])
        elif TARGET_CAPACITY not in known:
            known[TARGET_CAPACITY] = first_capacity(beside=beside and which == PENDING)
        _tell_traffic(known, weight_of(state.route, name), view)
        status[which] = known


def _tell_traffic(known: Status, weight: int, view: View) -> None:
    before = integer_at(known, TRAFFIC)
    if weight in (ABSENT, before):
        return
    known[TRAFFIC] = weight
    if weight or before:
        known[MOVED_AT] = print_instant(view.now)


def tell_way_back(status: Status, conditions: Conditions, view: View) -> None:
    """Tell whether the upgrade goes back, why, and what that waits for."""
    act = view.act
    if act is None or act.seen.phase != phase_of(view.status):
        return
    marks = noted(view, ROLLBACK)
    if not marks:
        if DROP not in act.noted or PENDING not in status:
            conditions.pop(ROLLING_BACK, None)
        return
    why, _, held = marks[0].partition("/")
    reason, message = "DesiredClusterSpecChanged", _GOES_BACK.get(why, "")
    if held:
        active = text_at(status, ACTIVE, "rayClusterName")
        reason = "OriginalClusterNotReady"
        message = f"{message} This waits until RayCluster {active} takes requests again."
    finding = Finding(type=ROLLING_BACK, holds=True, reason=reason, message=message)
    record(conditions, finding, view.now)


def through(view: View, status: Status, state: RayServiceState) -> bool:
    """Whether everything has moved to the pending cluster, and nobody wants it back."""
    if state.active is None or state.pending is None or noted(view, ROLLBACK):
        return False
    left = integer_at(status, ACTIVE, TARGET_CAPACITY)
    return left == 0 and integer_at(status, PENDING, TRAFFIC) == WHOLE


def count_endpoints(
    status: Status, state: RayServiceState, service: RayService, *, in_steps: bool
) -> int:
    """Count the ready endpoints that requests may reach."""
    if not in_steps:
        return state.endpoints(serve_service_name(service))
    names = (text_at(status, which, "rayClusterName") for which in (ACTIVE, PENDING))
    return sum(state.endpoints(serve_service_of(name)) for name in names if name)
