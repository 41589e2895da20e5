"""The head as people see it: whether it is ready and why not, where it is, how to reach it."""

from collections.abc import Mapping

from services.status.conditions.transitions import Finding
from shared.aggregates.raycluster import RayClusterState, group_of
from shared.events.objects import PodSeen, ServicePort, ServiceSeen
from shared.resources.labels import HEAD_GROUP, NODE_TYPE

HEAD_READY = "HeadPodReady"


def head_finding(state: RayClusterState) -> Finding:
    """Say whether the head is ready; if its containers are not, which one and why."""
    heads, head = _heads(state), _head(state)
    if len(heads) > 1:
        return Finding(
            type=HEAD_READY,
            holds=False,
            unknown=True,
            reason="SeveralHeadPods",
            message=f"{len(heads)} head pods found, and there should be one",
        )
    if head is None:
        return Finding(
            type=HEAD_READY, holds=False, reason="HeadPodNotFound", message="Head Pod not found"
        )
    ready = next((one for one in head.conditions if one.type == "Ready"), None)
    if ready is None:
        return Finding(type=HEAD_READY, holds=False, reason="Unknown")
    if ready.status == "True":
        reason = ready.reason or "HeadPodRunningAndReady"
        return Finding(type=HEAD_READY, holds=True, reason=reason, message=ready.message)
    reason, message = ready.reason or "Unknown", ready.message
    if reason == "ContainersNotReady":
        reason, message = _blame(head, reason, message)
    return Finding(
        type=HEAD_READY,
        holds=False,
        unknown=ready.status == "Unknown",
        reason=reason,
        message=message,
    )


def _blame(head: PodSeen, reason: str, message: str) -> tuple[str, str]:
    """Return reason and message of the first container that waits or has ended."""
    for container in head.containers:
        if container.state in ("waiting", "terminated"):
            told = f"{container.name}: {container.message}"
            return container.reason or reason, f"{message}; {told}" if message else told
    return reason, message


def head_info(state: RayClusterState, endpoints: Mapping[str, str]) -> dict[str, object]:
    """Return the `head` and `endpoints` parts of the status."""
    head, service = _head(state), _service(state)
    ip = head.ip if head else ""
    info = {"podIP": ip, "podName": head.meta.name if head else ""}
    if service:
        headless = service.cluster_ip in ("None", "")
        info["serviceIP"] = ip if headless else service.cluster_ip
        info["serviceName"] = service.meta.name
    found = {**endpoints, **{port.name: _target(port) for port in _ports(service) if port.name}}
    return {
        "head": {key: value for key, value in info.items() if value},
        "endpoints": found,
    }


def _head(state: RayClusterState) -> PodSeen | None:
    heads = _heads(state)
    return heads[0] if len(heads) == 1 else None


def _heads(state: RayClusterState) -> list[PodSeen]:
    return [pod for pod in state.pods.values() if group_of(pod.meta) == HEAD_GROUP]


def _service(state: RayClusterState) -> ServiceSeen | None:
    found = (
        service
        for service in state.services.values()
        if service.meta.labels.get(NODE_TYPE) == "head"
    )
    return next(found, None)


def _ports(service: ServiceSeen | None) -> tuple[ServicePort, ...]:
    return service.ports if service else ()


def _target(port: ServicePort) -> str:
    return str(port.node_port or port.target or port.port)
