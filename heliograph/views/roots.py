"""What one fact says of a cause: who wrote, what befell a pod, what Ray said.

Pure. Who deleted something Kubernetes does not tell; what it does tell is read here: conditions of
disruption, reasons of ends, field managers.
"""

from collections.abc import Sequence

from heliograph.views.changes import Change, changes
from heliograph.views.findings import (
    AUTOSCALER,
    CREATED,
    DASHBOARD,
    EVICTED,
    JOB_ENDED,
    JOB_FAILED,
    NODE_LOST,
    OUT_OF_MEMORY,
    POD_FAILED,
    PREEMPTED,
    SOMEBODY_DELETED,
    SPEC_EDIT,
    SUSPENDED,
    UNKNOWN,
    Finding,
)
from services.watcher.translate.metadata import OR
from shared.aggregates.obstacles import ended_by_memory, is_ready, obstacle_of_pod
from shared.aggregates.raycluster import ENDED
from shared.events.objects import Container, PodSeen, ResourceSeen
from shared.events.told import FAILED, FOUND, HealthTold, JobTold, ServeTold, Told

_DISRUPTIONS = {
    "EvictionByEvictionAPI": (EVICTED, "through the eviction API, as a drain of its node does"),
    "PreemptionByScheduler": (PREEMPTED, "by the scheduler, for a pod of higher priority"),
    "DeletionByTaintManager": (NODE_LOST, "by the taint manager"),
    "DeletionByPodGC": (NODE_LOST, "by the garbage collection of pods"),
    "TerminationByKubelet": (EVICTED, "by the kubelet, for want of resources or a shutdown"),
}
_NODE_REASONS = frozenset({"NodeLost", "NodeShutdown", "Shutdown", "Terminated", "NodeAffinity"})
_PERSONS = ("kubectl", "helm", "argocd", "flux", "kustomize", "terraform", "k9s")
COULD_BE = (
    "no act of ours names it: a person or a tool (kubectl delete, a drain with deletion, a "
    "descheduler) could have, or another controller with the right to"
)


def edited(before: ResourceSeen, now: ResourceSeen, words: str) -> Finding:
    """Say who changed a spec; `words` is the change as a timeline tells it."""
    found = tuple(changes(before.spec, now.spec, "spec"))
    who = now.meta.changed_by
    told = words.partition(": ")[2] or words
    if _by_autoscaler(now, found):
        clause = f"the Ray autoscaler ({who or 'by its changes'}) changed {now.meta.name}: {told}"
        return Finding(cause=AUTOSCALER, because=clause)
    suspends = any(one.path == "spec.suspend" and one.new is True for one in found)
    cause = SUSPENDED if suspends else SPEC_EDIT
    return Finding(cause=cause, because=f"{who or 'somebody'} changed {now.meta.name}: {told}")


def _by_autoscaler(now: ResourceSeen, found: Sequence[Change]) -> bool:
    """Whether a change is one that the autoscaler makes, and nobody else is known to have."""
    if now.spec.get("enableInTreeAutoscaling") is not True or not found:
        return False
    if any(who.startswith(_PERSONS) for who in now.meta.changed_by.lower().split(OR)):
        return False
    return all(
        ".replicas" in f".{one.path.rpartition('.')[2]}" or ".scaleStrategy" in one.path
        for one in found
    )


def written(now: ResourceSeen, kind: str) -> Finding:
    """Say who made a resource."""
    who = now.meta.changed_by or "somebody"
    return Finding(cause=CREATED, because=f"{who} created {kind} {now.meta.name}")


