"""Probes: by shell for older Ray, over HTTP for newer, never over the user's own."""

import pytest

from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.worker import worker_pod
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.manifests import Raw, mapping_at, text_at
from shared.resources.raycluster import RayCluster
from tests.support.rayclusters import SETTINGS, cluster, container, head, template, workers

RAYLET = "wget --tries 1 -T 2 -q -O- http://localhost:{}/api/local_raylet_healthz | grep success"
STORE = "wget --tries 1 -T 10 -q -O- http://localhost:{}/api/gcs_healthz | grep success"
SERVE = "wget --tries 1 -T 10 -q -O- http://localhost:{}/-/healthz | grep success"
SERVICE = {"ray.io/originated-from-crd": "RayService"}


def probe(pod: Raw, kind: str) -> Raw:
    return mapping_at(pod, "spec", "containers", 0, f"{kind}Probe")


def shell(pod: Raw, kind: str) -> str:
    return text_at(probe(pod, kind), "exec", "command", 2)


def worker(wanted: RayCluster) -> dict[str, object]:
    return worker_pod(wanted, wanted.groups[0], SETTINGS)


@pytest.mark.parametrize(
    ("version", "over_http"),
    [("2.52.9", False), ("2.53.0", True), ("2.53.0rc1", True), ("nightly", False), (None, False)],
)
def test_newer_ray_is_asked_over_http(version: str | None, over_http: bool) -> None:
    """Checklist 57."""
    liveness = probe(head_pod(cluster(rayVersion=version), SETTINGS), "liveness")

    assert ("httpGet" in liveness, "exec" in liveness) == (over_http, not over_http)


def test_http_probes_ask_the_agent_of_the_group() -> None:
    params = {"dashboard-agent-listen-port": "1234"}
    wanted = cluster(rayVersion="2.53.0", headGroupSpec=head(rayStartParams=params))

    assert probe(head_pod(wanted, SETTINGS), "readiness") == {
        "httpGet": {"path": "/api/healthz", "port": 1234},
        "timeoutSeconds": 5,
        "periodSeconds": 5,
        "successThreshold": 1,
        "initialDelaySeconds": 10,
        "failureThreshold": 10,
    }


def test_the_head_is_also_asked_for_its_store() -> None:
    """Checklist 55, 56."""
    params = {"dashboard-agent-listen-port": "odd", "dashboard-port": "9000"}

    pod = head_pod(cluster(headGroupSpec=head(rayStartParams=params)), SETTINGS)

    assert shell(pod, "liveness") == f"{RAYLET.format(52365)} && {STORE.format(9000)}"


@pytest.mark.parametrize("version", ["2.52.0", "2.53.0"])
def test_a_worker_of_a_service_is_ready_when_its_proxy_is(version: str) -> None:
    """Checklist 57."""
    ray = container(ports=[{"name": "serve", "containerPort": 8123}])
    groups = [workers(template=template(ray))]

    pod = worker(cluster(rayVersion=version, labels=SERVICE, workerGroupSpecs=groups))

    assert shell(pod, "readiness") == f"{RAYLET.format(52365)} && {SERVE.format(8123)}"
    assert probe(pod, "readiness")["failureThreshold"] == 1
    assert probe(pod, "liveness")["failureThreshold"] == 120


def test_the_head_of_a_service_is_not_asked_for_its_proxy() -> None:
    """Checklist 57."""
    pod = head_pod(cluster(labels=SERVICE), SETTINGS)

    assert "/-/healthz" not in shell(pod, "readiness")
    assert probe(pod, "readiness")["failureThreshold"] == 10


def test_the_users_probe_stays() -> None:
    """Checklist 54."""
    own = {"tcpSocket": {"port": 1}}

    pod = worker(
        cluster(workerGroupSpecs=[workers(template=template(container(livenessProbe=own)))])
    )

    assert probe(pod, "liveness") == own
    assert shell(pod, "readiness") == RAYLET.format(52365)


def test_no_probe_is_added_where_configured_so() -> None:
    """Checklist 51."""
    pod = head_pod(cluster(), ManifestSettings(version="v0", injects_probes=False))

    assert (probe(pod, "liveness"), probe(pod, "readiness")) == ({}, {})
