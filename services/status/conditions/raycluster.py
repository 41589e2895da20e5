"""The status of a RayCluster, assessed from its view.

Counts, head and endpoints are what is seen; `state` and `Provisioned` latch; phases move along
their edges only. What the API server refused is told in `ReplicaFailure`, what makes no sense in
`SpecInvalid`, whatever else is in the way in `Blocked`. Times are the log's. Where nothing differs,
nothing is written.
"""

from collections.abc import Mapping

from services.status.conditions.blocked import in_the_way_of_cluster, tell_blocked
from services.status.conditions.head import head_finding, head_info
from services.status.conditions.suspension import PROVISIONED, suspend
from services.status.conditions.transitions import Conditions, Finding, conditions_of, holds, record
from shared.aggregates.phases import SUSPENDED
from shared.aggregates.raycluster import RayClusterState, group_of, raycluster_state
from shared.aggregates.rayjob import SUBMITTER
from shared.aggregates.troubles import WAIT, troubles
from shared.aggregates.view import View
from shared.events.decisions import Trouble
from shared.events.objects import PodSeen
from shared.kernel.features import STATUS_CONDITIONS, Features
from shared.kernel.instants import print_instant
from shared.kernel.manifests import integer_at, texts_at
from shared.resources.labels import HEAD_GROUP, NODE_TYPE
from shared.resources.raycluster import RayCluster
from shared.resources.totals import resource_totals, worker_counts

OF_ALL = Features()
"""The gates as they are by default."""
REPLICA_FAILURE = "ReplicaFailure"
SPEC_INVALID = "SpecInvalid"

_FAILURES = {
    ("create", "head"): "FailedCreateHeadPod",
    ("create", "worker_groups"): "FailedCreateWorkerPod",
    ("create", "head_service"): "FailedCreateHeadService",
    ("delete", "suspension"): "FailedDeleteAllPods",
    ("delete", "recreate"): "FailedDeleteAllPods",
    ("delete", "worker_groups"): "FailedDeleteWorkerPod",
    ("delete", "workers_to_delete"): "FailedDeleteWorkerPod",
    ("delete", "removed_group"): "FailedDeleteWorkerPod",
}


_KINDS = {
    "networkpolicy": "NetworkPolicy",
    "persistentvolumeclaim": "PVC",
    "pluginpodgroup": "PodGroup",
    "podgroup": "PodGroup",
    "raycluster": "RayCluster",
    "rolebinding": "RoleBinding",
    "serviceaccount": "ServiceAccount",
    "volcanopodgroup": "PodGroup",
}


def assess_raycluster(
    view: View, cluster: RayCluster | None, features: Features = OF_ALL
) -> dict[str, object]:
    """Return the status as it should read now; `cluster` is None if its spec cannot be read.

    With the gate of the conditions shut there are none, and only `state` tells of a suspension.
    """
    status = dict(view.status)
    conditions = conditions_of(status)
    _tell_invalid(conditions, view)
    if cluster is not None and not holds(conditions, SPEC_INVALID):
        _assess_valid(view, cluster, status, conditions)
        if not features.on(STATUS_CONDITIONS):
            _tell_suspended(status, view, wished=cluster.spec.suspend is True)
    if features.on(STATUS_CONDITIONS):
        status["conditions"] = list(conditions.values())
    else:
        status.pop("conditions", None)
    if view.act is not None:
        former = integer_at(status, "observedGeneration") or 0
        status["observedGeneration"] = max(former, view.act.seen.generation)
    return status


def _assess_valid(
    view: View, cluster: RayCluster, status: dict[str, object], conditions: Conditions
) -> None:
    state = raycluster_state(view)
    obstacles = tuple(trouble for trouble in troubles(view) if trouble.verb != "validate")
    refused = tuple(trouble for trouble in obstacles if trouble.verb != WAIT)
    status.update(_counts(state))
    status.update(_wishes(cluster))
    status.update(head_info(state, texts_at(status, "endpoints")))
    _tell_failure(conditions, refused, view, state)
    record(conditions, head_finding(state), view.now)
    complete = _complete(state, status)
    _tell_provisioned(conditions, view, complete=complete)
    suspend(conditions, view, state, wished=cluster.spec.suspend)
    tell_blocked(conditions, in_the_way_of_cluster(view, obstacles, state), view.now)
    _tell_state(status, conditions, view, ready=complete and not obstacles)


def _counts(state: RayClusterState) -> dict[str, object]:
    workers = [pod for pod in state.pods.values() if _is_worker(pod)]
    running = [pod for pod in workers if pod.phase == "Running"]
    return {
        "readyWorkerReplicas": sum(1 for pod in running if _readiness(pod) == "True"),
        "availableWorkerReplicas": len(running),
    }


