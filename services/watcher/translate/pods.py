"""A pod, slimmed: how it is, never what runs in it. No environment value is read."""

from services.watcher.translate.metadata import meta_of
from shared.events.objects import Condition, Container, PodSeen
from shared.kernel.instants import read_instant
from shared.kernel.manifests import Raw, entries_at, flag_at, integer_at, mapping_at, text_at

_STATES = ("waiting", "running", "terminated")


def pod_seen(raw: Raw) -> PodSeen:
    """Slim a pod."""
    return PodSeen(
        meta=meta_of(raw),
        phase=text_at(raw, "status", "phase"),
        reason=text_at(raw, "status", "reason"),
        message=text_at(raw, "status", "message"),
        node=text_at(raw, "spec", "nodeName"),
        ip=text_at(raw, "status", "podIP"),
        restart_policy=text_at(raw, "spec", "restartPolicy"),
        ray_container=text_at(raw, "spec", "containers", 0, "name"),
        conditions=_conditions(raw),
        containers=_containers(raw, "containerStatuses"),
        init_containers=_containers(raw, "initContainerStatuses"),
    )


def _conditions(raw: Raw) -> tuple[Condition, ...]:
    return tuple(
        Condition(
            type=text_at(condition, "type"),
            status=text_at(condition, "status"),
            reason=text_at(condition, "reason"),
            message=text_at(condition, "message"),
        )
        for condition in entries_at(raw, "status", "conditions")
    )


def _containers(raw: Raw, field: str) -> tuple[Container, ...]:
    return tuple(_container(status) for status in entries_at(raw, "status", field))


def _container(status: Raw) -> Container:
    states = mapping_at(status, "state")
    state = next((name for name in _STATES if states.get(name) is not None), "")
    return Container(
        name=text_at(status, "name"),
        ready=flag_at(status, "ready") or False,
        restarts=integer_at(status, "restartCount") or 0,
        state=state,
        reason=text_at(states, state, "reason"),
        message=text_at(states, state, "message"),
        exit_code=integer_at(states, state, "exitCode"),
        finished_at=read_instant(text_at(states, "terminated", "finishedAt")),
        crashed_before=bool(mapping_at(status, "lastState", "terminated")),
        former_reason=text_at(status, "lastState", "terminated", "reason"),
    )
