"""Pods in an event's words: which are ready, which failed, and why."""

from shared.aggregates.raycluster import ENDED, group_of
from shared.events.lifecycle import PodNote
from shared.events.objects import Container, PodSeen


def has_failed(pod: PodSeen | None) -> bool:
    """Whether a pod is there and has failed for good."""
    return pod is not None and pod.phase == "Failed"


def is_ready(pod: PodSeen) -> bool:
    """Whether a pod runs, is ready, and stays."""
    told = any(one.type == "Ready" and one.status == "True" for one in pod.conditions)
    return told and pod.phase == "Running" and not pod.meta.deleted_at


def note_of(pod: PodSeen) -> PodNote:
    """Return what an event says of a pod."""
    reason, message = reason_of(pod)
    return PodNote(
        name=pod.meta.name,
        group=group_of(pod.meta),
        node=pod.node,
        reason=reason,
        message=message,
    )


def reason_of(pod: PodSeen) -> tuple[str, str]:
    """Return why a pod is in trouble, in Kubernetes' words; empty if it is not."""
    if pod.reason:
        return pod.reason, pod.message
    ended = [one for one in (*pod.containers, *pod.init_containers) if _bad(one)]
    return (ended[0].reason, ended[0].message) if ended else ("", "")


_STARTING = frozenset({"", "ContainerCreating", "PodInitializing"})


def _bad(container: Container) -> bool:
    if container.state == "terminated":
        return container.exit_code != 0
    return container.state == "waiting" and container.reason not in _STARTING


def trouble_of(pod: PodSeen) -> str:
    """Say what is wrong with a pod; nothing if all is well."""
    reason, _ = reason_of(pod)
    return f"pod {pod.meta.name}: {reason}" if reason else ""


def fate_of(pod: PodSeen | None) -> str:
    """Say what became of a pod, for its name to stand before."""
    if pod is None:
        return "is gone"
    reason, _ = reason_of(pod)
    why = f" ({reason})" if reason else ""
    if pod.meta.deleted_at:
        return f"is being deleted{why}"
    return f"has ended{why}" if pod.phase in ENDED else f"is not ready{why}"


def reasons_in(notes: tuple[PodNote, ...]) -> str:
    """Name the reasons of several pods, each once."""
    named = sorted({note.reason or "no reason was given" for note in notes})
    return ", ".join(named)
