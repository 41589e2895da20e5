"""What is in the way of a RayCluster, as one condition: a cause, which object, and its own words.

The worst comes first: what concerns the head, then what was refused, then what pods suffer from.
Of many objects with one cause the one that was told stays told while it suffers, so that others may
come and go in silence; `same_news` says when only the words have changed. With nothing in the way
there is no such condition.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from types import MappingProxyType

from msgspec import Struct

from services.status.conditions.transitions import Conditions, Finding, record
from shared.aggregates.raycluster import RayClusterState, group_of
from shared.aggregates.troubles import WAIT
from shared.events.decisions import Trouble
from shared.events.objects import Container, PodSeen
from shared.resources.labels import HEAD_GROUP

BLOCKED = "Blocked"
WORST_FIRST = (
    "Ambiguous",
    "Occupied",
    "Quota",
    "Webhook",
    "Refused",
    "ContainerConfig",
    "ImagePull",
    "InitFailed",
    "OutOfMemory",
    "CrashLoop",
    "Certificates",
    "Unschedulable",
    "SchedulingGated",
)
RESTARTS_IN_LOOP = 2
"""So often restarted and still not ready is a loop, also while the container runs for a moment."""

_WAITING: Mapping[str, str] = MappingProxyType(
    {
        "ErrImagePull": "ImagePull",
        "ImagePullBackOff": "ImagePull",
        "ErrImageNeverPull": "ImagePull",
        "InvalidImageName": "ImagePull",
        "ImageInspectError": "ImagePull",
        "CreateContainerConfigError": "ContainerConfig",
        "CreateContainerError": "ContainerConfig",
        "RunContainerError": "ContainerConfig",
        "CrashLoopBackOff": "CrashLoop",
    }
)
_REFUSALS = (
    ("exists and belongs to something else", "Occupied"),
    ("exceeded quota", "Quota"),
    ("admission webhook", "Webhook"),
    ("failed calling webhook", "Webhook"),
)
_WAITS: Mapping[str, str] = MappingProxyType(
    {"certificates": "Certificates", "head": "Ambiguous", "head_service": "Ambiguous"}
)
_UNSCHEDULED = ("Unschedulable", "SchedulingGated")
_HEAD_RULES = frozenset({"head", "head_service"})


class Obstacle(Struct, frozen=True, kw_only=True):
    """One thing that is in the way."""

    cause: str
    what: str
    """Which object, such as `pod demo-head`."""
    words: str
    of_head: bool

    @property
    def rank(self) -> tuple[bool, int]:
        """Lower is worse."""
        return not self.of_head, WORST_FIRST.index(self.cause)


def tell_blocked(
    conditions: Conditions, refused: Iterable[Trouble], state: RayClusterState, now: datetime
) -> None:
    """Put the worst obstacle among the conditions, or take the condition out."""
    obstacles = {found.what: found for found in _obstacles(refused, state)}
    if not obstacles:
        conditions.pop(BLOCKED, None)
        return
    worst_rank = min(found.rank for found in obstacles.values())
    worst = {what: found for what, found in obstacles.items() if found.rank == worst_rank}
    former = _object(conditions.get(BLOCKED, {}))
    chosen = worst.get(former) or worst[min(worst)]
    others = len(obstacles) - 1
    more = f" (and {others} more)" if others else ""
    message = f"{chosen.what}: {chosen.words}{more}"
    finding = Finding(type=BLOCKED, holds=True, reason=chosen.cause, message=message)
    record(conditions, finding, now)


def same_news(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Whether two `Blocked` conditions differ in their words only, not in cause or object."""
    return _without_words(one) == _without_words(other)


def _without_words(condition: Mapping[str, object]) -> dict[str, object]:
    return {**condition, "message": _object(condition)}


def _object(condition: Mapping[str, object]) -> str:
    return str(condition.get("message", "")).partition(":")[0]


def _obstacles(refused: Iterable[Trouble], state: RayClusterState) -> Iterator[Obstacle]:
    for pod in state.alive.values():
        if not any(one.type == "Ready" and one.status == "True" for one in pod.conditions):
            yield from _of_pod(pod)
    for trouble in refused:
        yield Obstacle(
            cause=_cause_of(trouble),
            what=f"group {trouble.group}" if trouble.group else f"{trouble.kind} {trouble.name}",
            words=trouble.message,
            of_head=trouble.rule in _HEAD_RULES or trouble.group == HEAD_GROUP,
        )


def _cause_of(trouble: Trouble) -> str:
    if trouble.verb == WAIT:
        return _WAITS.get(trouble.rule, "Refused")
    return _refusal(trouble.message)


def _refusal(message: str) -> str:
    return next((cause for words, cause in _REFUSALS if words in message), "Refused")


def _of_pod(pod: PodSeen) -> Iterator[Obstacle]:
    """Yield the worst that one pod suffers from, if anything."""
    found = [*_of_containers(pod), *_of_scheduling(pod)]
    if found:
        cause, words = min(found, key=lambda one: WORST_FIRST.index(one[0]))
        of_head = group_of(pod.meta) == HEAD_GROUP
        yield Obstacle(cause=cause, what=f"pod {pod.meta.name}", words=words, of_head=of_head)


def _of_containers(pod: PodSeen) -> Iterator[tuple[str, str]]:
    for container in pod.init_containers:
        if cause := _init_cause(container):
            yield cause, _words("init container", container)
    for container in pod.containers:
        if cause := _cause(container):
            yield cause, _words("container", container)


def _init_cause(container: Container) -> str:
    cause = _cause(container)
    failed = container.state == "terminated" and bool(container.exit_code)
    return "InitFailed" if failed or cause in ("CrashLoop", "OutOfMemory") else cause


def _cause(container: Container) -> str:
    if container.state == "waiting" and container.reason in _WAITING:
        return _WAITING[container.reason]
    if container.state == "terminated" and container.reason == "OOMKilled":
        return "OutOfMemory"
    in_loop = container.restarts >= RESTARTS_IN_LOOP and not container.ready
    return "CrashLoop" if in_loop and container.exit_code != 0 else ""


def _words(kind: str, container: Container) -> str:
    told = [f"{kind} {container.name}", container.reason, container.message]
    if container.restarts:
        told.append(f"restarted {container.restarts} times")
    return ", ".join(part for part in told if part)


def _of_scheduling(pod: PodSeen) -> Iterator[tuple[str, str]]:
    for one in pod.conditions:
        if one.type == "PodScheduled" and one.status == "False" and one.reason in _UNSCHEDULED:
            yield one.reason, one.message or one.reason
