"""What is in the way, read off one pod or one refusal: a cause, which object, and its own words.

The causes are few and the same everywhere: in conditions, in `why`, in metrics. Where one pod
suffers from several things the worst is told.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct

from shared.aggregates.raycluster import group_of
from shared.aggregates.troubles import WAIT
from shared.events.approvals import HELD
from shared.events.decisions import Trouble
from shared.events.objects import Container, PodSeen
from shared.resources.labels import HEAD_GROUP

INVALID, REFUSED, UNAVAILABLE = "Invalid", "Refused", "Unavailable"
WORST_FIRST = (
    INVALID,
    "Ambiguous",
    "Occupied",
    "Breaker",
    "Quota",
    "Webhook",
    REFUSED,
    UNAVAILABLE,
    "ContainerConfig",
    "ImagePull",
    "InitFailed",
    "OutOfMemory",
    "CrashLoop",
    "Certificates",
    "Unsubmitted",
    "Unschedulable",
    "SchedulingGated",
)
RESTARTS_IN_LOOP = 2
"""So often restarted and still not ready is a loop, also while the container runs for a moment."""
OUT_OF_MEMORY = "OOMKilled"
"""The kubelet's word for a container that the kernel ended."""

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
    (HELD, "Breaker"),
    ("exists and belongs to something else", "Occupied"),
    ("exceeded quota", "Quota"),
    ("admission webhook", "Webhook"),
    ("failed calling webhook", "Webhook"),
)
_OUTAGES = (
    "the API server answered",
    "the API server's address answered",
    "no answer from",
    "too many writes are waiting",
)
_WAITS: Mapping[str, str] = MappingProxyType(
    {
        "certificates": "Certificates",
        "head": "Ambiguous",
        "head_service": "Ambiguous",
        "submission": "Unsubmitted",
    }
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


def obstacle_of_pod(pod: PodSeen) -> Obstacle | None:
    """Return the worst that one pod suffers from, if anything; a ready one suffers nothing."""
    if is_ready(pod):
        return None
    found = [*_of_containers(pod), *_of_scheduling(pod)]
    if not found:
        return None
    cause, words = min(found, key=lambda one: WORST_FIRST.index(one[0]))
    of_head = group_of(pod.meta) == HEAD_GROUP
    return Obstacle(cause=cause, what=f"pod {pod.meta.name}", words=words, of_head=of_head)


def is_ready(pod: PodSeen) -> bool:
    """Whether every container of the pod passed its readiness probe."""
    return any(one.type == "Ready" and one.status == "True" for one in pod.conditions)


def obstacle_of_trouble(trouble: Trouble) -> Obstacle:
    """Read what was refused, or is awaited."""
    return Obstacle(
        cause=_cause_of_trouble(trouble),
        what=f"group {trouble.group}" if trouble.group else f"{trouble.kind} {trouble.name}",
        words=trouble.message,
        of_head=trouble.rule in _HEAD_RULES or trouble.group == HEAD_GROUP,
    )


def _cause_of_trouble(trouble: Trouble) -> str:
    if trouble.verb == "validate":
        return INVALID
    if trouble.verb == WAIT:
        return _WAITS.get(trouble.rule, REFUSED)
    return cause_of_refusal(trouble.message, UNAVAILABLE if is_outage(trouble) else REFUSED)


def cause_of_refusal(message: str, otherwise: str) -> str:
    """Read the API server's own words."""
    return next((cause for words, cause in _REFUSALS if words in message), otherwise)


def is_outage(trouble: Trouble) -> bool:
    """Whether the API server, or whom it has to ask, was not there: it will be back.

    Where no outcome says so, as of what ended in doubt, the words do.
    """
    return trouble.outage or trouble.message.startswith(_OUTAGES)


def ended_by_memory(container: Container) -> bool:
    """Whether the container's last end, told now or before, was for want of memory."""
    return OUT_OF_MEMORY in (container.reason, container.former_reason)


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
    if container.state == "terminated" and container.reason == OUT_OF_MEMORY:
        return "OutOfMemory"
    cause = _WAITING.get(container.reason, "") if container.state == "waiting" else ""
    in_loop = container.restarts >= RESTARTS_IN_LOOP and not container.ready
    if not cause and in_loop and container.exit_code != 0:
        cause = "CrashLoop"
    return "OutOfMemory" if cause == "CrashLoop" and ended_by_memory(container) else cause


def _words(kind: str, container: Container) -> str:
    told = [f"{kind} {container.name}", container.reason, container.message]
    if ended_by_memory(container) and container.reason != OUT_OF_MEMORY:
        told.append(f"ended before: {OUT_OF_MEMORY}")
    if container.restarts:
        told.append(f"restarted {container.restarts} times")
    return ", ".join(part for part in told if part)


def _of_scheduling(pod: PodSeen) -> Iterator[tuple[str, str]]:
    for one in pod.conditions:
        if one.type == "PodScheduled" and one.status == "False" and one.reason in _UNSCHEDULED:
            yield one.reason, one.message or one.reason
