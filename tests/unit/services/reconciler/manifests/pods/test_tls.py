"""Mutual TLS of pods: who gets key and certificate, and the wait that really waits."""

import subprocess
from pathlib import Path
from shutil import which

import pytest

from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.worker import worker_pod
from services.reconciler.manifests.redis_cleanup import redis_cleanup_job
from shared.kernel.manifests import entries_at, named, values_at
from shared.resources.raycluster import RayCluster
from tests.support.rayclusters import (
    SETTINGS,
    cluster,
    container,
    container_named,
    head,
    template,
    variables,
    workers,
)

WAIT = "wait-for-tls-ip-san"
MOUNT = {"name": "ray-tls", "mountPath": "/etc/ray/tls", "readOnly": True}
TOLD = {
    "RAY_USE_TLS": "1",
    "RAY_TLS_SERVER_CERT": "/etc/ray/tls/tls.crt",
    "RAY_TLS_SERVER_KEY": "/etc/ray/tls/tls.key",
    "RAY_TLS_CA_CERT": "/etc/ray/tls/ca.crt",
}
Raw = dict[str, object]


def secured(**spec: object) -> RayCluster:
    return cluster(**{"tlsOptions": {"enabled": True}, **spec})  # type: ignore[arg-type]


def pods(wanted: RayCluster) -> tuple[Raw, Raw]:
    return head_pod(wanted, SETTINGS), worker_pod(wanted, wanted.groups[0], SETTINGS)


def names(pod: Raw) -> list[object]:
    return [one["name"] for one in entries_at(pod, "spec", "initContainers")]


@pytest.mark.parametrize("options", [None, {}, {"enabled": False}])
def test_nothing_is_added_where_it_is_not_asked_for(options: Raw | None) -> None:
    for pod in pods(cluster(tlsOptions=options)):
        assert not TOLD.keys() & variables(pod).keys()
        assert WAIT not in names(pod)
        assert named(entries_at(pod, "spec", "volumes"), "ray-tls") is None


def test_every_container_that_talks_to_ray_can_prove_who_it_is() -> None:
    in_head, in_worker = pods(secured(enableInTreeAutoscaling=True))

    places = [
        container_named(in_head, "ray"),
        container_named(in_head, "autoscaler"),
        container_named(in_worker, "ray"),
        container_named(in_worker, "wait-gcs-ready", init=True),
    ]
    for place in places:
        env = variables({"spec": {"containers": [place]}})
        assert {name: env.get(name) for name in TOLD} == TOLD
        assert MOUNT in entries_at(place, "volumeMounts")


def test_head_and_workers_mount_their_own_secret() -> None:
    volumes = [named(entries_at(pod, "spec", "volumes"), "ray-tls") for pod in pods(secured())]

    assert volumes == [
        {"name": "ray-tls", "secret": {"secretName": "ray-head-secret-demo"}},
        {"name": "ray-tls", "secret": {"secretName": "ray-worker-secret-demo"}},
    ]


def test_the_wait_comes_first_and_runs_rays_image() -> None:
    """Checklist 73."""
    ray = container(imagePullPolicy="Always", securityContext={"runAsUser": 7})
    own = template(ray, initContainers=[container("mine")])
    in_head, in_worker = pods(
        secured(headGroupSpec=head(template=own), workerGroupSpecs=[workers(template=own)])
    )

    assert names(in_head) == [WAIT, "mine"]
    assert names(in_worker) == [WAIT, "mine", "wait-gcs-ready"]
    waiting = container_named(in_worker, WAIT, init=True)
    assert {key: waiting[key] for key in waiting if key not in ("args", "env")} == {
        "name": WAIT,
        "image": "ray:2",
        "imagePullPolicy": "Always",
        "securityContext": {"runAsUser": 7},
        "command": ["sh", "-c"],
        "resources": {
            "limits": {"cpu": "50m", "memory": "64Mi"},
            "requests": {"cpu": "50m", "memory": "64Mi"},
        },
        "volumeMounts": [MOUNT],
    }
    env = variables(in_worker, "spec", "initContainers", 0)
    assert env["POD_IP"] == {"fieldRef": {"fieldPath": "status.podIP"}}
    assert {"FQ_RAY_IP", "RAY_IP"} <= env.keys()


def test_what_cleans_up_after_the_cluster_does_not_wait() -> None:
    options = {"redisAddress": "redis:6379"}
    job = redis_cleanup_job(secured(gcsFaultToleranceOptions=options), SETTINGS)

    assert values_at(job, "spec", "template", "spec", "initContainers") == ()


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """Make a certificate for 10.0.0.7 and one address of the longer kind."""
    if which("openssl") is None:
        pytest.skip("openssl is not installed")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=ray"]
    named_in = "subjectAltName=IP:127.0.0.1,IP:10.0.0.7,IP:fd00::7"
    files = ["-keyout", str(tmp_path / "tls.key"), "-out", str(tmp_path / "tls.crt")]
    subprocess.run([*command, "-addext", named_in, *files], check=True, capture_output=True)
    return tmp_path


@pytest.mark.parametrize(
    ("address", "named_there"),
    [("10.0.0.7", True), ("fd00::7", True), ("10.0.0.70", False)],
)
def test_the_wait_ends_when_the_certificate_names_the_pod(
    certificate: Path, address: str, *, named_there: bool
) -> None:
    """The script itself is run; a wait that goes on is ended after its first look."""
    waiting = container_named(head_pod(secured(), SETTINGS), WAIT, init=True)
    (script,) = values_at(waiting, "args")
    here = str(script).replace("/etc/ray/tls", str(certificate)).replace("sleep 5", "exit 3")

    ended = subprocess.run(
        ["/bin/sh", "-c", here],
        env={"PATH": "/usr/bin:/bin", "POD_IP": address},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == (0 if named_there else 3), ended.stderr
    assert address in ended.stdout


def test_the_wait_fails_where_nobody_can_look(tmp_path: Path) -> None:
    waiting = container_named(head_pod(secured(), SETTINGS), WAIT, init=True)
    (script,) = values_at(waiting, "args")

    ended = subprocess.run(
        ["/bin/sh", "-c", str(script)],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        check=False,
    )

    assert ended.returncode == 1
    assert b"openssl" in ended.stderr
