"""What is told of a RayService's clusters, its endpoints and its conditions."""

from services.status.conditions.rayservice.clusters import is_initializing
from services.status.conditions.rayservice.suspension import READY, UPGRADING
from services.status.conditions.transitions import Conditions, Finding, holds, record
from shared.aggregates.rayservice import (
    ACTIVE,
    INITIALIZING,
    PENDING,
    RayServiceState,
    last_served,
)
from shared.aggregates.view import View
from shared.kernel.instants import read_instant
from shared.kernel.manifests import mapping_at, text_at
from shared.resources.rayservice import RayService
from shared.resources.service_timeout import go_duration, initializing_timeout

Status = dict[str, object]
TIMED_OUT = "InitializingTimeout"


def tell_clusters(status: Status, view: View, state: RayServiceState) -> None:
    """Copy what each cluster and Serve on it say; what was told last stays while nobody can ask."""
    for which in (ACTIVE, PENDING):
        name = text_at(status, which, "rayClusterName")
        if not name:
            continue
        told = dict(mapping_at(status, which))
        seen = state.clusters.get(name)
        if seen is not None and seen.status:
            told["rayClusterStatus"] = dict(seen.status)
        served = last_served(view, name)
        if served is not None:
            told["applicationStatuses"] = {
                application or "default": _application(one.status, one.message, one.deployments)
                for application, one in served.applications.items()
            }
        status[which] = told


def _application(status: str, message: str, deployments: object) -> dict[str, object]:
    told: dict[str, object] = {"status": status}
    if message:
        told["message"] = message
    if isinstance(deployments, dict) and deployments:
        told["serveDeploymentStatuses"] = {
            name: {"status": one.status, **({"message": one.message} if one.message else {})}
            for name, one in deployments.items()
        }
    return told


def tell_conditions(status: Status, conditions: Conditions, view: View, endpoints: int) -> None:
    """Tell whether the service serves, and whether a cluster is about to take over."""
    status["numServeEndpoints"] = endpoints
    if READY not in conditions:
        for type_ in (READY, UPGRADING):
            _say(conditions, view, type_, "Initializing", "RayService is initializing")
    _tell_ready(conditions, view, endpoints, served=bool(mapping_at(status, ACTIVE)))
    _tell_upgrading(conditions, view, status)
    status["serviceStatus"] = "Running" if holds(conditions, READY) else ""


def _tell_ready(conditions: Conditions, view: View, endpoints: int, *, served: bool) -> None:
    """Tell whether there are endpoints.

    A service that was invalid before it ever served begins anew, with all the time it may take.
    """
    repaired = conditions[READY].get("reason") == "ValidationFailed"
    if endpoints:
        told = "Number of serve endpoints is greater than 0"
        _say(conditions, view, READY, "NonZeroServeEndpoints", told, so=True)
    elif holds(conditions, READY) or (repaired and served):
        told = "Number of serve endpoints dropped to 0"
        _say(conditions, view, READY, "ZeroServeEndpoints", told)
    elif repaired:
        del conditions[READY]
        _say(conditions, view, READY, "Initializing", "RayService is initializing")


def _tell_upgrading(conditions: Conditions, view: View, status: Status) -> None:
    active = text_at(status, ACTIVE, "rayClusterName")
    pending = text_at(status, PENDING, "rayClusterName")
    if active and pending:
        told = "Both active and pending Ray clusters exist"
        _say(conditions, view, UPGRADING, "BothActivePendingClustersExist", told, so=True)
    elif active:
        told = "Active Ray cluster exists and no pending Ray cluster"
        _say(conditions, view, UPGRADING, "NoPendingCluster", told)
    elif is_initializing(conditions):
        _say(conditions, view, UPGRADING, "Initializing", "RayService is initializing")
    else:
        told = "No active Ray cluster exists, and the RayService is not initializing."
        finding = Finding(
            type=UPGRADING, holds=False, unknown=True, reason="NoActiveCluster", message=told
        )
        record(conditions, finding, view.now)


def timed_out(conditions: Conditions, view: View, service: RayService) -> bool:
    """End the patience with a service that never was ready; say whether it has ended."""
    if conditions.get(READY, {}).get("reason") == TIMED_OUT:
        return True
    timeout = initializing_timeout(service.annotations)
    if INITIALIZING not in view.woken or timeout is None or not is_initializing(conditions):
        return False
    since = read_instant(text_at(conditions[READY], "lastTransitionTime"))
    spent = view.now - since if since is not None else timeout
    told = (
        f"RayService failed to become ready within the configured timeout of "
        f"{go_duration(timeout)}. Time spent initializing: {go_duration(spent)}"
    )
    _say(conditions, view, READY, TIMED_OUT, told)
    return True


def _say(
    conditions: Conditions, view: View, type_: str, reason: str, message: str, *, so: bool = False
) -> None:
    finding = Finding(type=type_, holds=so, reason=reason, message=message)
    record(conditions, finding, view.now)
