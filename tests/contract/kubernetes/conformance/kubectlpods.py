"""What a person does with pods and kubectl, as a script; and how those pods fare, for both sides.

The sandbox plays the pods itself; on the real control plane the same kubelet does it from outside.
Runs take whole seconds: times of containers are told in those, and lines follow them. Read next:
kubectl.py, test_kubectl_pods.py.
"""

from typing import Any

from tests.contract.kubernetes.conformance.kubectl import Step, kubectl

TALK = {"lines": ["one", "two", "three"], "every": 0.0}
BOTH = [
    {"container": "main", **TALK},
    {"container": "side", "lines": ["from the side"], "every": 0.0},
]
SCENARIO: dict[str, Any] = {
    "rules": [
        {"name": "two", "logs": BOTH, "terminate_after": 3.0},
        {"name": "brief", "logs": [TALK | {"every": 0.7}], "exits": [{"after": 3, "exit_code": 0}]},
        {"name": "crash", "logs": [TALK | {"every": 0.7}], "exits": [{"after": 1, "exit_code": 3}]},
        {
            "name": "loop",
            "logs": [TALK],
            "exits": [{"after": 1, "reason": "OOMKilled", "exit_code": 137}],
            "restart_after": 300,
        },
        {"name": "pulled", "image_pull_error": "no such image", "restart_after": 1.0},
        {"name": "stuck", "unschedulable": "0/1 nodes are available: too small."},
        {"name": "begun", "init_after": 300, "logs": [TALK]},
        {"name": "slow", "schedule_after": 1.0, "run_after": 1.0, "ready_after": 1.0},
    ],
    "otherwise": {"logs": BOTH},
}


def pod(name: str, *containers: str, **fields: Any) -> dict[str, Any]:
    """A pod; without the token that the real one would be given."""
    asked = {"requests": {"cpu": "1"}, "limits": {"memory": "64Mi"}}
    main: list[dict[str, Any]]
    main = [{"name": each, "image": "talk:1"} for each in containers or ("main",)]
    main[0] |= {"resources": asked, "ports": [{"containerPort": 80}]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "talk" if name in {"one", "two"} else name}},
        "spec": {"automountServiceAccountToken": False, "containers": main, **fields},
    }


INIT = [{"name": "setup", "image": "talk:1", "command": ["sh", "-c", "sleep 1"]}]
PODS = (
    pod("one"),
    pod("two", "main", "side"),
    pod("brief", restartPolicy="Never"),
    pod("crash"),
    pod("loop"),
    pod("pulled"),
    pod("stuck"),
    pod("begun", initContainers=INIT),
)
WAITING = "jsonpath={.status.containerStatuses[0].state.waiting.reason}"
RESTARTS = "jsonpath={.status.containerStatuses[0].restartCount}"
SHOWN = ("-o", "jsonpath={.status.phase} {.status.containerStatuses[*].name} {.spec.nodeName}")

SCRIPT: tuple[Step, ...] = (
    kubectl("get pods"),
    kubectl("logs one"),
    kubectl("apply", *PODS),
    kubectl("wait pod/brief --for=jsonpath={.status.phase}=Running --timeout=20s"),
    kubectl("logs -f brief"),
    kubectl("wait pod/one pod/two --for=condition=Ready --timeout=20s"),
    kubectl(f"wait pod/pulled --for={WAITING}=ImagePullBackOff --timeout=20s"),
    kubectl("wait pod/brief --for=jsonpath={.status.phase}=Succeeded --timeout=20s"),
    kubectl(f"wait pod/crash --for={RESTARTS}=1 --timeout=20s"),
    kubectl("wait pod/crash --for=condition=Ready --timeout=20s"),
    kubectl(f"wait pod/loop --for={WAITING}=CrashLoopBackOff --timeout=20s"),
    kubectl("wait pod/stuck --for=condition=Ready --timeout=1s"),
    kubectl("get pods"),
    kubectl("get pods -o wide"),
    kubectl("get pods --show-labels"),
    kubectl("get pods -l app=talk -o name"),
    kubectl("get pods --field-selector status.phase=Pending -o name"),
    Step(("get", "pod", "two", *SHOWN)),
    kubectl("get pods --sort-by=.status.phase -o custom-columns=N:.metadata.name,P:.status.phase"),
    *(kubectl(f"describe pod {each['metadata']['name']}") for each in PODS),
    kubectl("describe pods -l app=nothing"),
    kubectl("logs one"),
    kubectl("logs pod/one --tail=1"),
    kubectl("logs one --tail=0"),
    kubectl("logs one --timestamps"),
    kubectl("logs one --limit-bytes=5"),
    kubectl("logs one --since=1h"),
    kubectl("logs one --since-time=2100-01-01T00:00:00Z"),
    kubectl("logs one --previous"),
    kubectl("logs two"),
    kubectl("logs two -c side"),
    kubectl("logs two -c nothing"),
    kubectl("logs two --all-containers"),
    kubectl("logs two --all-containers --prefix"),
    kubectl("logs -l app=talk"),
    kubectl("logs -l app=talk -c main --tail=1 --prefix"),
    kubectl("logs -l app=nothing"),
    kubectl("logs brief"),
    kubectl("logs -f brief --tail=2"),
    kubectl("logs crash"),
    kubectl("logs crash -p"),
    kubectl("logs loop"),
    kubectl("logs -f loop -p"),
    kubectl("logs pulled"),
    kubectl("logs stuck"),
    kubectl("logs begun"),
    kubectl("logs begun -c setup"),
    kubectl("logs nothing"),
    kubectl("get --raw /api/v1/namespaces/$ns/pods/two/log"),
    kubectl("get --raw /api/v1/namespaces/$ns/pods/begun/log?container=nothing"),
    kubectl("get --raw /api/v1/namespaces/$ns/pods/one/log?tailLines=many"),
    kubectl("get --raw /api/v1/namespaces/$ns/pods/one/log?tailLines=-1&limitBytes=0"),
    kubectl("apply", pod("slow")),
    kubectl("get pods slow -w --request-timeout=5s"),
    kubectl("delete pod one --timeout=20s"),
    kubectl("get pod one"),
    kubectl("delete pod two --wait=false"),
    kubectl("wait pod/two --for=delete --timeout=20s"),
    kubectl("delete pod crash --now --timeout=20s"),
    kubectl("delete pod loop --grace-period=0 --force"),
    kubectl("delete pods --all --timeout=20s"),
    kubectl("get pods"),
)
