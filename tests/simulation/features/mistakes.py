"""What users get wrong in a RayCluster: one thing each, to be made several at a time.

What the API server refuses never reaches the operator, so it is not here. Each mistake changes a
manifest in place.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tests.simulation.features.clusters import Feature, Manifest

ENV = "RAY_enable_autoscaler_v2"
_VARIABLE = {"name": "RAY_REDIS_ADDRESS", "value": "redis:6379"}


def _at(*path: str | int) -> Callable[[Manifest], Any]:
    def found(manifest: Manifest) -> Any:
        place: Any = manifest
        for part in path:
            if isinstance(place, dict) and part not in place:
                place[part] = {}
            place = place[part]
        return place

    return found


_spec = _at("spec")
_head = _at("spec", "headGroupSpec")
_pod = _at("spec", "headGroupSpec", "template", "spec")
_ray = _at("spec", "headGroupSpec", "template", "spec", "containers", 0)
_params = _at("spec", "headGroupSpec", "rayStartParams")
_group = _at("spec", "workerGroupSpecs", 0)
_worker = _at("spec", "workerGroupSpecs", 0, "template", "spec")
_notes = _at("metadata", "annotations")


def _set(place: Callable[[Manifest], Any], **fields: object) -> Feature:
    return lambda manifest: place(manifest).update(fields)


def _both(*changes: Feature) -> Feature:
    return lambda manifest: [change(manifest) for change in changes]


def _variables(*names: str) -> Feature:
    env = [{"name": name, "value": "true"} for name in names]
    return _set(_ray, env=env)


def _collector(image: str = "collector:1", **variables: str) -> Feature:
    env = [{"name": name, "value": value} for name, value in variables.items()]
    return _set(_spec, historyServerOptions={"collectorOptions": {"image": image, "env": env}})


def _azure(**variables: str) -> Feature:
    return _collector(STORAGE_BACKEND="azureblob", **variables)


_v2 = _set(_spec, enableInTreeAutoscaling=True, autoscalerOptions={"version": "v2"})
_rocks: dict[str, object] = {"backend": "rocksdb"}
_redis: dict[str, object] = {"redisAddress": "redis:6379"}
_tls = _set(_spec, tlsOptions={"enabled": True})
_token = {"mode": "token"}
_FROM_A_JOB = {"ray.io/originated-from-crd": "RayJob"}
_friends: dict[str, object] = {"from": [{"podSelector": {}}]}
_GROUPS: Mapping[str, Feature] = {
    "no container": _both(_set(_pod, containers=[]), _set(_worker, containers=[])),
    "resources twice": _both(
        _set(_head, resources={"CPU": "1"}), _set(_params, **{"num-cpus": "1"})
    ),
    "labels": _both(
        _set(_params, labels="a=b"), _set(_group, labels={"a b/c": "x", "": "y", "a/b/c": "ä b"})
    ),
    "long label": _set(_group, labels={f"{'x' * 300}/{'y' * 1100}": "z" * 70}),
    "negative bounds": _set(_group, minReplicas=-1, maxReplicas=-2),
    "hosts": _set(_group, numOfHosts=1001),
    "fewer hosts": _set(_group, numOfHosts=-1),
    "somebody made it": _both(
        _set(_at("metadata", "labels"), **_FROM_A_JOB),
        _set(_spec, upgradeStrategy={"type": "Recreate"}),
    ),
    "twice": lambda manifest: _spec(manifest)["workerGroupSpecs"].append(_group(manifest)),
    "idle": _both(_set(_group, idleTimeoutSeconds=-1)),
    "heads name": _set(_group, groupName="headgroup"),
    "priority": _set(_group, priority=3),
    "priority of old": _both(_set(_spec, rayVersion="2.9.0"), _set(_group, priority=3)),
    "priority of odd": _both(_set(_spec, rayVersion="nightly"), _set(_group, priority=3)),
}
_SCALING: Mapping[str, Feature] = {
    "variable alone": _variables(ENV),
    "version twice": _both(_v2, _variables(ENV)),
    "restarts": _both(
        _v2, _set(_pod, restartPolicy="Always"), _set(_worker, restartPolicy="Always")
    ),
    "negative idle": _set(_spec, autoscalerOptions={"idleTimeoutSeconds": -1}),
    "start command": _set(
        _spec,
        autoscalerOptions={"env": [{"name": "KUBERAY_GEN_AUTOSCALER_START_CMD", "value": "x"}]},
    ),
    "suspended group": _both(_v2, _set(_group, suspend=True)),
}
_STATE: Mapping[str, Feature] = {
    "note and options": _both(
        _set(_spec, gcsFaultToleranceOptions=_redis),
        _set(_notes, **{"ray.io/ft-enabled": "true", "ray.io/external-storage-namespace": "x"}),
    ),
    "address alone": _variables("RAY_REDIS_ADDRESS"),
    "said twice": _both(
        _set(_spec, gcsFaultToleranceOptions=_redis),
        _set(_params, **{"redis-password": "x"}),
        _variables("REDIS_PASSWORD", "RAY_REDIS_ADDRESS"),
    ),
    "storage of redis": _set(
        _spec, gcsFaultToleranceOptions={**_redis, "storage": {"size": "1Gi"}}
    ),
    "user in params": _set(_params, **{"redis-username": "me"}),
    "user in env": _variables("REDIS_USERNAME"),
    "redis of rocks": _set(
        _spec,
        gcsFaultToleranceOptions={
            **_rocks,
            **_redis,
            "redisUsername": {"value": "me"},
            "redisPassword": {"value": "x"},
            "externalStorageNamespace": "x",
        },
    ),
    "claim and size": _set(
        _spec, gcsFaultToleranceOptions={**_rocks, "storage": {"claimName": "x", "size": "1Gi"}}
    ),
    "ours of rocks": _both(
        _set(_spec, gcsFaultToleranceOptions=_rocks),
        _variables("RAY_gcs_storage"),
        _set(_ray, volumeMounts=[{"name": "gcs-storage", "mountPath": "/data/gcs"}]),
        _set(_pod, volumes=[{"name": "gcs-storage", "emptyDir": {}}]),
    ),
}
_HISTORY: Mapping[str, Feature] = {
    "no collector": _set(_spec, historyServerOptions={}),
    "no image": _collector("", POD_IP="x"),
    "no bucket": _collector(STORAGE_BACKEND="gcs"),
    "no oss": _collector(STORAGE_BACKEND="aliyunoss", OSS_BUCKET="x"),
    "azure": _azure(),
    "azure by key": _azure(AZURE_STORAGE_AUTH_MODE="connection_string"),
    "taken name": _both(
        _collector(STORAGE_BACKEND="s3", S3_REGION="x"),
        _set(_pod, containers=[{"name": "ray-history-collector", "image": "x"}]),
        _set(_worker, containers=[{"name": "ray-history-collector", "image": "x"}]),
    ),
}
_ACCESS: Mapping[str, Feature] = {
    "token of nothing": _set(_spec, authOptions=_token),
    "token of odd": _both(_set(_spec, authOptions=_token, rayVersion="nightly")),
    "token of old": _both(
        _set(_spec, authOptions={**_token, "enableK8sTokenAuth": True}, rayVersion="2.9.0")
    ),
    "secret unused": _set(
        _spec,
        authOptions={**_token, "enableK8sTokenAuth": True, "secretName": "x"},
        rayVersion="2.56.0",
    ),
    "no mode": _set(_spec, authOptions={"enableK8sTokenAuth": True}),
    "open ways in": _set(
        _spec,
        networkPolicy={
            "mode": "DenyAllEgress",
            "head": {"ingressRules": [_friends]},
            "workerGroups": [{"groupName": "nobody", "ingressRules": [_friends]}],
        },
    ),
    "open ways out": _both(
        _set(
            _spec,
            networkPolicy={"mode": "DenyAllIngress", "worker": {"egressRules": [{}]}},
        ),
        _set(_group, groupName="Not_A_Label"),
    ),
    "tls by hand": _both(
        _tls,
        _variables("RAY_USE_TLS"),
        _set(_ray, volumeMounts=[{"name": "ray-tls", "mountPath": "/etc/ray/tls"}]),
        _set(_spec, autoscalerOptions={"env": [{"name": "RAY_TLS_CA_CERT", "value": "x"}]}),
    ),
}
UNCHECKED: Mapping[str, Feature] = {
    "no bounds": lambda manifest: [
        _group(manifest).pop(f"{end}Replicas") for end in ("min", "max")
    ],
    "unknown upgrade": _set(_spec, upgradeStrategy={"type": "Sideways"}),
    "shapes": _both(_set(_spec, suspend="perhaps", workerGroupSpecs="none")),
    "no head": lambda manifest: _spec(manifest).pop("headGroupSpec"),
    "words for numbers": _both(
        _set(_group, replicas="many", template=3),
        _set(_head, rayStartParams={"a b": 1}, resources={"CPU": []}),
        _set(_spec, headServiceAnnotations={"ü ü": None}),
    ),
}
"""What only definitions let through that check nothing."""
WITH_CONTAINERS = frozenset({"no container"})
"""What comes last: others write into the containers that it takes away."""
MISTAKES: Mapping[str, Feature] = {**_GROUPS, **_SCALING, **_STATE, **_HISTORY, **_ACCESS}
