"""Values for fields whose meaning is known: those that users get wrong, and those that do much.

By the end of the path, so that they hold wherever a RayCluster or RayJob is embedded.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from tests.fuzzing.markers import ENV_MARKER, SECRET_NAME

_TEMPLATE: dict[str, Any] = {
    "spec": {"containers": [{"name": "ray-worker", "image": "rayproject/ray:2.52.0"}]}
}


def _group(name: str, **more: object) -> dict[str, object]:
    sizes = {"replicas": 1, "minReplicas": 0, "maxReplicas": 5}
    return {"groupName": name, **sizes, "rayStartParams": {}, "template": _TEMPLATE, **more}


def _app(**more: object) -> str:
    entries = "".join(f"\n  {key}: {value}" for key, value in more.items())
    return f"applications:\n- name: stand\n  import_path: fruit.stand\n  route_prefix: /{entries}\n"


_RULE = {"policy": "DeleteCluster", "condition": {"jobStatus": "SUCCEEDED", "ttlSeconds": 0}}
_SELF = {"policy": "DeleteSelf", "condition": {"jobStatus": "FAILED", "ttlSeconds": 1}}
_PARAMS: tuple[object, ...] = (
    {},
    UNSET,
    {"num-cpus": "0"},
    {"num-cpus": "many"},
    {"num-cpus": ""},
    {"num-gpus": "-1"},
    {"memory": "1Gi"},
    {"memory": "1000000000"},
    {"resources": "'{\"a\": 1}'"},
    {"resources": '"{\\"a\\": 1}"'},
    {"resources": "{a: 1}"},
    {"resources": "nonsense"},
    {"port": "6380"},
    {"port": "many"},
    {"dashboard-port": "8266"},
    {"dashboard-port": "0"},
    {"block": "false"},
    {"block": "maybe"},
    {"no-monitor": ""},
    {"labels": "ray.io/zone=a"},
    {"address": "elsewhere:6379"},
    {"a b": "c d"},
    {"redis-password": ENV_MARKER},
    {"ü": "☃"},
    {"": ""},
    {"x; exit 1": "y"},
    {"dashboard-host": "0.0.0.0'; exit 1 #"},
)
_REDIS = {"redisAddress": "redis:6379"}
_ZONES = ("Europe/Berlin", "UTC", "Local", "", "Nowhere/City", "europe/berlin", "+02:00", UNSET)
_SCHEDULES = (
    "0 0 1 1 *",
    "* * * * *",
    "*/2 * * * *",
    "@hourly",
    "@every 90s",
    "@every 1s",
    "@every 0s",
    "@reboot",
    "every now and then",
    "",
    "60 * * * *",
    "0 0 30 2 *",
    "* * * * * *",
    "TZ=Europe/Berlin 0 0 1 1 *",
    "CRON_TZ=Nowhere/City 0 0 1 1 *",
    "0 0 1 1 mon-sun",
    "5-1 * * * *",
    " 0 0 1 1 * ",
    "0 0 1 1 *\n",
)
VALUES: Mapping[tuple[str, ...], tuple[object, ...]] = {
    ("replicas",): (0, 2, 3, 7, -1, -(2**31), UNSET),
    ("minReplicas",): (0, 1, 3, 11, -1, UNSET),
    ("maxReplicas",): (0, 1, 3, -1, 2**31 - 1, UNSET),
    ("numOfHosts",): (1, 2, 3, 0, -1, UNSET),
    ("rayVersion",): (UNSET, "", "2.53.0", "2.0.0", "nightly", "2.52", "v2.52.0", "2.52.0-py310"),
    ("rayStartParams",): _PARAMS,
    ("workerGroupSpecs",): (
        [],
        UNSET,
        [_group("small"), _group("large", replicas=2)],
        [_group("small"), _group("small")],
        [_group("large")],
        [_group("UPPER")],
        [_group("")],
        [_group("x" * 70)],
        [_group("headgroup")],
        [_group("a_b")],
        [_group("small", numOfHosts=2)],
        [_group("small", suspend=True)],
        [_group("small"), _group("other", suspend=True), _group("third", replicas=0)],
        [_group("small", minReplicas=4, maxReplicas=2)],
        [_group("small", replicas=9)],
        [{"groupName": "bare", "template": _TEMPLATE}],
    ),
    ("groupName",): ("large", "UPPER", "", "x" * 63, "x" * 70, "headgroup", "a_b", "a.b", "ü", "1"),
    ("workersToDelete",): ([], ["nobody"], ["", "a", "a"], ["ray-head"], UNSET),
    ("idleTimeoutSeconds",): (0, 1, 60, -1, 2**31 - 1, UNSET),
    ("upscalingMode",): ("Default", "Aggressive", "Conservative", "NoSuch", UNSET),
    ("enableInTreeAutoscaling",): (True, False, UNSET),
    ("autoscalerOptions",): (
        {},
        UNSET,
        {"version": "v2"},
        {"version": "v1", "idleTimeoutSeconds": 30},
        {"env": [{"name": "TOKEN", "value": ENV_MARKER}]},
        {"resources": {"limits": {"cpu": "0"}}},
        {"resources": {"limits": {"cpu": "-1"}}},
        {"image": ""},
        {"imagePullPolicy": "Sometimes"},
        {"command": ["sleep"], "args": ["1"]},
        {"volumeMounts": [{"name": "nobody", "mountPath": "/x"}]},
    ),
    ("gcsFaultToleranceOptions",): (
        {},
        UNSET,
        _REDIS,
        {**_REDIS, "redisPassword": {"value": ENV_MARKER}},
        {
            **_REDIS,
            "redisPassword": {"valueFrom": {"secretKeyRef": {"name": SECRET_NAME, "key": "token"}}},
        },
        {**_REDIS, "externalStorageNamespace": "mine"},
        {"redisAddress": ""},
        {"redisUsername": {"value": "me"}, "redisAddress": "redis:6379"},
        {"backend": "rocksdb"},
        {"backend": "rocksdb", "storage": {"size": "1Gi"}},
        {"backend": "rocksdb", "storage": {"size": "-1Gi"}},
        {"backend": "rocksdb", "storage": {"claimName": "nobody"}},
        {"backend": "rocksdb", "storage": {"size": "1Gi", "deletionPolicy": "Retain"}},
        {"backend": "redis", "storage": {"size": "1Gi"}},
    ),
    ("headServiceAnnotations",): ({}, {"a": "b"}, {"": "x"}, {"ü": "x"}, UNSET),
    ("serviceType",): (
        "ClusterIP",
        "NodePort",
        "LoadBalancer",
        "ExternalName",
        "Sideways",
        "",
        UNSET,
    ),
    ("authOptions",): (
        {},
        UNSET,
        {"mode": "token"},
        {"mode": "disabled"},
        {"mode": "token", "secretName": SECRET_NAME},
        {"mode": "token", "secretName": "nobody"},
        {"mode": "token", "enableK8sTokenAuth": True},
        {"enableK8sTokenAuth": True},
        {"secretName": "UPPER"},
    ),
    ("enableIngress",): (True, False, UNSET),
    ("suspend",): (True, False, UNSET),
    ("managedBy",): ("ray.io/kuberay-operator", "kueue.x-k8s.io/multikueue", "me", "", UNSET),
    ("upgradeStrategy",): (
        UNSET,
        {},
        {"type": "Recreate"},
        {"type": "None"},
        {"type": "NewCluster"},
        {"type": "Sideways"},
        {"type": "NewClusterWithIncrementalUpgrade"},
        {
            "type": "NewClusterWithIncrementalUpgrade",
            "clusterUpgradeOptions": {
                "gatewayClassName": "mine",
                "intervalSeconds": 1,
                "stepSizePercent": 50,
            },
        },
    ),
    ("upgradeStrategy", "type"): (
        "Recreate",
        "None",
        "NewCluster",
        "NewClusterWithIncrementalUpgrade",
        "Sideways",
        "",
        UNSET,
    ),
    ("submissionMode",): (
        "K8sJobMode",
        "HTTPMode",
        "InteractiveMode",
        "SidecarMode",
        "httpmode",
        "",
        "Sideways",
        UNSET,
    ),
    ("entrypoint",): (
        "python train.py",
        "python badly.py",
        "python forever.py",
        "",
        " ",
        "a 'b' \"c\" $D `e`",
        "ünïcode ☃",
        "two\nlines",
        UNSET,
    ),
    ("entrypointResources",): ('{"fruit": 1}', "{}", "", "nonsense", "[1]", '{"a": "b"}', UNSET),
    ("runtimeEnvYAML",): (
        "env_vars:\n  A: b\n",
        f"env_vars:\n  TOKEN: {ENV_MARKER}\n",
        "",
        "- a list",
        "a word",
        "a: [",
        "{}",
        "null",
        "a: 2020-01-01\n",
        "1: 2\n",
        "&a [*a]",
        "a: !!python/object:os.system x",
        UNSET,
    ),
    ("backoffLimit",): (0, 1, 2, -1, 2**31 - 1, UNSET),
    ("activeDeadlineSeconds",): (1, 20, 600, 0, -1, 2**31 - 1, UNSET),
    ("preRunningDeadlineSeconds",): (1, 60, 0, -1, 2**31 - 1, UNSET),
    ("ttlSecondsAfterFinished",): (0, 1, 30, -1, 2**31 - 1, UNSET),
    ("jobId",): ("mine", "", "UPPER", "a b", "a/b", "x" * 300, "ü", UNSET),
    ("clusterSelector",): (
        {},
        {"ray.io/cluster": "nobody"},
        {"a": "b"},
        {"ray.io/cluster": ""},
        UNSET,
    ),
    ("deletionStrategy",): (
        UNSET,
        {"deletionRules": [_RULE]},
        {"deletionRules": [_RULE, _RULE]},
        {"deletionRules": [_RULE, _SELF]},
        {"deletionRules": []},
        {"onSuccess": {"policy": "DeleteCluster"}, "onFailure": {"policy": "DeleteSelf"}},
        {"onSuccess": {"policy": "DeleteNone"}, "onFailure": {"policy": "DeleteNone"}},
        {"onSuccess": {}, "onFailure": {}},
        {"onSuccess": {"policy": "DeleteSelf"}},
        {
            "deletionRules": [
                {"policy": "DeleteSelf", "condition": {"jobDeploymentStatus": "Failed"}}
            ]
        },
        {},
    ),
    ("schedule",): _SCHEDULES,
    ("timeZone",): _ZONES,
    ("serveConfigV2",): (
        "",
        UNSET,
        "applications: []",
        "applications:\n",
        _app(),
        _app(deployments="[]"),
        _app(max="many"),
        "applications:\n- name: market\n  import_path: fruit.market\n  route_prefix: /\n",
        "applications:\n- import_path: fruit.market\n",
        "applications:\n- name: a\n- name: a\n",
        "applications: fruit",
        "a word",
        "- a\n- list",
        "a: [",
        "http_options:\n  port: 8001\napplications: []\n",
        "http_options:\n  port: many\napplications: []\n",
        "when: 2020-01-01\napplications: []\n",
        "? [a, b]\n: c\n",
        "1: 2\n",
        "a: &x [*x]\n",
        "target_capacity: 50\napplications: []\n",
        "\t",
        "ü: ☃",
    ),
    ("rayClusterDeletionDelaySeconds",): (0, 1, 30, -1, 2**31 - 1, UNSET),
    ("stepSizePercent",): (0, 1, 100, 101, -1),
    ("maxSurgePercent",): (0, 1, 100, 101, -1, UNSET),
    ("intervalSeconds",): (0, 1, -1, 2**31 - 1),
    ("gatewayClassName",): ("mine", "", "UPPER", "x" * 300),
    ("storage", "size"): ("1Gi", "0", "-1Gi", 1, "1e30", "many", ""),
}


def known_values(path: tuple[str | int, ...]) -> tuple[object, ...]:
    """Return the values for a path, by its longest end that is known; none if none is."""
    names = tuple(str(part) for part in path)
    for length in (2, 1):
        found = VALUES.get(names[-length:])
        if found:
            return found
    return ()
