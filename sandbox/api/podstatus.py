"""A pod's row: how many containers are ready, the one word for its state, and its restarts.

Pure. The word is the phase unless something more telling is known: a reason to wait or to end, an
init container that is not done, a deletion. While init containers are not done, only they count
as restarted. A sidecar (an init container that stays) counts as a container.
"""

from datetime import datetime
from typing import Any

from sandbox.api import durations
from sandbox.controllers.timeline import is_sidecar
from sandbox.objects import Object, dig, metadata, rows

NONE = "<none>"
OVER = {"Succeeded": "The pod has completed successfully.", "Failed": "The pod failed."}
GATED = "SchedulingGated"


def pod_cells(pod: Object, now: datetime) -> list[Any]:
    """Return the cells of a pod's row."""
    sidecars = _sidecars(pod)
    counted = [*rows(pod, "spec.containers"), *sidecars]
    return [
        f"{_ready_count(pod, sidecars)}/{len(counted)}",
        pod_word(pod),
        _restarts(pod, sidecars, now),
        durations.age(str(metadata(pod).get("creationTimestamp", "")), now),
        dig(pod, "status.podIP") or NONE,
        dig(pod, "spec.nodeName") or NONE,
        dig(pod, "status.nominatedNodeName") or NONE,
        _gates(pod),
    ]


def row_conditions(pod: Object) -> list[Object]:
    """Mark the row of a pod that is over, so that clients may leave it out."""
    phase = dig(pod, "status.phase")
    if phase not in OVER:
        return []
    return [{"type": "Completed", "status": "True", "reason": phase, "message": OVER[phase]}]


def pod_word(pod: Object) -> str:
    """Return the one word for a pod's state."""
    phase, reason = dig(pod, "status.phase"), dig(pod, "status.reason")
    if "deletionTimestamp" in metadata(pod):
        if reason == "NodeLost":
            return "Unknown"
        if phase not in OVER:
            return "Terminating"
    word = GATED if _condition(pod, "PodScheduled").get("reason") == GATED else reason or phase
    starting = _init_word(pod)
    if starting and not _holds(pod, "Initialized"):
        return starting
    return _container_word(pod) or starting or str(word or "Unknown")


def _init_word(pod: Object) -> str:
    """Return the word of the first init container that is not done; none if all are."""
    total, sidecars = len(list(rows(pod, "spec.initContainers"))), _sidecars(pod)
    for index, row in enumerate(rows(pod, "status.initContainerStatuses")):
        state = row.get("state") or {}
        ended, waiting = state.get("terminated"), state.get("waiting") or {}
        stays = row.get("name") in sidecars and row.get("started")
        if stays or (ended and ended.get("exitCode") == 0):
            continue
        if ended:
            return f"Init:{_end_word(ended)}"
        if waiting.get("reason") not in {None, "", "PodInitializing"}:
            return f"Init:{waiting['reason']}"
        return f"Init:{index}/{total}"
    return ""


def _container_word(pod: Object) -> str:
    word, failed, running = "", "", False
    for row in reversed(list(rows(pod, "status.containerStatuses"))):
        state = row.get("state") or {}
        ended, waiting = state.get("terminated"), state.get("waiting") or {}
        if waiting.get("reason"):
            word = str(waiting["reason"])
        elif ended:
            word = _end_word(ended)
            failed = word if ended.get("exitCode") else failed
        else:
            running = running or _runs_ready(row)
    if word != "Completed":
        return word
    if running and _holds(pod, "Ready"):
        return "Running"
    return failed or ("NotReady" if running else word)


def _end_word(ended: Object) -> str:
    if ended.get("reason"):
        return str(ended["reason"])
    if ended.get("signal"):
        return f"Signal:{ended['signal']}"
    return f"ExitCode:{ended.get('exitCode')}"


def _ready_count(pod: Object, sidecars: frozenset[str]) -> int:
    """Count who is ready; main containers are none while init containers are not done."""
    beside = [
        row
        for row in rows(pod, "status.initContainerStatuses")
        if row.get("name") in sidecars and row.get("started") and row.get("ready")
    ]
    main = [row for row in rows(pod, "status.containerStatuses") if _runs_ready(row)]
    return len(beside) + (0 if _initializing(pod) else len(main))


def _restarts(pod: Object, sidecars: frozenset[str], now: datetime) -> str:
    counted = list(rows(pod, "status.initContainerStatuses"))
    if not _initializing(pod):
        kept = [row for row in counted if row.get("name") in sidecars]
        counted = [*kept, *rows(pod, "status.containerStatuses")]
    count = sum(int(row.get("restartCount") or 0) for row in counted)
    ended = [dig(row, "lastState.terminated.finishedAt") for row in counted]
    latest = max((str(each) for each in ended if each), default="")
    return f"{count} ({durations.age(latest, now)} ago)" if count and latest else str(count)


def _gates(pod: Object) -> str:
    named = [str(gate.get("conditionType")) for gate in rows(pod, "spec.readinessGates")]
    return f"{sum(_holds(pod, each) for each in named)}/{len(named)}" if named else NONE


def _sidecars(pod: Object) -> frozenset[str]:
    inits = rows(pod, "spec.initContainers")
    return frozenset(str(each.get("name")) for each in inits if is_sidecar(each))


def _initializing(pod: Object) -> bool:
    return bool(_init_word(pod)) and not _holds(pod, "Initialized")


def _runs_ready(row: Object) -> bool:
    return bool(row.get("ready")) and "running" in (row.get("state") or {})


def _holds(pod: Object, condition: str) -> bool:
    return _condition(pod, condition).get("status") == "True"


def _condition(pod: Object, kind: str) -> Object:
    found = (row for row in rows(pod, "status.conditions") if row.get("type") == kind)
    return next(found, {})
