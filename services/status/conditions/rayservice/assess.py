"""The status of a RayService, assessed from its view. Times are the log's."""

from services.status.conditions.blocked import in_the_way, tell_blocked
from services.status.conditions.rayservice.clusters import forget_clusters, name_clusters
from services.status.conditions.rayservice.stepping import (
    count_endpoints,
    tell_steps,
    tell_way_back,
)
from services.status.conditions.rayservice.suspension import (
    READY,
    ROLLING_BACK,
    UPGRADING,
    suspend,
)
from services.status.conditions.rayservice.telling import (
    tell_clusters,
    tell_conditions,
    timed_out,
)
from services.status.conditions.transitions import Conditions, Finding, conditions_of, record
from shared.aggregates.rayservice import FINALIZER, rayservice_state
from shared.aggregates.view import View
from shared.events.decisions import Trouble
from shared.kernel.features import Features
from shared.kernel.manifests import integer_at
from shared.resources.rayservice import RayService
from shared.resources.service_options import moves_in_steps

Status = dict[str, object]
USUAL = Features()


def assess_rayservice(view: View, service: RayService | None, features: Features = USUAL) -> Status:
    """Return the status as it should read now; `service` is None if its spec cannot be read."""
    status = dict(view.status)
    conditions = conditions_of(status)
    if view.act is not None:
        former = integer_at(status, "observedGeneration") or 0
        status["observedGeneration"] = max(former, view.act.seen.generation)
    wrong = _wrong(view)
    if wrong is not None:
        finding = Finding(type=READY, holds=False, reason="ValidationFailed", message=wrong.message)
        record(conditions, finding, view.now)
    elif service is not None and _begun(view):
        state = rayservice_state(view)
        suspended = suspend(status, conditions, view, state, service)
        tell_blocked(conditions, () if suspended else in_the_way(view), view.now)
        if not suspended:
            if timed_out(conditions, view, service):
                forget_clusters(status)
            else:
                in_steps = moves_in_steps(service.spec.upgrade_strategy, features)
                _tell(status, conditions, view, service, in_steps=in_steps)
        else:
            status["serviceStatus"] = ""
    if conditions:
        status["conditions"] = list(conditions.values())
    return status


def _tell(
    status: Status, conditions: Conditions, view: View, service: RayService, *, in_steps: bool
) -> None:
    """Tell of a service that is looked after."""
    state = rayservice_state(view)
    if in_steps:
        tell_steps(status, view, state)
    name_clusters(status, view, state, service, in_steps=in_steps)
    tell_clusters(status, view, state)
    tell_way_back(status, conditions, view)
    endpoints = count_endpoints(status, state, service, in_steps=in_steps)
    tell_conditions(status, conditions, view, endpoints)
    for type_ in (READY, UPGRADING, ROLLING_BACK):  # they speak of the generation that was judged
        if type_ in conditions:
            conditions[type_]["observedGeneration"] = status["observedGeneration"]


def _begun(view: View) -> bool:
    """Whether an act has looked at this very generation, and our finalizer holds the resource."""
    act, own = view.act, view.own
    if act is None or own is None or FINALIZER not in own.meta.finalizers:
        return False
    return act.seen.generation == own.meta.generation


def _wrong(view: View) -> Trouble | None:
    """Return what the last judged generation got wrong."""
    act, own = view.act, view.own
    if act is None or own is None or act.seen.generation != own.meta.generation:
        return None
    return next((one for one in act.troubles if one.verb == "validate"), None)
