"""Rules about where the head keeps its state.

One way of saying it only: options, or the older annotations and variables, never both; and what
the chosen store needs, without what belongs to the other. The embedded store has a file of its
own: `shared.validation.embedded_storage`.
"""

from shared.kernel.features import Features
from shared.resources.labels import EXTERNAL_STORAGE_NAMESPACE, FT_ENABLED
from shared.resources.predicates import fault_tolerant
from shared.resources.raycluster import RayCluster
from shared.validation.embedded_storage import embedded_storage_problems
from shared.validation.findings import HEAD, HEAD_CONTAINER, Problems, head_variable
from shared.validation.rule import Rule

_OPTIONS = "spec.gcsFaultToleranceOptions"
_ENV = f"{HEAD_CONTAINER}.env"
_INSTEAD = "when GcsFaultToleranceOptions is enabled - use GcsFaultToleranceOptions"

ANNOTATION_AND_OPTIONS = Rule(
    id="RayCluster.ft-once",
    path=f"metadata.annotations['{FT_ENABLED}']",
    text=(
        f"{FT_ENABLED} annotation and GcsFaultToleranceOptions are both set. Please use only "
        "GcsFaultToleranceOptions to configure GCS fault tolerance"
    ),
    hint="remove the annotation",
)
ADDRESS_ALONE = Rule(
    id="RayCluster.ft-address-alone",
    path=_ENV,
    text=(
        "RAY_REDIS_ADDRESS is set which implicitly enables GCS fault tolerance, but "
        "GcsFaultToleranceOptions is not set. Please set GcsFaultToleranceOptions to enable GCS "
        "fault tolerance"
    ),
    hint="move the address to gcsFaultToleranceOptions.redisAddress",
)
PASSWORD_PARAM = Rule(
    id="RayCluster.ft-password-param",
    path=f"{HEAD}.rayStartParams['redis-password']",
    text=f"cannot set `redis-password` in rayStartParams {_INSTEAD}.RedisPassword instead",
    hint="move the password to gcsFaultToleranceOptions.redisPassword, best as valueFrom",
)
PASSWORD_ENV = Rule(
    id="RayCluster.ft-password-env",
    path=_ENV,
    text=f"cannot set `REDIS_PASSWORD` env var in head Pod {_INSTEAD}.RedisPassword instead",
    hint="move the password to gcsFaultToleranceOptions.redisPassword, best as valueFrom",
)
ADDRESS_ENV = Rule(
    id="RayCluster.ft-address-env",
    path=_ENV,
    text=f"cannot set `RAY_REDIS_ADDRESS` env var in head Pod {_INSTEAD}.RedisAddress instead",
    hint="move the address to gcsFaultToleranceOptions.redisAddress",
)
NAMESPACE_ANNOTATION = Rule(
    id="RayCluster.ft-namespace-annotation",
    path=f"metadata.annotations['{EXTERNAL_STORAGE_NAMESPACE}']",
    text=(
        f"cannot set `{EXTERNAL_STORAGE_NAMESPACE}` annotation {_INSTEAD}"
        ".ExternalStorageNamespace instead"
    ),
    hint="move it to gcsFaultToleranceOptions.externalStorageNamespace",
)
STORAGE_UNUSED = Rule(
    id="RayCluster.ft-redis-storage",
    path=f"{_OPTIONS}.storage",
    text=(
        "cannot set GcsFaultToleranceOptions.Storage when backend is 'redis' - it only applies to "
        "the 'rocksdb' backend"
    ),
    hint="remove storage, or set backend: rocksdb",
)
USERNAME_ELSEWHERE = Rule(
    id="RayCluster.ft-username",
    path="{place}",
    text=(
        "cannot set redis username in rayStartParams or environment variables - use "
        "GcsFaultToleranceOptions.RedisUsername instead"
    ),
    hint="move the user name to gcsFaultToleranceOptions.redisUsername",
)


def fault_tolerance_problems(cluster: RayCluster, features: Features) -> Problems:
    """Check everything about fault tolerance."""
    options = cluster.spec.gcs_fault_tolerance_options
    if cluster.annotations.get(FT_ENABLED) and options is not None:
        yield ANNOTATION_AND_OPTIONS.found()
    if not fault_tolerant(cluster) and head_variable(cluster, "RAY_REDIS_ADDRESS") is not None:
        yield ADDRESS_ALONE.found()
    if options is not None:
        yield from _said_twice(cluster)
        if options.backend == "rocksdb":
            yield from embedded_storage_problems(cluster, options, features)
        elif options.storage is not None:
            yield STORAGE_UNUSED.found()
    yield from _username_rule(cluster)


def _said_twice(cluster: RayCluster) -> Problems:
    if cluster.head.ray_start_params.get("redis-password"):
        yield PASSWORD_PARAM.found()
    if head_variable(cluster, "REDIS_PASSWORD") is not None:
        yield PASSWORD_ENV.found()
    if head_variable(cluster, "RAY_REDIS_ADDRESS") is not None:
        yield ADDRESS_ENV.found()
    if cluster.annotations.get(EXTERNAL_STORAGE_NAMESPACE):
        yield NAMESPACE_ANNOTATION.found()


def _username_rule(cluster: RayCluster) -> Problems:
    by_param = bool(cluster.head.ray_start_params.get("redis-username"))
    if by_param or head_variable(cluster, "REDIS_USERNAME") is not None:
        place = f"{HEAD}.rayStartParams['redis-username']" if by_param else _ENV
        yield USERNAME_ELSEWHERE.found(place=place)
