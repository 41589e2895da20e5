"""The conditions of a pod: scheduled, initialized, containers ready, ready.

A condition keeps its transition time while its status stays the same. Conditions that somebody else
set (readiness gates) are left where they are, and count. Read next: podstatus.py.
"""

from functools import lru_cache
from typing import Any

from sandbox.controllers.vitals import Vitals
from sandbox.objects import Object, dig, rows, timestamp

_OURS = (
    "PodReadyToStartContainers",
    "Initialized",
    "Ready",
    "ContainersReady",
    "PodScheduled",
    "DisruptionTarget",
)


def conditions(vitals: Vitals) -> list[Object]:
    """Write all conditions of a bound pod."""
    containers = _containers_ready(vitals)
    found = [
        *([_evicted(vitals)] if vitals.evicted else []),
        _claim("PodReadyToStartContainers", holds=vitals.sandboxed and not vitals.ended),
        _initialized(vitals),
        {**containers, "type": "Ready"} if not _gates_shut(vitals) else _gated(vitals),
        containers,
        _claim("PodScheduled", holds=True),
    ]
    return with_times(vitals.pod, found, timestamp(vitals.now))


def unscheduled(pod: Object, message: str, at: str) -> list[Object]:
    """Write the conditions of a pod that fits on no node."""
    told = _claim("PodScheduled", holds=False, reason="Unschedulable", message=message)
    return with_times(pod, [told], at)


def unready(pod: Object, at: str) -> list[Object]:
    """Write the conditions of a pod whose node has stopped answering."""
    told = [
        {**entry, "status": "False"} if entry.get("type") == "Ready" else entry
        for entry in rows(pod, "status.conditions")
    ]
    return with_times(pod, told, at)


def with_times(pod: Object, found: list[Object], at: str) -> list[Object]:
    """Add transition times, old ones where the status did not change, and others' conditions."""
    old = {entry["type"]: entry for entry in rows(pod, "status.conditions")}
    named = {entry["type"] for entry in found}
    kept = [entry for kind, entry in old.items() if kind not in named and kind not in _OURS]
    timed = []
    for entry in found:
        before = old.get(entry["type"], {})
        same = before.get("status") == entry["status"]
        since = before.get("lastTransitionTime", at) if same else at
        timed.append(_timed(tuple(entry.items()), since))
    return timed + kept


@lru_cache(maxsize=4096)
def _timed(entry: tuple[tuple[str, Any], ...], since: str) -> Object:
    """Write a condition; thousands of pods say the same, so they share it."""
    return {**dict(entry), "lastProbeTime": None, "lastTransitionTime": since}


def _claim(kind: str, *, holds: bool, reason: str = "", message: str = "") -> Object:
    claim: Object = {"type": kind, "status": "True" if holds else "False"}
    if reason:
        claim["reason"] = reason
    if message:
        claim["message"] = message
    return claim


def _evicted(vitals: Vitals) -> Object:
    return _claim(
        "DisruptionTarget",
        holds=True,
        reason="TerminationByKubelet",
        message=vitals.rule.evicted_because,
    )


def _initialized(vitals: Vitals) -> Object:
    if vitals.phase == "Succeeded":
        return _claim("Initialized", holds=True, reason="PodCompleted")
    if vitals.initialized:
        return _claim("Initialized", holds=True)
    inits = list(rows(vitals.pod, "spec.initContainers"))
    waiting = [str(init["name"]) for init in inits[vitals.inits_done :]]
    return _claim(
        "Initialized",
        holds=False,
        reason="ContainersNotInitialized",
        message=f"containers with incomplete status: [{' '.join(waiting)}]",
    )


def _containers_ready(vitals: Vitals) -> Object:
    if vitals.ended:
        reason = "PodCompleted" if vitals.phase == "Succeeded" else "PodFailed"
        return _claim("ContainersReady", holds=False, reason=reason)
    unready_names = [name for name, life in vitals.lives.items() if not life.ready]
    if not unready_names:
        return _claim("ContainersReady", holds=True)
    return _claim(
        "ContainersReady",
        holds=False,
        reason="ContainersNotReady",
        message=f"containers with unready status: [{' '.join(unready_names)}]",
    )


def _gates_shut(vitals: Vitals) -> list[str]:
    """Name the readiness gates that hold the pod back, once its containers are ready."""
    if not all(life.ready for life in vitals.lives.values()):
        return []
    found = {entry["type"]: entry for entry in rows(vitals.pod, "status.conditions")}
    gates = [str(gate["conditionType"]) for gate in rows(vitals.pod, "spec.readinessGates")]
    return [gate for gate in gates if dig(found.get(gate), "status") != "True"]


def _gated(vitals: Vitals) -> Object:
    told = "; ".join(
        f'corresponding condition of pod readiness gate "{gate}" does not exist.'
        if gate not in {entry["type"] for entry in rows(vitals.pod, "status.conditions")}
        else f'the status of pod readiness gate "{gate}" is not "True", but False'
        for gate in _gates_shut(vitals)
    )
    return _claim("Ready", holds=False, reason="ReadinessGatesNotReady", message=told)
