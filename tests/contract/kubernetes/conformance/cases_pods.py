"""Pods as people look at them: what the log subresource refuses, and the word in their rows.

Nobody looks after pods here: what a kubelet says of them is written as if by one. What a kubelet
gives out is compared by kubectl (kubectlpods.py).
"""

from typing import Any

from tests.contract.kubernetes.conformance.calls import (
    STRATEGIC,
    TABLE,
    Call,
    at,
    cases,
    delete,
    get,
    only,
    patch,
    post,
)
from tests.contract.kubernetes.conformance.definitions import pod

PODS, POD, LOG = at("pods"), at("pods", "p"), at("pods", "p", "log")
ROWS = only("rows", get(PODS, accept=TABLE, includeObject="None"))
RUNNING: Any = {"running": {"startedAt": "2030-01-01T00:00:00Z"}}
PREPARES = {"waiting": {"reason": "PodInitializing"}}
INIT = {"name": "init", "image": "i"}
TWO = [{"name": "main", "image": "i"}, {"name": "side", "image": "i"}]
HELD = {"finalizers": ["example.com/held"]}


def ended(code: int, reason: str) -> Any:
    times = {"startedAt": "2030-01-01T00:00:00Z", "finishedAt": "2030-01-01T00:00:01Z"}
    return {"terminated": {"exitCode": code, "reason": reason, **times}}


def container(name: str, state: Any, **fields: Any) -> Any:
    common = {"image": "i", "imageID": "", "lastState": {}, "ready": False, "restartCount": 0}
    return {"name": name, "state": state, **common, **fields}


def reported(phase: str, *main: Any, init: Any = (), holds: tuple[str, ...] = ()) -> Call:
    """Report for a pod, as its kubelet would."""
    status: dict[str, Any] = {"phase": phase, "containerStatuses": list(main)}
    if init:
        status["initContainerStatuses"] = list(init)
    status["conditions"] = [{"type": each, "status": "True"} for each in holds]
    return patch(f"{POD}/status", {"status": status}, STRATEGIC)


LOGGING = cases(
    "log",
    of_no_pod=(get(LOG),),
    of_a_pod_without_a_node_is_empty=(post(PODS, pod()), get(LOG)),
    of_one_of_several_needs_a_name=(
        post(PODS, pod(containers=TWO, initContainers=[INIT])),
        get(LOG),
        get(LOG, container="side"),
    ),
    of_an_unknown_container=(post(PODS, pod()), get(LOG, container="no")),
    refuses_what_is_no_number=(get(LOG, tailLines="many"), get(LOG, limitBytes="")),
    refuses_a_number_that_is_too_large=(get(LOG, sinceSeconds="9" * 20),),
    refuses_too_little=(
        get(LOG, tailLines="-1"),
        get(LOG, limitBytes="0"),
        get(LOG, sinceSeconds="0"),
    ),
    refuses_two_beginnings=(get(LOG, sinceSeconds="1", sinceTime="2030-01-01T00:00:00Z"),),
    names_several_problems=(get(LOG, tailLines="-1", limitBytes="-1", sinceSeconds="-1"),),
    takes_any_word_for_yes=(post(PODS, pod()), get(LOG, follow="maybe", previous="no")),
)
ROWS_OF_PODS = cases(
    "table",
    of_a_pod_that_prepares=(
        post(PODS, pod(initContainers=[INIT])),
        reported(
            "Pending",
            container("main", PREPARES),
            init=[container("init", RUNNING, started=True, restartCount=2)],
        ),
        ROWS,
    ),
    of_a_pod_that_cannot_prepare=(
        post(PODS, pod(initContainers=[INIT])),
        reported(
            "Pending", container("main", PREPARES), init=[container("init", ended(1, "Error"))]
        ),
        ROWS,
    ),
    of_a_pod_with_a_sidecar=(
        post(PODS, pod(initContainers=[{**INIT, "restartPolicy": "Always"}])),
        reported(
            "Running",
            container("main", RUNNING, ready=True, started=True),
            init=[container("init", RUNNING, ready=True, started=True)],
            holds=("Initialized", "Ready"),
        ),
        ROWS,
    ),
    of_a_pod_with_gates=(
        post(PODS, pod(readinessGates=[{"conditionType": f"x.io/{each}"} for each in "ab"])),
        reported("Running", container("main", RUNNING, ready=True), holds=("x.io/a",)),
        ROWS,
    ),
    of_a_pod_that_failed_in_part=(
        post(PODS, pod(containers=TWO, restartPolicy="Never")),
        reported(
            "Failed",
            container("main", ended(0, "Completed")),
            container("side", ended(3, "Error")),
        ),
        ROWS,
    ),
    of_a_pod_half_of_which_is_done=(
        post(PODS, pod(containers=TWO, restartPolicy="Never")),
        reported(
            "Running",
            container("main", ended(0, "Completed")),
            container("side", RUNNING, ready=True),
        ),
        ROWS,
    ),
    of_a_pod_that_goes=(
        post(PODS, pod(metadata=HELD, nodeName="n")),
        reported("Running", container("main", RUNNING, ready=True), holds=("Ready",)),
        delete(POD),
        ROWS,
    ),
    of_a_pod_that_goes_after_its_end=(
        post(PODS, pod(metadata=HELD, nodeName="n", restartPolicy="Never")),
        reported("Succeeded", container("main", ended(0, "Completed"))),
        delete(POD),
        ROWS,
    ),
)
ALL = (*LOGGING, *ROWS_OF_PODS)
