"""Rules about a head that keeps its state on a volume of its own, in RocksDB."""

from shared.kernel.features import EMBEDDED_STORAGE, Features
from shared.kernel.manifests import entries_at, named
from shared.resources.options import GcsFaultToleranceOptions, GcsStorage
from shared.resources.predicates import ray_container
from shared.resources.raycluster import RayCluster
from shared.validation.findings import (
    HEAD,
    HEAD_CONTAINER,
    Problems,
    head_variable,
    opened,
    shut,
)
from shared.validation.rule import Rule

_OPTIONS = "spec.gcsFaultToleranceOptions"
_VOLUME = "gcs-storage"
_MOUNT = "/data/gcs"
_MANAGED_ENV = ("RAY_gcs_storage", "RAY_gcs_storage_path")
_USED = "when the embedded GCS FT backend is used"

GATED = Rule(
    id="RayCluster.rocksdb-gate",
    path=f"{_OPTIONS}.backend",
    text=(
        "the embedded RocksDB GCS fault tolerance backend (GcsFaultToleranceOptions.Backend: "
        f"'rocksdb') requires the {EMBEDDED_STORAGE} feature gate to be enabled"
    ),
    hint=opened(EMBEDDED_STORAGE),
)
REDIS_FIELD = Rule(
    id="RayCluster.rocksdb-redis-field",
    path=f"{_OPTIONS}.{{field}}",
    text="cannot set GcsFaultToleranceOptions.{name} when backend is 'rocksdb'",
    hint="remove the field, or set backend: redis",
)
CLAIM_AND_SIZE = Rule(
    id="RayCluster.rocksdb-claim",
    path=f"{_OPTIONS}.storage.claimName",
    text=(
        "GcsFaultToleranceOptions.Storage.ClaimName is mutually exclusive with size, "
        "storageClassName, and accessModes"
    ),
    hint="name a claim that exists, or describe one to make; not both",
)
ENV_MANAGED = Rule(
    id="RayCluster.rocksdb-env",
    path=f"{HEAD_CONTAINER}.env",
    text=(
        f"cannot set `RAY_gcs_storage` or `RAY_gcs_storage_path` env var in head Pod {_USED} - "
        "these are managed by KubeRay"
    ),
    hint="remove the variables",
)
MOUNT_MANAGED = Rule(
    id="RayCluster.rocksdb-mount",
    path=f"{HEAD_CONTAINER}.volumeMounts",
    text=(
        f'cannot set a volume mount named "{_VOLUME}" or mounted at {_MOUNT} in the head '
        f"container {_USED} - it is managed by KubeRay"
    ),
    hint="remove the mount, or choose another name and path for it",
)
VOLUME_MANAGED = Rule(
    id="RayCluster.rocksdb-volume",
    path=f"{HEAD}.template.spec.volumes",
    text=(
        f'cannot set a volume named "{_VOLUME}" in the head Pod {_USED} - it is managed by KubeRay'
    ),
    hint="remove the volume, or choose another name for it",
)


def embedded_storage_problems(
    cluster: RayCluster, options: GcsFaultToleranceOptions, features: Features
) -> Problems:
    """Check the gate, the fields of the other store, the claim, and what is ours to set."""
    if shut(features, EMBEDDED_STORAGE):
        yield GATED.found()
    foreign = {
        "redisAddress": bool(options.redis_address),
        "redisUsername": options.redis_username is not None,
        "redisPassword": options.redis_password is not None,
        "externalStorageNamespace": bool(options.external_storage_namespace),
    }
    for field, given in foreign.items():
        if given:
            yield REDIS_FIELD.found(field=field, name=f"{field[0].upper()}{field[1:]}")
    yield from _claim_rule(options.storage)
    yield from _managed_parts(cluster)


def _claim_rule(storage: GcsStorage | None) -> Problems:
    if storage is None or not storage.claim_name:
        return
    if storage.size is not None or storage.storage_class_name or storage.access_modes:
        yield CLAIM_AND_SIZE.found()


def _managed_parts(cluster: RayCluster) -> Problems:
    if any(head_variable(cluster, name) is not None for name in _MANAGED_ENV):
        yield ENV_MANAGED.found()
    mounts = entries_at(ray_container(cluster.head), "volumeMounts")
    if named(mounts, _VOLUME) or any(at.get("mountPath") == _MOUNT for at in mounts):
        yield MOUNT_MANAGED.found()
    if named(entries_at(cluster.head.template, "spec", "volumes"), _VOLUME):
        yield VOLUME_MANAGED.found()
