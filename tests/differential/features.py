"""What a user may ask of a RayCluster, one thing at a time, to be put together in any way.

Each feature changes a manifest in place and says how many pods it adds. Names are short: they
become names of namespaces.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from tests.support.fleet import Json

Feature: TypeAlias = Callable[[Any], int]
QUANTITIES = {"cpu": "2", "memory": "4Gi"}


def _autoscale(spec: Json) -> int:
    spec["enableInTreeAutoscaling"] = True
    return 0


def _autoscale_v2(spec: Json) -> int:
    spec["enableInTreeAutoscaling"] = True
    spec["autoscalerOptions"] = {
        "version": "v2",
        "idleTimeoutSeconds": 90,
        "upscalingMode": "Conservative",
        "env": [{"name": "MOOD", "value": "calm"}],
        "resources": {"limits": {"cpu": "1", "memory": "1Gi"}},
    }
    return 0


def _ingress(spec: Json) -> int:
    spec["headGroupSpec"]["enableIngress"] = True
    return 0


def _redis(spec: Json) -> int:
    spec["gcsFaultToleranceOptions"] = {
        "redisAddress": "redis:6379",
        "redisPassword": {"value": "a word"},
        "externalStorageNamespace": "mine",
    }
    return 0


def _node_port(spec: Json) -> int:
    spec["headGroupSpec"]["serviceType"] = "NodePort"
    return 0


def _head_service(spec: Json) -> int:
    spec["headServiceAnnotations"] = {"example.com/note": "of the spec"}
    spec["headGroupSpec"]["headService"] = {
        "metadata": {"name": "own-head", "labels": {"team": "red"}, "annotations": {"a": "b"}},
        "spec": {"ports": [{"name": "extra", "port": 9999}]},
    }
    return 0


def _quantities(spec: Json) -> int:
    for template in _templates(spec):
        template["spec"]["containers"][0]["resources"] = {
            "requests": QUANTITIES,
            "limits": {**QUANTITIES, "nvidia.com/gpu": "1"},
        }
    return 0


def _start_params(spec: Json) -> int:
    head = {"num-cpus": "0", "dashboard-host": "0.0.0.0", "block": "true", "port": "6380"}
    spec["headGroupSpec"]["rayStartParams"] = head
    spec["workerGroupSpecs"][0]["rayStartParams"] = {"num-gpus": "2", "resources": "'{\"a\": 1}'"}
    return 0


def _hosts(spec: Json) -> int:
    spec["workerGroupSpecs"][0]["numOfHosts"] = 2
    return 1


def _second_group(spec: Json) -> int:
    first = spec["workerGroupSpecs"][0]
    spec["workerGroupSpecs"].append({**first, "groupName": "large", "replicas": 2})
    return 2 * int(first.get("numOfHosts", 1))


def _resting_group(spec: Json) -> int:
    first = spec["workerGroupSpecs"][0]
    resting = {**first, "groupName": "resting", "suspend": True, "replicas": 1}
    spec["workerGroupSpecs"].append(resting)
    return 0


def _recreate(spec: Json) -> int:
    spec["upgradeStrategy"] = {"type": "Recreate"}
    return 0


def _token(spec: Json) -> int:
    spec["authOptions"] = {"mode": "token"}
    return 0


def _dressed(spec: Json) -> int:
    """Labels, environment, volumes, another container, one that runs before."""
    for template in _templates(spec):
        template["metadata"] = {"labels": {"team": "red"}, "annotations": {"a": "b"}}
        inside = template["spec"]
        inside["volumes"] = [{"name": "scratch", "emptyDir": {}}]
        ray = inside["containers"][0]
        ray["env"] = [{"name": "COLOUR", "value": "red"}]
        ray["volumeMounts"] = [{"name": "scratch", "mountPath": "/scratch"}]
        ray["ports"] = [{"name": "mine", "containerPort": 7777}]
        inside["containers"].append({"name": "beside", "image": "busybox"})
        inside["initContainers"] = [{"name": "before", "image": "busybox", "command": ["true"]}]
    return 0


def _probes(spec: Json) -> int:
    for template in _templates(spec):
        probe = {"exec": {"command": ["true"]}, "periodSeconds": 7}
        template["spec"]["containers"][0]["livenessProbe"] = probe
        template["spec"]["restartPolicy"] = "Never"
    return 0


def _group_words(spec: Json) -> int:
    """Resources and labels of the groups themselves."""
    spec["headGroupSpec"]["labels"] = {"ray.io/zone": "a"}
    spec["headGroupSpec"]["resources"] = {"CPU": "1"}
    spec["workerGroupSpecs"][0]["labels"] = {"ray.io/zone": "b"}
    spec["workerGroupSpecs"][0]["resources"] = {"CPU": "3", "fruit": "2"}
    return 0


def _old_ray(spec: Json) -> int:
    spec["rayVersion"] = "2.9.0"
    return 0


def _policy(spec: Json) -> int:
    """Walls around the pods, with a door for each kind of them."""
    friends = {"podSelector": {"matchLabels": {"team": "red"}}}
    spec["networkPolicy"] = {
        "mode": "DenyAll",
        "head": {"ingressRules": [{"from": [friends], "ports": [{"port": 8265}]}]},
        "worker": {"egressRules": [{"to": [friends]}]},
    }
    return 0


def _rocks(spec: Json) -> int:
    """State in a claim of the head."""
    storage = {"size": "2Gi", "subPath": "ray", "accessModes": ["ReadWriteOncePod"]}
    spec["gcsFaultToleranceOptions"] = {"backend": "rocksdb", "storage": storage}
    return 0


def _history(spec: Json) -> int:
    """Somebody beside Ray who gathers its logs."""
    env = [{"name": "STORAGE_BACKEND", "value": "GCS"}, {"name": "GCS_BUCKET", "value": "mine"}]
    collector = {"image": "collector:1", "imagePullPolicy": "Never", "env": env}
    spec["historyServerOptions"] = {"collectorOptions": {**collector, "resources": {}}}
    return 0


def _route(spec: Json) -> int:
    """An ingress of the user's own taste."""
    spec["headGroupSpec"]["enableIngress"] = True
    spec["headGroupSpec"]["ingressOptions"] = {
        "host": "ray.example.com",
        "path": "/ray",
        "pathType": "Exact",
        "tls": [{"hosts": ["ray.example.com"], "secretName": "tls-of-ray"}],
    }
    return 0


