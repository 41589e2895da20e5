"""Container statuses as a kubelet writes them: waiting, running, terminated, and what came before.

Read next: podconditions.py, which sums them up.
"""

from datetime import datetime

from sandbox.controllers.addresses import fingerprint
from sandbox.controllers.containers import Ending, Life
from sandbox.controllers.timeline import is_sidecar
from sandbox.controllers.vitals import Vitals
from sandbox.objects import Object, metadata, name_of, namespace_of, rows, timestamp


def main_statuses(vitals: Vitals) -> list[Object]:
    """Report on the main containers, by name as the kubelet sorts them."""
    containers = sorted(rows(vitals.pod, "spec.containers"), key=lambda item: str(item["name"]))
    return [_main(container, vitals) for container in containers]


def init_statuses(vitals: Vitals) -> Object:
    """Report on the init containers, in their order; nothing where there are none."""
    inits = list(rows(vitals.pod, "spec.initContainers"))
    if not inits:
        return {}
    return {
        "initContainerStatuses": [
            _init(container, index, vitals) for index, container in enumerate(inits)
        ]
    }


def _main(container: Object, vitals: Vitals) -> Object:
    life = vitals.lives[container["name"]]
    if life.started_at is not None:
        state: Object = {"running": {"startedAt": timestamp(life.started_at)}}
    elif life.finished and life.last is not None:
        state = {"terminated": _terminated(container, life.last, vitals, life.restart_count)}
    else:
        state = {"waiting": _waiting(container, life, vitals)}
    before = life.last if life.last is not None and not life.finished else None
    return _status(
        container,
        vitals,
        state=state,
        ready=life.ready,
        count=life.restart_count,
        last={"terminated": _terminated(container, before, vitals, life.restart_count)}
        if before
        else {},
    )


def _init(container: Object, index: int, vitals: Vitals) -> Object:
    done = index < vitals.inits_done
    state = _init_state(container, index, vitals)
    ready = done and not (is_sidecar(container) and "terminated" in state)
    return _status(container, vitals, state=state, ready=ready, count=0, last={})


def _init_state(container: Object, index: int, vitals: Vitals) -> Object:
    turn = index <= vitals.inits_done and not vitals.rule.image_pull_error
    if not turn:
        return {"waiting": _waiting(container, Life(), vitals)}
    start = _turn(index, vitals)
    if is_sidecar(container):
        ended = vitals.now if vitals.ended else None
    else:
        ended = vitals.plan.inits_done_at[index] if index < vitals.inits_done else None
    if ended is None:
        return {"running": {"startedAt": timestamp(start)}}
    ending = Ending(started_at=start, finished_at=ended, exit_code=0, reason="Completed")
    return {"terminated": _terminated(container, ending, vitals, 0)}


def _turn(index: int, vitals: Vitals) -> datetime:
    """Say when an init container's turn began."""
    if index:
        return vitals.plan.inits_done_at[index - 1]
    return vitals.plan.scheduled_at or vitals.plan.seen_at


def _status(
    container: Object, vitals: Vitals, *, state: Object, ready: bool, count: int, last: Object
) -> Object:
    waiting = "waiting" in state and not last
    image = str(container.get("image", ""))
    identity = "" if waiting else _container_id(container, vitals, count)
    return {
        "name": container["name"],
        "state": state,
        "lastState": last,
        "ready": ready,
        "restartCount": count,
        "image": image,
        "imageID": "" if waiting else f"{image}@sha256:{fingerprint(image)}",
        **({"containerID": identity} if identity else {}),
        "started": "running" in state,
    }


def _waiting(container: Object, life: Life, vitals: Vitals) -> Object:
    if life.last is not None:
        return {
            "reason": "CrashLoopBackOff",
            "message": f"back-off restarting failed container={container['name']} "
            f"pod={name_of(vitals.pod)}_{namespace_of(vitals.pod)}"
            f"({metadata(vitals.pod).get('uid', '')})",
        }
    if vitals.rule.image_pull_error:
        return _pulling(container, vitals)
    inits = any(True for _ in rows(vitals.pod, "spec.initContainers"))
    return {"reason": "PodInitializing" if inits else "ContainerCreating"}


def _pulling(container: Object, vitals: Vitals) -> Object:
    failed, abandoned = vitals.plan.pull_failed_at, vitals.plan.pull_abandoned_at
    if failed is None or abandoned is None or vitals.now < failed:
        return {"reason": "ContainerCreating"}
    if vitals.now < abandoned:
        return {"reason": "ErrImagePull", "message": vitals.rule.image_pull_error}
    told = f'Back-off pulling image "{container.get("image", "")}": ErrImagePull: '
    return {"reason": "ImagePullBackOff", "message": told + vitals.rule.image_pull_error}


def _terminated(container: Object, ending: Ending, vitals: Vitals, count: int) -> Object:
    return {
        "exitCode": ending.exit_code,
        "reason": ending.reason,
        "startedAt": timestamp(ending.started_at),
        "finishedAt": timestamp(ending.finished_at),
        "containerID": _container_id(container, vitals, count),
    }


def _container_id(container: Object, vitals: Vitals, count: int) -> str:
    uid = str(metadata(vitals.pod).get("uid") or name_of(vitals.pod))
    return f"containerd://{fingerprint(uid, str(container['name']), str(count))}"
