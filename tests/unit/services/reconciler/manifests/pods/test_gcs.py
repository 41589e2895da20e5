"""Fault tolerance of the head's store: in Redis, on a volume, by annotation."""

from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.worker import worker_pod
from shared.kernel.manifests import annotations_of, entries_at, named, words_at
from tests.support.rayclusters import SETTINGS, UID, cluster, container, head, template, variables

FT = "ray.io/ft-enabled"
SPACE = "ray.io/external-storage-namespace"


def test_without_it_the_head_only_says_so() -> None:
    pod = head_pod(cluster(), SETTINGS)

    assert annotations_of(pod)[FT] == "false"
    assert "RAY_external_storage_namespace" not in variables(pod)


def test_options_connect_the_head_to_redis() -> None:
    """Checklist 66."""
    secret = {"secretKeyRef": {"name": "redis", "key": "password"}}
    options = {
        "redisAddress": "redis:6379",
        "redisUsername": {"value": "ray"},
        "redisPassword": {"valueFrom": secret},
        "externalStorageNamespace": "mine",
    }

    pod = head_pod(cluster(gcsFaultToleranceOptions=options), SETTINGS)

    entries = entries_at(pod, "spec", "containers", 0, "env")
    assert entries[:4] == (
        {"name": "RAY_external_storage_namespace", "value": "mine"},
        {"name": "RAY_REDIS_ADDRESS", "value": "redis:6379"},
        {"name": "REDIS_USERNAME", "value": "ray"},
        {"name": "REDIS_PASSWORD", "valueFrom": secret},
    )
    assert annotations_of(pod)[SPACE] == "mine"
    (line,) = words_at(pod, "spec", "containers", 0, "args")
    assert " --redis-password=$REDIS_PASSWORD  --redis-username=$REDIS_USERNAME " in line


def test_the_storage_namespace_is_the_annotation_or_the_uid() -> None:
    """Checklist 65."""
    by_uid = head_pod(cluster(gcsFaultToleranceOptions={}), SETTINGS)
    by_annotation = head_pod(cluster(annotations={FT: "true", SPACE: "old"}), SETTINGS)

    assert annotations_of(by_uid)[SPACE] == UID
    assert annotations_of(by_annotation)[SPACE] == "old"
    assert variables(by_annotation)["RAY_external_storage_namespace"] == "old"


def test_by_annotation_the_password_comes_from_the_parameters() -> None:
    """Checklist 65."""
    params = {"redis-password": "$PASS"}
    plain = cluster(annotations={FT: "true"}, headGroupSpec=head(rayStartParams=params))
    ray = container(env=[{"name": "REDIS_PASSWORD", "value": "own"}])
    own = cluster(
        annotations={FT: "true"},
        headGroupSpec=head(rayStartParams=params, template=template(ray)),
    )

    passwords = [variables(head_pod(c, SETTINGS))["REDIS_PASSWORD"] for c in (plain, own)]

    assert passwords == ["$PASS", "own"]


def test_workers_only_learn_to_wait() -> None:
    """Checklist 66."""
    wanted = cluster(gcsFaultToleranceOptions={"redisAddress": "redis:6379"})

    env = variables(worker_pod(wanted, wanted.groups[0], SETTINGS))

    assert env["RAY_gcs_rpc_server_reconnect_timeout_s"] == "600"
    assert "RAY_REDIS_ADDRESS" not in env
    assert "RAY_gcs_rpc_server_reconnect_timeout_s" not in variables(head_pod(wanted, SETTINGS))


def test_an_embedded_store_keeps_its_state_on_a_claim() -> None:
    """Checklist 67."""
    options = {"backend": "rocksdb", "storage": {"claimName": "mine", "subPath": "a"}}

    pod = head_pod(cluster(gcsFaultToleranceOptions=options), SETTINGS)

    ray = entries_at(pod, "spec", "containers")[0]
    env = variables(pod)
    assert (env["RAY_gcs_storage"], env["RAY_gcs_storage_path"]) == ("rocksdb", "/data/gcs")
    assert named(entries_at(ray, "volumeMounts"), "gcs-storage") == {
        "name": "gcs-storage",
        "mountPath": "/data/gcs",
        "subPath": "a",
    }
    assert named(entries_at(pod, "spec", "volumes"), "gcs-storage") == {
        "name": "gcs-storage",
        "persistentVolumeClaim": {"claimName": "mine"},
    }
    assert SPACE not in annotations_of(pod)


def test_an_embedded_store_has_a_claim_of_its_own_by_default() -> None:
    pod = head_pod(cluster(gcsFaultToleranceOptions={"backend": "rocksdb"}), SETTINGS)

    volume = named(entries_at(pod, "spec", "volumes"), "gcs-storage")
    assert volume == {
        "name": "gcs-storage",
        "persistentVolumeClaim": {"claimName": "demo-gcs-pvc"},
    }