def _scaler(spec: Json) -> int:
    """An autoscaler that is started in the user's way, and heeds priorities."""
    spec["rayVersion"] = "2.56.0"
    spec["enableInTreeAutoscaling"] = True
    words = {"command": ["/bin/sh", "-c"], "args": ["exec $KUBERAY_GEN_AUTOSCALER_START_CMD"]}
    spec["autoscalerOptions"] = {"version": "v2", **words}
    spec["workerGroupSpecs"][0]["priority"] = 5
    return 0


def _kube_token(spec: Json) -> int:
    """Tokens that Kubernetes itself gives out."""
    spec["rayVersion"] = "2.56.0"
    spec["authOptions"] = {"mode": "token", "enableK8sTokenAuth": True}
    return 0


def _no_workers(spec: Json) -> int:
    removed = spec["workerGroupSpecs"].pop(0)
    return -int(removed["replicas"]) * int(removed.get("numOfHosts", 1))


def _templates(spec: Json) -> list[Any]:
    return [spec["headGroupSpec"]["template"], spec["workerGroupSpecs"][0]["template"]]


FEATURES: Mapping[str, Feature] = {
    "autoscale": _autoscale,
    "autoscale2": _autoscale_v2,
    "ingress": _ingress,
    "redis": _redis,
    "nodeport": _node_port,
    "headsvc": _head_service,
    "quantities": _quantities,
    "params": _start_params,
    "hosts": _hosts,
    "second": _second_group,
    "resting": _resting_group,
    "recreate": _recreate,
    "token": _token,
    "dressed": _dressed,
    "probes": _probes,
    "words": _group_words,
    "oldray": _old_ray,
    "policy": _policy,
    "rocks": _rocks,
    "history": _history,
    "route": _route,
    "scaler": _scaler,
    "kubetoken": _kube_token,
    "none": _no_workers,
}
EXCLUDE = {
    frozenset(pair)
    for pair in (
        ("autoscale", "autoscale2"),
        ("token", "oldray"),
        ("autoscale", "resting"),
        ("autoscale2", "resting"),
        ("params", "words"),
        ("redis", "rocks"),
        ("ingress", "route"),
        ("autoscale", "scaler"),
        ("autoscale2", "scaler"),
        ("resting", "scaler"),
        ("oldray", "scaler"),
        ("token", "kubetoken"),
        ("oldray", "kubetoken"),
    )
}
"""Pairs that say one thing twice, or that validation refuses."""
