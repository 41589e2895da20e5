"""Rules about where the head keeps its state."""

from typing import Any

import pytest

from shared.kernel.features import parse_features
from shared.resources.raycluster import RayCluster
from tests.support.rayclusters import cluster, container, head, problems_of, template

FT = "ray.io/ft-enabled"
SPACE = "ray.io/external-storage-namespace"
ENV = "spec.headGroupSpec.template.spec.containers[0].env"
OPTIONS = "spec.gcsFaultToleranceOptions"
EMBEDDED = parse_features("GCSFaultToleranceEmbeddedStorage=true")
USED = "when the embedded GCS FT backend is used"


def found(wanted: RayCluster) -> list[tuple[str, str]]:
    return problems_of(wanted, EMBEDDED)


def with_variable(name: str) -> dict[str, object]:
    return head(template=template(container(env=[{"name": name, "value": "x"}])))


@pytest.mark.parametrize("value", ["true", "false"])
def test_options_and_annotation_exclude_each_other(value: str) -> None:
    """Checklist 4."""
    wanted = cluster(annotations={FT: value}, gcsFaultToleranceOptions={})

    assert found(wanted) == [
        (
            f"metadata.annotations['{FT}']",
            (
                "ray.io/ft-enabled annotation and GcsFaultToleranceOptions are both set. Please "
                "use only GcsFaultToleranceOptions to configure GCS fault tolerance"
            ),
        )
    ]


def test_an_address_alone_is_not_enough() -> None:
    """Checklist 5."""
    assert found(cluster(headGroupSpec=with_variable("RAY_REDIS_ADDRESS"))) == [
        (
            ENV,
            (
                "RAY_REDIS_ADDRESS is set which implicitly enables GCS fault tolerance, but "
                "GcsFaultToleranceOptions is not set. Please set GcsFaultToleranceOptions to "
                "enable GCS fault tolerance"
            ),
        )
    ]


@pytest.mark.parametrize(
    ("fields", "path", "what", "instead"),
    [
        (
            {"headGroupSpec": head(rayStartParams={"redis-password": "x"})},
            "spec.headGroupSpec.rayStartParams['redis-password']",
            "`redis-password` in rayStartParams",
            "RedisPassword",
        ),
        (
            {"headGroupSpec": with_variable("REDIS_PASSWORD")},
            ENV,
            "`REDIS_PASSWORD` env var in head Pod",
            "RedisPassword",
        ),
        (
            {"headGroupSpec": with_variable("RAY_REDIS_ADDRESS")},
            ENV,
            "`RAY_REDIS_ADDRESS` env var in head Pod",
            "RedisAddress",
        ),
        (
            {"annotations": {SPACE: "x"}},
            f"metadata.annotations['{SPACE}']",
            f"`{SPACE}` annotation",
            "ExternalStorageNamespace",
        ),
    ],
)
def test_what_options_say_is_said_nowhere_else(
    fields: dict[str, Any], path: str, what: str, instead: str
) -> None:
    """Checklist 8."""
    assert found(cluster(gcsFaultToleranceOptions={}, **fields)) == [
        (
            path,
            (
                f"cannot set {what} when GcsFaultToleranceOptions is enabled - use "
                f"GcsFaultToleranceOptions.{instead} instead"
            ),
        )
    ]


def test_an_embedded_store_needs_its_gate() -> None:
    """Checklist 7."""
    wanted = cluster(gcsFaultToleranceOptions={"backend": "rocksdb"})

    assert problems_of(wanted) == [
        (
            f"{OPTIONS}.backend",
            (
                "the embedded RocksDB GCS fault tolerance backend "
                "(GcsFaultToleranceOptions.Backend: 'rocksdb') requires the "
                "GCSFaultToleranceEmbeddedStorage feature gate to be enabled"
            ),
        )
    ]
    assert found(wanted) == []


