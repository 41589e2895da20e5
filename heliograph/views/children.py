"""How an object that a resource owns is, in a few words. Pure."""

from shared.aggregates.obstacles import is_ready, obstacle_of_pod
from shared.events.objects import ChildSeen, PodSeen, ResourceSeen, ServiceSeen
from shared.kernel.manifests import entries_at, text_at


def state_words(seen: object) -> str:
    """Say how an object is."""
    match seen:
        case PodSeen():
            words = _pod(seen)
        case ServiceSeen():
            words = ", ".join(one for one in (seen.service_type, seen.cluster_ip) if one)
        case ResourceSeen():
            words = text_at(seen.status, "state") or text_at(seen.status, "jobDeploymentStatus")
        case ChildSeen():
            words = _conditions(seen)
        case _:
            return ""
    ending = "ending, " if seen.meta.deleted_at is not None else ""
    return f"{ending}{words or 'there'}"


def _pod(pod: PodSeen) -> str:
    ready = "ready" if is_ready(pod) else "not ready"
    node = f", on {pod.node}" if pod.node else ""
    reason = f" ({pod.reason})" if pod.reason else ""
    restarts = sum(one.restarts for one in pod.containers)
    again = f", restarted {restarts} times" if restarts else ""
    obstacle = obstacle_of_pod(pod)
    suffers = f": {obstacle.cause}: {obstacle.words}" if obstacle is not None else ""
    return f"{pod.phase or 'new'}{reason}, {ready}{node}{again}{suffers}"


def _conditions(child: ChildSeen) -> str:
    held = [
        text_at(one, "type")
        for one in entries_at(child.status, "conditions")
        if one.get("status") == "True"
    ]
    return ", ".join(held) or text_at(child.status, "phase")
