"""What breaks each rule about groups, storage and scaling of a RayCluster, and what it says."""

from collections.abc import Mapping
from typing import Any

from tests.support.rayclusters import container, head, template, workers

WORDS = "use letters, digits, '-', '_' and '.'; begin and end with a letter or digit"

Fields = dict[str, Any]


def env(*names: str, **values: str) -> list[Fields]:
    return [{"name": name, "value": "x"} for name in names] + [
        {"name": name, "value": value} for name, value in values.items()
    ]


def head_with(*names: str, **values: str) -> Fields:
    return head(template=template(container(env=env(*names, **values))))


def group(**fields: object) -> Fields:
    return {"workerGroupSpecs": [workers(**fields)]}


def collector(*names: str, **values: str) -> Fields:
    options = {"image": "collector:1", "env": env(*names, **values)}
    return {"historyServerOptions": {"collectorOptions": options}}


TOKEN = {"mode": "token"}
K8S_TOKEN = {"mode": "token", "enableK8sTokenAuth": True}
ROCKS = {"gcsFaultToleranceOptions": {"backend": "rocksdb"}}
REDIS = {"gcsFaultToleranceOptions": {"redisAddress": "redis:6379"}}
SCALED = {"enableInTreeAutoscaling": True}
SECOND = {**SCALED, "autoscalerOptions": {"version": "v2"}}
TLS = {"tlsOptions": {"enabled": True}}
ALWAYS = template(restartPolicy="Always")
V2_ENV = "RAY_enable_autoscaler_v2"
PRIORITY = "worker group small: priority is set"
MANAGED = "it is managed by KubeRay"
EMBEDDED = "when the embedded GCS FT backend is used"
INSTEAD = "when GcsFaultToleranceOptions is enabled - use GcsFaultToleranceOptions"
TLS_SET = "when tlsOptions is set - the operator manages TLS configuration"
COLLECTOR = "ray-history-collector"
TAKEN = (
    f"pod template must not define a container with name '{COLLECTOR}' when history server "
    "collector options are enabled"
)

