"""Rules about where the head keeps its state.

One way of saying it only: options, or the older annotations and variables, never both; and what
the chosen store needs, without what belongs to the other.
"""

from shared.kernel.features import EMBEDDED_STORAGE, Features
from shared.kernel.manifests import entries_at, named
from shared.resources.labels import EXTERNAL_STORAGE_NAMESPACE, FT_ENABLED
from shared.resources.options import GcsFaultToleranceOptions, GcsStorage
from shared.resources.predicates import fault_tolerant, ray_container
from shared.resources.raycluster import RayCluster
from shared.validation.findings import (
    HEAD,
    HEAD_CONTAINER,
    Problems,
    head_variable,
    refused,
    shut,
)

_OPTIONS = "spec.gcsFaultToleranceOptions"
_ENV = f"{HEAD_CONTAINER}.env"
_INSTEAD = "when GcsFaultToleranceOptions is enabled - use GcsFaultToleranceOptions"


def fault_tolerance_problems(cluster: RayCluster, features: Features) -> Problems:
    """Check everything about fault tolerance."""
    options = cluster.spec.gcs_fault_tolerance_options
    if cluster.annotations.get(FT_ENABLED) and options is not None:
        yield refused(
            f"metadata.annotations['{FT_ENABLED}']",
            "ray.io/ft-enabled annotation and GcsFaultToleranceOptions are both set. Please use "
            "only GcsFaultToleranceOptions to configure GCS fault tolerance",
        )
    if not fault_tolerant(cluster) and head_variable(cluster, "RAY_REDIS_ADDRESS") is not None:
        yield refused(
            _ENV,
            "RAY_REDIS_ADDRESS is set which implicitly enables GCS fault tolerance, but "
            "GcsFaultToleranceOptions is not set. Please set GcsFaultToleranceOptions to enable "
            "GCS fault tolerance",
        )
    if options is not None:
        yield from _said_twice(cluster)
        if options.backend == "rocksdb":
            yield from _embedded_rules(cluster, options, features)
        elif options.storage is not None:
            yield refused(
                f"{_OPTIONS}.storage",
                "cannot set GcsFaultToleranceOptions.Storage when backend is 'redis' - it only "
                "applies to the 'rocksdb' backend",
            )
    yield from _username_rule(cluster)


def _said_twice(cluster: RayCluster) -> Problems:
    if cluster.head.ray_start_params.get("redis-password"):
        yield refused(
            f"{HEAD}.rayStartParams['redis-password']",
            f"cannot set `redis-password` in rayStartParams {_INSTEAD}.RedisPassword instead",
        )
    for name, field in (
        ("REDIS_PASSWORD", "RedisPassword"),
        ("RAY_REDIS_ADDRESS", "RedisAddress"),
    ):
        if head_variable(cluster, name) is not None:
            yield refused(
                _ENV, f"cannot set `{name}` env var in head Pod {_INSTEAD}.{field} instead"
            )
    if cluster.annotations.get(EXTERNAL_STORAGE_NAMESPACE):
        yield refused(
            f"metadata.annotations['{EXTERNAL_STORAGE_NAMESPACE}']",
            f"cannot set `{EXTERNAL_STORAGE_NAMESPACE}` annotation {_INSTEAD}"
            ".ExternalStorageNamespace instead",
        )


def _embedded_rules(
    cluster: RayCluster, options: GcsFaultToleranceOptions, features: Features
) -> Problems:
    if shut(features, EMBEDDED_STORAGE):
        yield refused(
            f"{_OPTIONS}.backend",
            "the embedded RocksDB GCS fault tolerance backend (GcsFaultToleranceOptions.Backend: "
            f"'rocksdb') requires the {EMBEDDED_STORAGE} feature gate to be enabled",
        )
    foreign = {
        "redisAddress": bool(options.redis_address),
        "redisUsername": options.redis_username is not None,
        "redisPassword": options.redis_password is not None,
        "externalStorageNamespace": bool(options.external_storage_namespace),
    }
    for field, given in foreign.items():
        if given:
            yield refused(
                f"{_OPTIONS}.{field}",
                f"cannot set GcsFaultToleranceOptions.{field[0].upper()}{field[1:]} when backend "
                "is 'rocksdb'",
            )
    yield from _claim_rule(options.storage)
    yield from _managed_parts(cluster)


def _claim_rule(storage: GcsStorage | None) -> Problems:
    if storage is None or not storage.claim_name:
        return
    if storage.size is not None or storage.storage_class_name or storage.access_modes:
        yield refused(
            f"{_OPTIONS}.storage.claimName",
            "GcsFaultToleranceOptions.Storage.ClaimName is mutually exclusive with size, "
            "storageClassName, and accessModes",
        )


def _managed_parts(cluster: RayCluster) -> Problems:
    used = "when the embedded GCS FT backend is used"
    names = ("RAY_gcs_storage", "RAY_gcs_storage_path")
    if any(head_variable(cluster, name) is not None for name in names):
        yield refused(
            _ENV,
            f"cannot set `RAY_gcs_storage` or `RAY_gcs_storage_path` env var in head Pod {used} - "
            "these are managed by KubeRay",
        )
    mounts = entries_at(ray_container(cluster.head), "volumeMounts")
    if named(mounts, "gcs-storage") or any(at.get("mountPath") == "/data/gcs" for at in mounts):
        yield refused(
            f"{HEAD_CONTAINER}.volumeMounts",
            'cannot set a volume mount named "gcs-storage" or mounted at /data/gcs in the head '
            f"container {used} - it is managed by KubeRay",
        )
    if named(entries_at(cluster.head.template, "spec", "volumes"), "gcs-storage"):
        yield refused(
            f"{HEAD}.template.spec.volumes",
            f'cannot set a volume named "gcs-storage" in the head Pod {used} - it is managed by '
            "KubeRay",
        )


def _username_rule(cluster: RayCluster) -> Problems:
    by_param = bool(cluster.head.ray_start_params.get("redis-username"))
    if by_param or head_variable(cluster, "REDIS_USERNAME") is not None:
        yield refused(
            f"{HEAD}.rayStartParams['redis-username']" if by_param else _ENV,
            "cannot set redis username in rayStartParams or environment variables - use "
            "GcsFaultToleranceOptions.RedisUsername instead",
        )