def test_an_embedded_store_has_nothing_of_redis() -> None:
    options = {
        "backend": "rocksdb",
        "externalStorageNamespace": "x",
        "redisPassword": {},
        "redisUsername": {},
        "redisAddress": "x",
    }

    told = "cannot set GcsFaultToleranceOptions.{} when backend is 'rocksdb'"
    assert found(cluster(gcsFaultToleranceOptions=options)) == [
        (f"{OPTIONS}.redisAddress", told.format("RedisAddress")),
        (f"{OPTIONS}.redisUsername", told.format("RedisUsername")),
        (f"{OPTIONS}.redisPassword", told.format("RedisPassword")),
        (f"{OPTIONS}.externalStorageNamespace", told.format("ExternalStorageNamespace")),
    ]


@pytest.mark.parametrize(
    "more", [{"size": "1Gi"}, {"storageClassName": "fast"}, {"accessModes": ["ReadWriteOnce"]}]
)
def test_a_claim_of_the_user_is_taken_as_it_is(more: dict[str, object]) -> None:
    options = {"backend": "rocksdb", "storage": {"claimName": "mine", **more}}

    assert found(cluster(gcsFaultToleranceOptions=options)) == [
        (
            f"{OPTIONS}.storage.claimName",
            (
                "GcsFaultToleranceOptions.Storage.ClaimName is mutually exclusive with size, "
                "storageClassName, and accessModes"
            ),
        )
    ]


@pytest.mark.parametrize("mount", [("gcs-storage", "/x"), ("x", "/data/gcs")])
def test_parts_of_an_embedded_store_are_ours(mount: tuple[str, str]) -> None:
    """Checklist 7."""
    mounts = [{"name": mount[0], "mountPath": mount[1]}]
    ray = container(volumeMounts=mounts, env=[{"name": "RAY_gcs_storage_path", "value": "x"}])
    own = head(template=template(ray, volumes=[{"name": "gcs-storage"}]))

    wanted = cluster(headGroupSpec=own, gcsFaultToleranceOptions={"backend": "rocksdb"})

    assert found(wanted) == [
        (
            ENV,
            (
                "cannot set `RAY_gcs_storage` or `RAY_gcs_storage_path` env var in head Pod "
                f"{USED} - these are managed by KubeRay"
            ),
        ),
        (
            "spec.headGroupSpec.template.spec.containers[0].volumeMounts",
            (
                'cannot set a volume mount named "gcs-storage" or mounted at /data/gcs in the head '
                f"container {USED} - it is managed by KubeRay"
            ),
        ),
        (
            "spec.headGroupSpec.template.spec.volumes",
            (
                f'cannot set a volume named "gcs-storage" in the head Pod {USED} - it is managed '
                "by KubeRay"
            ),
        ),
    ]


@pytest.mark.parametrize("backend", ["redis", None])
def test_redis_has_no_volume(backend: str | None) -> None:
    """Checklist 6."""
    options: dict[str, object] = {"backend": backend, "storage": {}}

    assert found(cluster(gcsFaultToleranceOptions=options)) == [
        (
            f"{OPTIONS}.storage",
            (
                "cannot set GcsFaultToleranceOptions.Storage when backend is 'redis' - it only "
                "applies to the 'rocksdb' backend"
            ),
        )
    ]


@pytest.mark.parametrize(
    ("group", "path"),
    [
        (
            head(rayStartParams={"redis-username": "x"}),
            "spec.headGroupSpec.rayStartParams['redis-username']",
        ),
        (with_variable("REDIS_USERNAME"), ENV),
    ],
)
def test_the_redis_user_is_always_an_option(group: dict[str, object], path: str) -> None:
    """Checklist 8."""
    assert found(cluster(headGroupSpec=group)) == [
        (
            path,
            (
                "cannot set redis username in rayStartParams or environment variables - use "
                "GcsFaultToleranceOptions.RedisUsername instead"
            ),
        )
    ]
