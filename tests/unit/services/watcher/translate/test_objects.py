"""Pods, services and resources, slimmed."""

import msgspec

from services.watcher.translate.children import child_seen
from services.watcher.translate.pods import pod_seen
from services.watcher.translate.resources import resource_seen
from services.watcher.translate.services import service_seen
from shared.events.objects import (
    Condition,
    Container,
    Meta,
    PodSeen,
    ResourceSeen,
    ServicePort,
    ServiceSeen,
)

METADATA = {"name": "demo", "namespace": "prod", "uid": "u-1", "resourceVersion": "42"}
META = Meta(name="demo", namespace="prod", uid="u-1", resource_version=42)
POD: dict[str, object] = {
    "metadata": METADATA,
    "spec": {
        "nodeName": "node-1",
        "restartPolicy": "Never",
        "containers": [
            {"name": "ray-worker", "env": [{"name": "PASSWORD", "value": "hunter2"}]},
            {"name": "sidecar"},
        ],
    },
    "status": {
        "phase": "Running",
        "podIP": "10.0.0.7",
        "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}],
        "containerStatuses": [
            {
                "name": "ray-worker",
                "restartCount": 2,
                "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}},
            },
            {"name": "sidecar", "ready": True, "state": {"running": {}}},
        ],
        "initContainerStatuses": [
            {"name": "wait", "state": {"waiting": {"reason": "PodInitializing"}}}
        ],
    },
}


def test_a_pod_is_told_by_how_it_is() -> None:
    assert pod_seen(POD) == PodSeen(
        meta=META,
        phase="Running",
        node="node-1",
        ip="10.0.0.7",
        restart_policy="Never",
        ray_container="ray-worker",
        conditions=(Condition(type="Ready", status="False", reason="ContainersNotReady"),),
        containers=(
            Container(
                name="ray-worker", restarts=2, state="terminated", reason="OOMKilled", exit_code=137
            ),
            Container(name="sidecar", ready=True, state="running"),
        ),
        init_containers=(Container(name="wait", state="waiting", reason="PodInitializing"),),
    )


def test_no_environment_value_of_a_pod_enters() -> None:
    assert b"hunter2" not in msgspec.json.encode(pod_seen(POD))


def test_a_pod_that_nobody_has_looked_at_yet_has_no_status() -> None:
    assert pod_seen({"metadata": METADATA}) == PodSeen(meta=META)


def test_an_evicted_pod_says_why() -> None:
    status = {"phase": "Failed", "reason": "Evicted", "message": "low on memory"}

    assert pod_seen({"metadata": METADATA, "status": status}) == PodSeen(
        meta=META, phase="Failed", reason="Evicted", message="low on memory"
    )


def test_a_container_that_was_started_again_says_how_it_ended() -> None:
    waiting = {
        "name": "ray",
        "restartCount": 1,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}},
    }

    assert pod_seen({"status": {"containerStatuses": [waiting]}}).containers == (
        Container(
            name="ray",
            restarts=1,
            state="waiting",
            reason="CrashLoopBackOff",
            crashed_before=True,
            former_reason="OOMKilled",
        ),
    )


def test_a_service_is_told_with_its_ports() -> None:
    ports = [
        {"name": "gcs", "port": 6379, "targetPort": "gcs-server"},
        {"name": "serve", "port": 8000, "targetPort": 8000, "nodePort": 30080},
    ]
    spec = {
        "type": "NodePort",
        "clusterIP": "10.1.0.1",
        "selector": {"ray.io/cluster": "demo"},
        "ports": ports,
    }

    assert service_seen({"metadata": METADATA, "spec": spec}) == ServiceSeen(
        meta=META,
        service_type="NodePort",
        cluster_ip="10.1.0.1",
        selector={"ray.io/cluster": "demo"},
        ports=(
            ServicePort(name="gcs", port=6379, target="gcs-server"),
            ServicePort(name="serve", port=8000, target=8000, node_port=30080),
        ),
    )


def test_a_resource_is_told_whole() -> None:
    spec: dict[str, object] = {
        "rayVersion": "2.46.0",
        "headGroupSpec": {"template": {"spec": {"containers": []}}},
    }
    status: dict[str, object] = {"state": "ready"}
    raw = {"apiVersion": "ray.io/v1", "metadata": METADATA, "spec": spec, "status": status}

    assert resource_seen(raw, "ray.io/v9") == ResourceSeen(
        meta=META, api_version="ray.io/v1", spec=spec, status=status
    )


def test_a_resource_of_a_list_takes_the_version_it_was_asked_for_by() -> None:
    assert resource_seen({"metadata": METADATA}, "ray.io/v1") == ResourceSeen(
        meta=META, api_version="ray.io/v1", spec={}
    )


def test_no_environment_value_of_a_job_enters() -> None:
    container = {"name": "c", "env": [{"name": "TOKEN", "value": "hunter2"}]}
    job = {
        "metadata": {"name": "j", "namespace": "prod", "uid": "u", "resourceVersion": "3"},
        "spec": {"template": {"spec": {"containers": [container]}}},
        "status": {"conditions": [{"type": "Complete", "status": "True"}]},
    }

    assert b"hunter2" not in msgspec.json.encode(child_seen(job, "job"))


def test_of_a_certificate_it_is_told_what_it_names_and_whether_it_is_issued() -> None:
    spec = {"secretName": "s", "ipAddresses": ["10.0.0.1"], "dnsNames": ["localhost"]}
    status = {"conditions": [{"type": "Ready", "status": "True", "observedGeneration": 2}]}
    meta = {"name": "c", "namespace": "lab", "uid": "u", "resourceVersion": "7", "generation": 2}

    told = child_seen({"metadata": meta, "spec": spec, "status": status}, "certificate")

    assert (told.spec, told.status, told.meta.generation) == (spec, status, 2)
