"""Manifests with something wrong: small random changes to good ones, the same for the same seed.

Half of the changes are blind (another type, a missing part, an odd text); the other half know what
our resources are made of, so that rules are met and not only shapes.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from random import Random
from types import MappingProxyType

Container = dict[str, object] | list[object]
Slot = tuple[Container, str | int]

_ODD_TEXTS = (
    "",
    " ",
    "\x00",
    "\ud800",
    "a" * 300,
    "{x}",
    "%s",
    "'",
    "[",
    "\u202e",
    "TZ=UTC x",
    "-0",
)
_NUMBERS = (0, 1, -1, 2**31 - 1, 2**31, -(2**63), 10**30, 0.5, float("nan"), float("inf"))
_WORDS = (
    *("true", "1", "v1", "v2", "None", "Recreate", "NewCluster", "token", "rocksdb", "redis"),
    *("NewClusterWithIncrementalUpgrade", "SidecarMode", "HTTPMode", "InteractiveMode", "Always"),
    *("DeleteWorkers", "DeleteCluster", "DeleteSelf", "SUCCEEDED", "Failed", "Waiting", "GCS"),
    *("DenyAllIngress", "DenyAllEgress", "0 0 30 2 *", "@every 1s", "5m", "2.55.0", "/data/gcs"),
)
_TEMPLATE = {"spec": {"containers": [{"name": "ray-history-collector"}], "restartPolicy": "Always"}}
_WON = {"jobStatus": "SUCCEEDED", "ttlSeconds": 5}
_FIELDS: Mapping[str, tuple[tuple[str, object], ...]] = MappingProxyType(
    {
        "headGroupSpec": (
            ("suspend", True),
            ("rayVersion", "2.50.0"),
            ("rayVersion", "new"),
            ("rayVersion", "2.56.0"),
            ("enableInTreeAutoscaling", True),
            ("autoscalerOptions", {"version": "v2", "idleTimeoutSeconds": -1}),
            ("autoscalerOptions", {"env": [{"name": "KUBERAY_GEN_AUTOSCALER_START_CMD"}]}),
            ("gcsFaultToleranceOptions", {"backend": "rocksdb", "redisAddress": "x"}),
            ("gcsFaultToleranceOptions", {"storage": {"claimName": "a", "size": "1Gi"}}),
            ("authOptions", {"mode": "token", "enableK8sTokenAuth": True, "secretName": "x"}),
            ("authOptions", {"enableK8sTokenAuth": True}),
            ("networkPolicy", {"mode": "DenyAllEgress", "head": {"ingressRules": [{}]}}),
            ("networkPolicy", {"mode": "DenyAll", "workerGroups": [{"groupName": "X"}]}),
            ("tlsOptions", {"enabled": True}),
            ("historyServerOptions", {}),
            ("historyServerOptions", {"collectorOptions": {"env": [{"name": "POD_IP"}]}}),
            ("upgradeStrategy", {"type": "Odd"}),
        ),
        "image": (
            ("env", [{"name": "RAY_REDIS_ADDRESS", "value": "x"}, {"name": "REDIS_PASSWORD"}]),
            ("env", [{"name": "RAY_enable_autoscaler_v2", "value": "true"}]),
            ("env", [{"name": "RAY_USE_TLS"}, {"name": "RAY_gcs_storage"}]),
            ("volumeMounts", [{"name": "ray-tls", "mountPath": "/etc/ray/tls"}]),
            ("volumeMounts", [{"name": "gcs-storage", "mountPath": "/data/gcs"}]),
        ),
        "template": (
            ("rayStartParams", {"labels": "x", "num-cpus": "1", "redis-username": "x"}),
            ("rayStartParams", {"redis-password": "x"}),
            ("resources", {"CPU": "1"}),
            ("labels", {"-": " "}),
            ("template", _TEMPLATE),
            ("template", {}),
            ("suspend", True),
            ("numOfHosts", 2000),
            ("idleTimeoutSeconds", -1),
            ("priority", 3),
            ("minReplicas", -1),
            ("minReplicas", 9),
            ("maxReplicas", -1),
            ("groupName", "Odd_"),
            ("headService", {"metadata": {"name": "x"}}),
        ),
        "rayClusterSpec": (
            ("runtimeEnvYAML", "a: [b"),
            ("runtimeEnvYAML", "a: !!timestamp b"),
            ("runtimeEnvYAML", "a: &a [*a, !!int '']"),
            ("clusterSelector", {"ray.io/cluster": ""}),
            ("submissionMode", "SidecarMode"),
            ("submissionMode", "InteractiveMode"),
            ("submissionMode", "Odd"),
            ("submitterConfig", {}),
            ("submitterPodTemplate", {}),
            ("backoffLimit", -1),
            ("backoffLimit", 2),
            ("activeDeadlineSeconds", 0),
            ("preRunningDeadlineSeconds", 0),
            ("suspend", True),
            ("shutdownAfterJobFinishes", True),
            ("ttlSecondsAfterFinished", 3),
            ("ttlSecondsAfterFinished", -3),
            ("deletionStrategy", {}),
            ("deletionStrategy", {"onSuccess": {"policy": "DeleteNone"}}),
            ("deletionStrategy", {"onSuccess": {"policy": "DeleteWorkers"}, "onFailure": {}}),
            ("deletionStrategy", {"deletionRules": [{"policy": "DeleteSelf", "condition": {}}]}),
            (
                "deletionStrategy",
                {"deletionRules": [{"policy": "DeleteWorkers", "condition": _WON}] * 2},
            ),
        ),
        "rayClusterConfig": (
            ("upgradeStrategy", {"type": "Odd"}),
            ("upgradeStrategy", {"type": "NewClusterWithIncrementalUpgrade"}),
            (
                "upgradeStrategy",
                {
                    "type": "NewClusterWithIncrementalUpgrade",
                    "clusterUpgradeOptions": {"maxSurgePercent": 1, "stepSizePercent": 2},
                },
            ),
            ("rayClusterDeletionDelaySeconds", -1),
        ),
        "schedule": (
            ("timeZone", "Nowhere/Land"),
            ("timeZone", ""),
            ("schedule", "61 * * * *"),
            ("schedule", "0 0 30 2 *"),
            ("schedule", "TZ=UTC @daily"),
        ),
        "name": (
            ("annotations", {"ray.io/initializing-timeout": "-5", "ray.io/ft-enabled": "true"}),
            ("annotations", {"ray.io/initializing-timeout": "soon"}),
            ("annotations", {"ray.io/external-storage-namespace": "x"}),
            ("labels", {"ray.io/originated-from-crd": "RayJob"}),
            ("name", "a" * 60),
            ("name", "1.a"),
            ("generateName", "x-"),
        ),
        "kind": (("status", {"jobDeploymentStatus": "Waiting", "conditions": [{"type": 1}, 7]}),),
    }
)
"""Fields that some rule asks for, by a neighbour that tells where they belong."""


def mutated(chance: Random, good: Sequence[dict[str, object]]) -> object:
    """Return one of the good objects with one to six changes."""
    root: dict[str, object] = {"": deepcopy(chance.choice(good))}
    for _ in range(chance.randint(1, 6)):
        slots = _slots(root)
        if chance.random() < 0.6:  # noqa: PLR2004 - somewhat more often than blindly
            _field(chance, slots)
            continue
        container, key = chance.choice(slots)
        chance.choice(_CHANGES)(chance, container, key)
        if chance.random() < 0.1:  # noqa: PLR2004 - now and then a part of another object
            other, place = chance.choice(_slots({"": chance.choice(good)}))
            _put(container, key, deepcopy(_at(other, place)))
    if chance.random() < 0.03:  # noqa: PLR2004 - last, because copies cannot be that deep
        _wrapped(chance, *chance.choice(_slots(root)), chance.choice((200, 3000)))
    return root.get("")


def _slots(root: dict[str, object]) -> list[Slot]:
    found: list[Slot] = []
    todo: list[Container] = [root]
    while todo:
        container = todo.pop()
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            found.append((container, key))
            inner = _at(container, key)
            if isinstance(inner, dict | list):
                todo.append(inner)
    return found or [(root, "")]


def _at(container: Container, key: str | int) -> object:
    if isinstance(container, dict):
        return container.get(str(key))
    return container[int(key)] if int(key) < len(container) else None


def _put(container: Container, key: str | int, value: object) -> None:
    if isinstance(container, dict):
        container[str(key)] = value
    elif int(key) < len(container):
        container[int(key)] = value


def _another_type(chance: Random, container: Container, key: str | int) -> None:
    _put(container, key, chance.choice((None, True, [], {}, "text", 7, [[]], {"a": {"b": []}})))


def _number(chance: Random, container: Container, key: str | int) -> None:
    _put(container, key, chance.choice(_NUMBERS))


def _text(chance: Random, container: Container, key: str | int) -> None:
    _put(container, key, chance.choice((*_ODD_TEXTS, *_WORDS)))


def _gone(_: Random, container: Container, key: str | int) -> None:
    if isinstance(container, dict):
        container.pop(str(key), None)
    elif int(key) < len(container):
        del container[int(key)]


def _renamed(chance: Random, container: Container, key: str | int) -> None:
    if isinstance(container, dict) and key in container:
        container[chance.choice(_ODD_TEXTS)] = container.pop(str(key))


def _twice(_: Random, container: Container, key: str | int) -> None:
    if isinstance(container, list):
        container.append(deepcopy(_at(container, key)))


def _wrapped(chance: Random, container: Container, key: str | int, times: int = 1) -> None:
    value = _at(container, key)
    for _ in range(times):
        value = [value] if chance.random() < 0.5 else {"a": value}  # noqa: PLR2004 - a fair coin
    _put(container, key, value)


def _field(chance: Random, slots: Sequence[Slot]) -> None:
    neighbour = chance.choice(tuple(_FIELDS))
    places = [where for where, key in slots if key == neighbour and isinstance(where, dict)]
    if places:
        name, value = chance.choice(_FIELDS[neighbour])
        _put(chance.choice(places), name, deepcopy(value))


_CHANGES: tuple[Callable[[Random, Container, str | int], None], ...] = (
    *(_another_type, _number, _text, _gone, _renamed, _twice, _wrapped),
)