CASES: Mapping[str, tuple[Fields, str]] = {
    "name-length": ({"name": "a" * 54}, "RayCluster name should be no more than 53 characters"),
    "name-letters": (
        {"name": "1a"},
        (
            "RayCluster name should be a valid DNS1035 label: use lower case letters, digits "
            "and '-'; "
            "begin with a letter, end with either"
        ),
    ),
    "head-container": (
        {"headGroupSpec": head(template={})},
        "headGroupSpec should have at least one container",
    ),
    "resources-once": (
        group(resources={"CPU": "1"}, rayStartParams={"num-cpus": "1"}),
        (
            "resource fields should not be set in both rayStartParams and Resources for small "
            "group; "
            "please use only one"
        ),
    ),
    "labels-param": (
        {"headGroupSpec": head(rayStartParams={"labels": ""})},
        (
            "rayStartParams['labels'] is not supported for Head group; please use the "
            "top-level Labels "
            "field instead"
        ),
    ),
    "label-key": (
        group(labels={"-k": "v"}),
        f"invalid label key for small group: '-k', error: {WORDS}",
    ),
    "label-value": (
        group(labels={"k": "a b"}),
        f"invalid label value for key 'k' in small group: 'a b', error: {WORDS}",
    ),
    "worker-container": (
        group(template={}),
        "workerGroupSpec should have at least one container",
    ),
    "replica-bounds": (
        group(minReplicas=None),
        "worker group small must set both minReplicas and maxReplicas when autoscaling is disabled",
    ),
    "min-replicas": (group(minReplicas=-1), "worker group small has negative minReplicas -1"),
    "max-replicas": (group(maxReplicas=-1), "worker group small has negative maxReplicas -1"),
    "replica-order": (
        group(minReplicas=4),
        "worker group small has minReplicas 4 greater than maxReplicas 3",
    ),
    "hosts-limit": (
        group(numOfHosts=1001),
        "worker group small has more than 1000 hosts in a replica",
    ),
    "hosts-negative": (
        group(numOfHosts=-1),
        "worker group small has negative numOfHosts -1",
    ),
    "group-name-of-head": (
        {"workerGroupSpecs": [workers("headgroup")]},
        "worker group headgroup has the name of the group of the head",
    ),
    "group-names": (
        {"workerGroupSpecs": [workers("a"), workers("a")]},
        "worker group names must be unique",
    ),
    "group-idle-time": (
        group(idleTimeoutSeconds=-1),
        "worker group small: idleTimeoutSeconds must be non-negative, got -1",
    ),
    "group-idle-autoscaler": (
        group(idleTimeoutSeconds=1),
        (
            "worker group small: idleTimeoutSeconds is set, but autoscaler v2 is not enabled. "
            "Please "
            "set .spec.autoscalerOptions.version to 'v2' (or set RAY_enable_autoscaler_v2 "
            "environment "
            "variable to 'true' in the head pod if using KubeRay < 1.4.0)"
        ),
    ),
    "priority-version": (
        group(priority=1),
        f"{PRIORITY}, but RayVersion was not specified. Ray version 2.56.0 or later is required",
    ),
    "priority-version-form": (
        {**group(priority=1), "rayVersion": "x"},
        f"{PRIORITY}, but RayVersion format is invalid: x, not a version such as 2.56.0",
    ),
    "priority-version-old": (
        {**group(priority=1), "rayVersion": "2.55.0"},
        f"{PRIORITY}, but minimum Ray version is 2.56.0, got 2.55.0",
    ),
    "priority-autoscaler": (
        {**group(priority=7), "rayVersion": "2.56.0"},
        (
            f"{PRIORITY} to 7, but autoscaler v2 is not enabled. Priority is only supported with "
            "autoscaler v2 enabled"
        ),
    ),
    "ft-once": (
        {**REDIS, "annotations": {"ray.io/ft-enabled": "false"}},
        (
            "ray.io/ft-enabled annotation and GcsFaultToleranceOptions are both set. Please "
            "use only "
            "GcsFaultToleranceOptions to configure GCS fault tolerance"
        ),
    ),
    "ft-address-alone": (
        {"headGroupSpec": head_with("RAY_REDIS_ADDRESS")},
        (
            "RAY_REDIS_ADDRESS is set which implicitly enables GCS fault tolerance, but "
            "GcsFaultToleranceOptions is not set. Please set GcsFaultToleranceOptions to "
            "enable GCS "
            "fault tolerance"
        ),
    ),
    "ft-password-param": (
        {**REDIS, "headGroupSpec": head(rayStartParams={"redis-password": "x"})},
        f"cannot set `redis-password` in rayStartParams {INSTEAD}.RedisPassword instead",
    ),
    "ft-password-env": (
        {**REDIS, "headGroupSpec": head_with("REDIS_PASSWORD")},
        f"cannot set `REDIS_PASSWORD` env var in head Pod {INSTEAD}.RedisPassword instead",
    ),
    "ft-address-env": (
        {**REDIS, "headGroupSpec": head_with("RAY_REDIS_ADDRESS")},
        f"cannot set `RAY_REDIS_ADDRESS` env var in head Pod {INSTEAD}.RedisAddress instead",
    ),
    "ft-namespace-annotation": (
        {**REDIS, "annotations": {"ray.io/external-storage-namespace": "x"}},
        (
            f"cannot set `ray.io/external-storage-namespace` annotation {INSTEAD}"
            ".ExternalStorageNamespace instead"
        ),
    ),
    "ft-redis-storage": (
        {"gcsFaultToleranceOptions": {"storage": {}}},
        (
            "cannot set GcsFaultToleranceOptions.Storage when backend is 'redis' - it only "
            "applies to "
            "the 'rocksdb' backend"
        ),
    ),
    "ft-username": (
        {"headGroupSpec": head_with("REDIS_USERNAME")},
        (
            "cannot set redis username in rayStartParams or environment variables - use "
            "GcsFaultToleranceOptions.RedisUsername instead"
        ),
    ),
    "rocksdb-redis-field": (
        {"gcsFaultToleranceOptions": {"backend": "rocksdb", "redisUsername": {"value": "x"}}},
        "cannot set GcsFaultToleranceOptions.RedisUsername when backend is 'rocksdb'",
    ),
    "rocksdb-claim": (
        {
            "gcsFaultToleranceOptions": {
                "backend": "rocksdb",
                "storage": {"claimName": "a", "size": "1Gi"},
            }
        },
        (
            "GcsFaultToleranceOptions.Storage.ClaimName is mutually exclusive with size, "
            "storageClassName, and accessModes"
        ),
    ),
    "rocksdb-env": (
        {**ROCKS, "headGroupSpec": head_with("RAY_gcs_storage_path")},
        (
            "cannot set `RAY_gcs_storage` or `RAY_gcs_storage_path` env var in head Pod "
            f"{EMBEDDED} - these are managed by KubeRay"
        ),
    ),
    "rocksdb-mount": (
        {
            **ROCKS,
            "headGroupSpec": head(
                template=template(container(volumeMounts=[{"mountPath": "/data/gcs"}]))
            ),
        },
        (
            'cannot set a volume mount named "gcs-storage" or mounted at /data/gcs in the head '
            f"container {EMBEDDED} - {MANAGED}"
        ),
    ),
    "rocksdb-volume": (
        {**ROCKS, "headGroupSpec": head(template=template(volumes=[{"name": "gcs-storage"}]))},
        f'cannot set a volume named "gcs-storage" in the head Pod {EMBEDDED} - {MANAGED}',
    ),
    "autoscaler-env-off": (
        {"headGroupSpec": head_with(**{V2_ENV: "true"})},
        (
            f"environment variable {V2_ENV} cannot be set to 'true' when "
            "enableInTreeAutoscaling is "
            "false. Please set enableInTreeAutoscaling: true to use autoscaler v2"
        ),
    ),
    "suspend-autoscaler": (
        {**SCALED, **group(suspend=True)},
        "worker group small cannot be suspended with Autoscaler enabled",
    ),
    "autoscaler-version-once": (
        {**SECOND, "headGroupSpec": head_with(V2_ENV)},
        (
            f"both .spec.autoscalerOptions.version and head Pod env var {V2_ENV} are set, "
            "please only "
            "use the former"
        ),
    ),
    "head-restart-policy": (
        {**SECOND, "headGroupSpec": head(template=ALWAYS)},
        "restartPolicy for head Pod should be Never or unset when using autoscaler V2",
    ),
    "worker-restart-policy": (
        {**SECOND, **group(template=ALWAYS)},
        "restartPolicy for worker group small should be Never or unset when using autoscaler V2",
    ),
    "autoscaler-idle-time": (
        {"autoscalerOptions": {"idleTimeoutSeconds": -5}},
        "autoscalerOptions.idleTimeoutSeconds must be non-negative, got -5",
    ),
    "autoscaler-start-command": (
        {"autoscalerOptions": {"env": env("KUBERAY_GEN_AUTOSCALER_START_CMD")}},
        (
            "autoscalerOptions.env must not contain KUBERAY_GEN_AUTOSCALER_START_CMD: "
            f"{MANAGED} and "
            "injected automatically into the autoscaler container"
        ),
    ),
}
