"""Which clusters a RayService has: named here, made by the executor, promoted when they serve.

A name is told before the cluster is made. The pending cluster becomes the active one in the write
that sees both services lead to it; so nobody sees a service that leads to neither. Where traffic
moves in steps it does so when all of it has moved.
"""

from services.status.conditions.rayservice.stepping import (
    TARGET_CAPACITY,
    first_capacity,
    through,
)
from services.status.conditions.transitions import Conditions
from shared.aggregates.phases import phase_of
from shared.aggregates.rayservice import (
    ACTIVE,
    DROP,
    PENDING,
    PREPARE,
    RayServiceState,
    head_service_name,
    noted,
    serve_service_name,
)
from shared.aggregates.service_routes import serve_service_of
from shared.aggregates.view import View
from shared.kernel.manifests import mapping_at, text_at
from shared.resources.labels import CLUSTER
from shared.resources.rayservice import RayService

Status = dict[str, object]
_READY = "Ready"


def name_clusters(
    status: Status,
    view: View,
    state: RayServiceState,
    service: RayService,
    *,
    in_steps: bool = False,
) -> None:
    """Promote, drop or name clusters, as the services and the last act say.

    A service that was led elsewhere and is not seen yet may be about to promote: that is awaited.
    """
    stepping = in_steps and state.active is not None
    if through(view, status, state) if stepping else _promoted(state, service, in_steps=in_steps):
        status[ACTIVE] = dict(mapping_at(status, PENDING))
        status.pop(PENDING, None)
        return
    if view.act is None or view.act.seen.phase != phase_of(view.status) or view.open:
        return
    if any(kind == "service" for kind, _ in state.unsettled):
        return
    if DROP in view.act.noted:
        status.pop(PENDING, None)
        return
    wanted = [name for name in noted(view, PREPARE) if name != state.pending_name]
    if wanted:
        capacity = first_capacity(beside=bool(text_at(status, ACTIVE, "rayClusterName")))
        steps = {TARGET_CAPACITY: capacity} if in_steps else {}
        status[PENDING] = {"rayClusterName": wanted[0], **steps}


def _promoted(state: RayServiceState, service: RayService, *, in_steps: bool) -> bool:
    """Whether both services lead to the pending cluster; in steps it has a serve service itself."""
    if not state.pending_name or state.pending is None:
        return False
    serve = serve_service_of(state.pending_name) if in_steps else serve_service_name(service)
    names = (head_service_name(service.name), serve)
    known = {**state.services, **state.serve_services}
    led = [known[name].selector.get(CLUSTER) for name in names if name in known]
    return len(led) == len(names) and set(led) == {state.pending_name}


def forget_clusters(status: Status) -> None:
    """Take the names away: whatever has them is dangling from now on."""
    for which in (ACTIVE, PENDING):
        known = dict(mapping_at(status, which))
        known.pop("rayClusterName", None)
        if which in status:
            status[which] = known


def is_initializing(conditions: Conditions) -> bool:
    """Whether the service never was ready since it began."""
    ready = conditions.get(_READY, {})
    return ready.get("status") == "False" and ready.get("reason") == "Initializing"
