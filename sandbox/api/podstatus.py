"""A pod's row: how many containers are ready, the one word for its state, and its restarts.

Pure. The word is the phase unless something more telling is known: a reason to wait or to end, an
init container that is not done, a deletion.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sandbox.api import durations
from sandbox.objects import Object, dig, metadata, rows

NONE = "<none>"


def pod_cells(pod: Object, now: datetime) -> list[Any]:
    """Return the cells of a pod's row."""
    statuses = list(rows(pod, "status.containerStatuses"))
    ready = sum(bool(row.get("ready")) for row in statuses)
    count = len(list(rows(pod, "spec.containers")))
    gates = list(rows(pod, "spec.readinessGates"))
    return [
        f"{ready}/{count}",
        pod_word(pod),
        _restarts(statuses, now),
        durations.age(str(metadata(pod).get("creationTimestamp", "")), now),
        dig(pod, "status.podIP") or NONE,
        dig(pod, "spec.nodeName") or NONE,
        dig(pod, "status.nominatedNodeName") or NONE,
        f"{len(gates)}" if gates else NONE,
    ]


def pod_word(pod: Object) -> str:
    """Return the one word for a pod's state."""
    word = str(dig(pod, "status.reason") or dig(pod, "status.phase") or "Unknown")
    word = _init_word(pod) or _container_word(pod) or word
    if "deletionTimestamp" not in metadata(pod):
        return word
    return "Unknown" if dig(pod, "status.reason") == "NodeLost" else "Terminating"


def _init_word(pod: Object) -> str:
    total = len(list(rows(pod, "spec.initContainers")))
    for index, row in enumerate(rows(pod, "status.initContainerStatuses")):
        state = row.get("state") or {}
        ended, waiting = state.get("terminated"), state.get("waiting") or {}
        if (ended and ended.get("exitCode") == 0) or row.get("started"):
            continue
        if ended:
            return f"Init:{ended.get('reason') or 'ExitCode:' + str(ended.get('exitCode'))}"
        if waiting.get("reason") not in {None, "", "PodInitializing"}:
            return f"Init:{waiting['reason']}"
        return f"Init:{index}/{total}"
    return ""


def _container_word(pod: Object) -> str:
    word, running = "", False
    for row in reversed(list(rows(pod, "status.containerStatuses"))):
        state = row.get("state") or {}
        ended, waiting = state.get("terminated"), state.get("waiting") or {}
        if waiting.get("reason"):
            word = str(waiting["reason"])
        elif ended:
            word = str(ended.get("reason") or f"ExitCode:{ended.get('exitCode')}")
        elif row.get("ready") and "running" in state:
            running = True
    if word == "Completed" and running:
        return "Running" if _ready(pod) else "NotReady"
    return word


def _ready(pod: Object) -> bool:
    held = {row.get("type"): row.get("status") for row in rows(pod, "status.conditions")}
    return held.get("Ready") == "True"


def _restarts(statuses: Sequence[Object], now: datetime) -> str:
    count = sum(int(row.get("restartCount") or 0) for row in statuses)
    ended = [dig(row, "lastState.terminated.finishedAt") for row in statuses]
    latest = max((str(each) for each in ended if each), default="")
    return f"{count} ({durations.age(latest, now)} ago)" if count and latest else str(count)
