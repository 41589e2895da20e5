"""The clean-up Job: the head pod reduced to one container, and a script that calls Ray."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.redis_cleanup import (
    can_be_made,
    redis_cleanup_job,
    redis_cleanup_name,
)
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.manifests import entries_at, labels_of, mapping_at, text_at
from shared.resources.raycluster import RayCluster
from tests.support.rayclusters import SETTINGS, UID, cluster, container, head, template

POD = ("spec", "template")
SPEC = (*POD, "spec")
RAY = (*SPEC, "containers", 0)
FAKE = """\
import json
def cleanup_redis_storage(**options):
    print(json.dumps(options))
    return options["storage_namespace"] != "stuck"
"""


def tolerant(group: dict[str, object] | None = None, **options: object) -> RayCluster:
    given = {"redisAddress": "redis:6379", **options}
    return cluster(headGroupSpec=group or head(), gcsFaultToleranceOptions=given)


def test_the_job_runs_once_within_five_minutes_and_goes_with_its_cluster() -> None:
    """Checklist 21: one try, 300 s."""
    job = redis_cleanup_job(tolerant(), SETTINGS)

    labels = labels_of(job)
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    assert (text_at(job, "metadata", "name"), text_at(job, "metadata", "namespace")) == (
        "demo-redis-cleanup",
        "lab",
    )
    assert [entry["uid"] for entry in entries_at(job, "metadata", "ownerReferences")] == [UID]
    assert labels == labels_of(head_pod(tolerant(), SETTINGS)) | {
        "ray.io/node-type": "redis-cleanup"
    }
    assert (labels["ray.io/cluster"], labels["ray.io/group"]) == ("demo", "headgroup")
    assert {**mapping_at(job, "spec"), "template": ...} == {
        "backoffLimit": 0,
        "activeDeadlineSeconds": 300,
        "template": ...,
    }


def test_job_and_pod_are_marked_like_the_head() -> None:
    marked = template() | {"metadata": {"annotations": {"a": "b"}, "finalizers": ["x/y"]}}
    job = redis_cleanup_job(tolerant(head(template=marked)), SETTINGS)

    annotations = mapping_at(job, "metadata", "annotations")
    assert annotations["a"] == "b"
    assert annotations["ray.io/external-storage-namespace"] == UID
    assert mapping_at(job, *POD, "metadata") == {
        "labels": labels_of(job),
        "annotations": annotations,
        "finalizers": ["x/y"],
    }


def test_only_the_ray_container_is_left_and_it_runs_to_its_end() -> None:
    probe = {"exec": {"command": ["true"]}}
    ray = container(livenessProbe=probe, readinessProbe=probe, startupProbe=probe)
    first = [container("mine"), container("wait-for-tls-ip-san")]
    given = template(ray, container("beside"), initContainers=first, nodeSelector={"disk": "ssd"})

    job = redis_cleanup_job(tolerant(head(template=given)), SETTINGS)

    spec = mapping_at(job, *SPEC)
    assert (spec["restartPolicy"], spec["nodeSelector"]) == ("Never", {"disk": "ssd"})
    assert [one["name"] for one in entries_at(spec, "containers")] == ["ray"]
    assert [one["name"] for one in entries_at(spec, "initContainers")] == ["mine"]
    assert not {key for key in mapping_at(job, *RAY) if key.endswith("Probe")}


def test_without_init_containers_there_is_no_list_of_them() -> None:
    spec = mapping_at(redis_cleanup_job(tolerant(), SETTINGS), *SPEC)

    assert "initContainers" not in spec


def test_the_container_is_small_and_patient_with_redis() -> None:
    ray = mapping_at(redis_cleanup_job(tolerant(), SETTINGS), *RAY)

    amounts = {"cpu": "200m", "memory": "256Mi"}
    assert ray["resources"] == {"limits": amounts, "requests": amounts}
    assert ray["command"] == ["/bin/bash", "-c", "--"]
    assert entries_at(ray, "env")[-2:] == (
        {"name": "RAY_redis_db_connect_retries", "value": "120"},
        {"name": "RAY_redis_db_connect_wait_milliseconds", "value": "500"},
    )


def test_a_login_shell_is_used_where_configured() -> None:
    settings = ManifestSettings(version="v0.0.0", login_shell=True)

    ray = mapping_at(redis_cleanup_job(tolerant(), settings), *RAY)

    assert ray["command"] == ["/bin/bash", "-cl", "--"]


@pytest.mark.parametrize(
    ("cluster_name", "name"),
    [
        ("demo", "demo-redis-cleanup"),
        ("a" * 53, "a" * 49 + "-redis-cleanup"),
        ("aaaa-" + "b" * 48, "r" + "b" * 48 + "-redis-cleanup"),
    ],
)
def test_a_long_name_keeps_its_end(cluster_name: str, name: str) -> None:
    assert redis_cleanup_name(cluster_name) == name


@pytest.mark.parametrize(("containers", "possible"), [([], False), ([container()], True)])
def test_a_head_without_a_container_makes_no_job(containers: object, possible: bool) -> None:
    group = head(template={"spec": {"containers": containers}})

    assert can_be_made(tolerant(group)) is possible


def run(job: dict[str, object], folder: Path, **given: str) -> tuple[int, dict[str, object]]:
    """Run the script of the Job with a Ray that only says what it was asked."""
    package = folder / "ray" / "_private"
    package.mkdir(parents=True)
    (package / "gcs_utils.py").write_text(FAKE, encoding="utf-8")
    (folder / "python").symlink_to(sys.executable)
    ray = mapping_at(job, *RAY)
    env = {str(one["name"]): str(one.get("value", "")) for one in entries_at(ray, "env")}
    path = f"{folder}:{os.environ['PATH']}"
    ended = subprocess.run(
        ["/bin/bash", "-c", "--", text_at(ray, "args", 0)],
        env={**env, **given, "PATH": path, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    told = ended.stdout.splitlines()
    assert ended.stderr == ""
    return ended.returncode, json.loads(told[-1])


def test_the_script_asks_ray_to_clean_up_at_the_first_address(tmp_path: Path) -> None:
    job = redis_cleanup_job(tolerant(redisAddress="redis:7000,other:1"), SETTINGS)

    assert run(job, tmp_path) == (
        0,
        {
            "host": "redis",
            "port": 7000,
            "password": "",
            "use_ssl": False,
            "storage_namespace": UID,
        },
    )


def test_the_script_takes_credentials_from_the_environment_first(tmp_path: Path) -> None:
    job = redis_cleanup_job(
        tolerant(
            redisAddress="rediss://u:p@redis",
            redisUsername={"value": "user"},
            redisPassword={"value": "secret"},
        ),
        SETTINGS,
    )

    code, options = run(job, tmp_path)

    assert (code, options) == (
        0,
        {
            "host": "redis",
            "port": 6379,
            "password": "secret",
            "use_ssl": True,
            "storage_namespace": UID,
            "username": "user",
        },
    )


def test_the_script_falls_back_to_the_password_in_the_address(tmp_path: Path) -> None:
    job = redis_cleanup_job(tolerant(redisAddress="redis://u:p@redis:1"), SETTINGS)

    _, options = run(job, tmp_path)

    assert (options["password"], "username" in options) == ("p", False)


def test_the_script_fails_when_ray_does(tmp_path: Path) -> None:
    job = redis_cleanup_job(tolerant(externalStorageNamespace="stuck"), SETTINGS)

    assert run(job, tmp_path)[0] == 1
