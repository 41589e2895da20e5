"""What there is to tell of a RayService: whether it answers, and who takes over from whom."""

from collections.abc import Mapping

from msgspec.structs import replace

from services.status.lifecycle.steps import Step
from shared.aggregates.phases import SERVICE_SUSPENDED, SERVICE_SUSPENDING
from shared.aggregates.rayservice import ACTIVE, PENDING
from shared.aggregates.view import View
from shared.events.lifecycle import ServiceState
from shared.kernel.manifests import entries_at, integer_at, text_at

PREPARING, READY, UNREADY = "preparing", "ready", "unready"
SUSPENDED, TIMED_OUT = "suspended", "timed-out"
TRAFFIC = "trafficRoutedPercent"
_INITIALIZING_TIMEOUT = "InitializingTimeout"
ServiceStep = Step[ServiceState]


def first_state(_: View) -> ServiceState:
    """Return the state of a service that has just appeared."""
    return ServiceState(phase=PREPARING)


def present_state(view: View) -> ServiceState:
    """Return the state as the status tells it."""
    status = view.status
    return ServiceState(
        phase=_phase(status),
        active=text_at(status, ACTIVE, "rayClusterName"),
        pending=text_at(status, PENDING, "rayClusterName"),
        traffic=_traffic(status),
        endpoints=integer_at(status, "numServeEndpoints") or 0,
    )


def next_step(told: ServiceState, view: View) -> ServiceStep | None:
    """Return the next thing to tell: who serves comes before how well."""
    now = present_state(view)
    return _clusters(told, now) or _traffic_step(told, now) or _phase_step(told, now, view)


def _clusters(told: ServiceState, now: ServiceState) -> ServiceStep | None:
    if now.active and told.active and now.active != told.active:
        left = {name: share for name, share in told.traffic.items() if name == now.active}
        pending = "" if now.active == told.pending else told.pending
        state = replace(told, active=now.active, pending=pending, traffic=left)
        because = f"RayCluster {now.active} serves, {told.active} no longer does"
        return ServiceStep(what="promoted", because=because, state=state)
    if told.active and now.active and now.pending != told.pending:
        return _pending(told, now)
    return None


def _pending(told: ServiceState, now: ServiceState) -> ServiceStep:
    if now.pending:
        because = f"RayCluster {now.pending} is prepared to take over from {now.active}"
        state = replace(told, pending=now.pending)
        return ServiceStep(what="upgrade-started", because=because, state=state)
    because = f"RayCluster {told.pending} is given up, {now.active} goes on"
    left = {name: share for name, share in told.traffic.items() if name != told.pending}
    state = replace(told, pending="", traffic=left)
    return ServiceStep(what="rolled-back", because=because, state=state)


def _traffic_step(told: ServiceState, now: ServiceState) -> ServiceStep | None:
    if not now.traffic or now.traffic == told.traffic:
        return None
    state = replace(told, traffic=now.traffic)
    if not (told.traffic or now.pending):
        return None
    shares = ", ".join(f"{share}% to {name}" for name, share in now.traffic.items())
    return ServiceStep(what="traffic-shifted", because=shares, state=state)


def _phase_step(told: ServiceState, now: ServiceState, view: View) -> ServiceStep | None:
    if now.phase in (told.phase, PREPARING):
        return _resumed(told, now)
    if told.phase == SUSPENDED and now.phase != READY:
        return _resumed(told, now)
    because = _message(view.status, now.phase)
    return ServiceStep(what=now.phase, because=because, state=now)


def _resumed(told: ServiceState, now: ServiceState) -> ServiceStep | None:
    if told.phase != SUSPENDED or now.phase == SUSPENDED:
        return None
    state = replace(now, phase=PREPARING)
    return ServiceStep(what="resumed", because="it is no longer to be suspended", state=state)


def _phase(status: Mapping[str, object]) -> str:
    conditions = {text_at(one, "type"): one for one in entries_at(status, "conditions")}
    for type_ in (SERVICE_SUSPENDED, SERVICE_SUSPENDING):
        if text_at(conditions.get(type_, {}), "status") == "True":
            return SUSPENDED if type_ == SERVICE_SUSPENDED else PREPARING
    ready = conditions.get("Ready", {})
    if text_at(ready, "status") == "True":
        return READY
    if text_at(ready, "reason") == _INITIALIZING_TIMEOUT:
        return TIMED_OUT
    return UNREADY if text_at(ready, "reason") == "ZeroServeEndpoints" else PREPARING


def _message(status: Mapping[str, object], phase: str) -> str:
    wanted = SERVICE_SUSPENDED if phase == SUSPENDED else "Ready"
    found = (one for one in entries_at(status, "conditions") if one.get("type") == wanted)
    return next((text_at(one, "message") for one in found), "") or f"it is {phase}"


def _traffic(status: Mapping[str, object]) -> dict[str, int]:
    shares: dict[str, int] = {}
    for which in (ACTIVE, PENDING):
        name, share = text_at(status, which, "rayClusterName"), integer_at(status, which, TRAFFIC)
        if name and share is not None:
            shares[name] = share
    return shares