def _wishes(cluster: RayCluster) -> dict[str, object]:
    counts, totals = worker_counts(cluster), resource_totals(cluster)
    return {
        "desiredWorkerReplicas": counts.desired,
        "minWorkerReplicas": counts.lowest,
        "maxWorkerReplicas": counts.highest,
        "desiredCPU": totals.cpu,
        "desiredMemory": totals.memory,
        "desiredGPU": totals.gpu,
        "desiredTPU": totals.tpu,
    }


def _is_worker(pod: PodSeen) -> bool:
    return pod.meta.labels.get(NODE_TYPE) == "worker"


def _readiness(pod: PodSeen) -> str:
    return next((one.status for one in pod.conditions if one.type == "Ready"), "")


def _complete(state: RayClusterState, status: Mapping[str, object]) -> bool:
    """Whether exactly the wished pods are there, and all of them run and are ready."""
    wished = 1 + int(str(status.get("desiredWorkerReplicas", 0)))
    fit = all(_fits(pod) for pod in state.pods.values())
    heads = sum(1 for pod in state.pods.values() if group_of(pod.meta) == HEAD_GROUP)
    return fit and heads == 1 and len(state.pods) == wished and not state.coming


def _fits(pod: PodSeen) -> bool:
    """Whether a pod runs and is ready, or would be but for a submitter in it that has ended.

    Kubernetes never calls such a pod ready again: a job that ends before the last worker is there
    would keep its cluster from ever being ready, and so itself from ever being complete.
    """
    if pod.phase != "Running" or _readiness(pod) == "True":
        return pod.phase == "Running"
    ended = any(one.name == SUBMITTER and one.state == "terminated" for one in pod.containers)
    others = [one for one in pod.containers if one.name != SUBMITTER]
    return ended and bool(others) and all(one.ready for one in others)


def _tell_invalid(conditions: Conditions, view: View) -> None:
    """Tell what the last judged generation got wrong; a newer one is not judged yet."""
    if view.act is None:
        return
    told = next((one for one in view.act.troubles if one.verb == "validate"), None)
    if told is None:
        conditions.pop(SPEC_INVALID, None)
        return
    finding = Finding(type=SPEC_INVALID, holds=True, reason=told.rule, message=told.message)
    record(conditions, finding, view.now)


def _tell_failure(
    conditions: Conditions, refused: tuple[Trouble, ...], view: View, state: RayClusterState
) -> None:
    if not refused:
        conditions.pop(REPLICA_FAILURE, None)
        return
    first = refused[0]
    reason = _FAILURES.get((first.verb, first.rule)) or _failure(first, state)
    message = f"{reason}\n{first.message}"
    finding = Finding(type=REPLICA_FAILURE, holds=True, reason=reason, message=message)
    record(conditions, finding, view.now)


def _failure(trouble: Trouble, state: RayClusterState) -> str:
    """Name a failure after what was refused: pods by their role, other objects by their kind."""
    verb = f"Failed{trouble.verb.capitalize()}"
    if trouble.kind != "pod":
        return f"{verb}{_KINDS.get(trouble.kind, trouble.kind.capitalize())}"
    pod = state.pods.get(trouble.name)
    heads = pod is not None and group_of(pod.meta) == HEAD_GROUP
    return f"{verb}HeadPod" if heads else f"{verb}WorkerPod"


def _tell_provisioned(conditions: Conditions, view: View, *, complete: bool) -> None:
    if holds(conditions, PROVISIONED) or holds(conditions, SUSPENDED):
        return
    finding = Finding(
        type=PROVISIONED,
        holds=complete,
        reason="AllPodRunningAndReadyFirstTime" if complete else "RayClusterPodsProvisioning",
        message="All Ray Pods are ready for the first time"
        if complete
        else "RayCluster Pods are being provisioned for first time",
    )
    record(conditions, finding, view.now)


def _tell_state(
    status: dict[str, object], conditions: Conditions, view: View, *, ready: bool
) -> None:
    """Set the state, which latches: it moves on to ready or suspended and never to nothing."""
    former = status.get("state", "")
    if holds(conditions, SUSPENDED):
        status["state"] = "suspended"
    elif ready:
        status["state"] = "ready"
        status.pop("reason", None)
    _note_transition(status, former, view)


def _tell_suspended(status: dict[str, object], view: View, *, wished: bool) -> None:
    """Tell of a suspension where no condition does: it is wished, and nothing is left."""
    left = raycluster_state(view)
    if wished and not (left.pods or left.coming):
        former = status.get("state", "")
        status["state"] = "suspended"
        _note_transition(status, former, view)


def _note_transition(status: dict[str, object], former: object, view: View) -> None:
    if status.get("state", "") != former:
        times = texts_at(status, "stateTransitionTimes")
        times[str(status["state"])] = print_instant(view.now)
        status["stateTransitionTimes"] = times