def befallen(pod: PodSeen) -> Finding | None:
    """Say what befell a pod, from its own words; None if nothing did."""
    name = f"pod {pod.meta.name}"
    node = f" on node {pod.node}" if pod.node else ""
    disrupted = _disruption(pod)
    if disrupted is not None:
        return disrupted
    if pod.reason == "Evicted":
        told = f": {pod.message}" if pod.message else ""
        return Finding(cause=EVICTED, because=f"{name} was evicted{node}{told}")
    if pod.reason in _NODE_REASONS or pod.phase == "Unknown":
        told = pod.reason or pod.phase
        return Finding(cause=NODE_LOST, because=f"{name} lost its node {pod.node} ({told})")
    killed = next((one for one in pod.containers if ended_by_memory(one)), None)
    if killed is not None and not is_ready(pod):
        return _memory(pod, killed)
    obstacle = obstacle_of_pod(pod)
    if obstacle is not None:
        return Finding(cause=obstacle.cause, because=f"{obstacle.what}: {obstacle.words}")
    return _ended(pod)


def _memory(pod: PodSeen, container: Container) -> Finding:
    which = f"container {container.name} of pod {pod.meta.name}"
    return Finding(cause=OUT_OF_MEMORY, because=f"{which} ran out of memory (OOMKilled)")


def restarted(pod: PodSeen) -> Finding | None:
    """Say why a container was started again, if one was."""
    for one in pod.containers:
        if ended_by_memory(one):
            return _memory(pod, one)
        if one.restarts:
            told = f" ({one.former_reason})" if one.former_reason else ""
            which = f"container {one.name} of pod {pod.meta.name}"
            return Finding(cause=POD_FAILED, because=f"{which} ended and was restarted{told}")
    return None


def _ended(pod: PodSeen) -> Finding | None:
    if pod.phase in ENDED:
        told = ", ".join(one for one in (pod.phase, pod.reason, pod.message) if one)
        if pod.reason == "OOMKilled":
            return Finding(
                cause=OUT_OF_MEMORY, because=f"pod {pod.meta.name} ran out of memory (OOMKilled)"
            )
        return Finding(cause=POD_FAILED, because=f"pod {pod.meta.name} has ended ({told})")
    for one in pod.containers:
        if one.state == "terminated":
            told = ", ".join(x for x in (one.reason, f"exit code {one.exit_code}") if x)
            clause = f"container {one.name} of pod {pod.meta.name} has ended ({told})"
            return Finding(cause=POD_FAILED, because=clause)
    return None


def _disruption(pod: PodSeen) -> Finding | None:
    for one in pod.conditions:
        if one.type == "DisruptionTarget" and one.status == "True":
            cause, by = _DISRUPTIONS.get(one.reason, (EVICTED, f"({one.reason})"))
            verb = "lost its node" if cause == NODE_LOST else "was sent away from node"
            told = f": {one.message}" if one.message else ""
            clause = f"pod {pod.meta.name} {verb} {pod.node or 'of no name'} {by}{told}"
            return Finding(cause=cause, because=clause)
    return None


def vanished(kind: str, name: str, sights: Sequence[PodSeen]) -> Finding:
    """Say who may have removed an object that no act of ours names, from all sights of a pod.

    That a pod has ended after somebody asked it to is no reason; who asked may stand there.
    """
    alive = [one for one in sights if one.meta.deleted_at is None]
    found = _disruption(sights[-1]) if sights else None
    found = found or (befallen(alive[-1]) if alive else None)
    if found is not None:
        return found
    well = " and nothing was wrong with it" if alive else ""
    return Finding(
        cause=SOMEBODY_DELETED,
        because=f"somebody else deleted {kind} {name}: no act of ours names it{well}",
        hints=(COULD_BE,),
    )


def answered(told: Told, text: str) -> Finding:
    """Say what an answer of a dashboard means."""
    match told:
        case JobTold() if told.answer == FOUND:
            failed = told.status == "FAILED"
            return Finding(cause=JOB_FAILED if failed else JOB_ENDED, because=text)
        case JobTold() | ServeTold() if told.answer == FAILED:
            clause = f"the dashboard could not be asked ({told.failure})"
            return Finding(cause=DASHBOARD, because=clause)
        case HealthTold():
            return Finding(cause=DASHBOARD, because=text)
        case _:
            return Finding(cause=UNKNOWN, because=text)
