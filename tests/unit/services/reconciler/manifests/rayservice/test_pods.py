"""What pods of a RayService's cluster have beside those of any other."""

from typing import Any

import pytest

from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.worker import worker_pod
from shared.kernel.manifests import Raw, entries_at, mapping_at, text_at, texts_at
from tests.support.rayclusters import SETTINGS, cluster, container, head, template, workers

SERVICE = {"ray.io/originated-from-crd": "RayService"}


def of_service(group: Raw | None = None, **spec: Any) -> tuple[Raw, Raw]:
    """The head and a worker."""
    groups = [dict(group or workers())]
    wanted = cluster(labels=SERVICE, workerGroupSpecs=groups, **spec)
    return head_pod(wanted, SETTINGS), worker_pod(wanted, wanted.groups[0], SETTINGS)


def probe(pod: Raw, kind: str) -> Raw:
    return mapping_at(pod, "spec", "containers", 0, f"{kind}Probe")


def test_heads_begin_outside_the_service_and_workers_inside() -> None:
    """RayService checklist 44: the labels at creation."""
    first, second = of_service()

    assert texts_at(first, "metadata", "labels")["ray.io/serve"] == "false"
    assert texts_at(second, "metadata", "labels")["ray.io/serve"] == "true"
    other = cluster(workerGroupSpecs=[workers()])
    assert "ray.io/serve" not in texts_at(head_pod(other, SETTINGS), "metadata", "labels")


@pytest.mark.parametrize("version", ["2.52.0", "2.53.0"])
def test_only_the_readiness_of_workers_asks_the_proxy(version: str) -> None:
    """RayService checklist 50 and 51: once is enough, and by shell even for newer Ray."""
    first, second = of_service(rayVersion=version)
    check = text_at(probe(second, "readiness"), "exec", "command", 2)

    assert check.endswith("http://localhost:8000/-/healthz | grep success")
    assert probe(second, "readiness")["failureThreshold"] == 1
    assert "/-/healthz" not in str(probe(second, "liveness"))
    assert "/-/healthz" not in str((probe(first, "readiness"), probe(first, "liveness")))
    assert ("httpGet" in probe(first, "readiness")) == (version == "2.53.0")


@pytest.mark.parametrize(("given", "port"), [("5555", 5555), ("odd", 52365)])
def test_the_agents_port_is_the_users_if_it_is_one(given: str, port: int) -> None:
    """RayService checklist 50: a custom agent port is honoured, an invalid one is not."""
    params = {"dashboard-agent-listen-port": given}
    _, second = of_service(workers(rayStartParams=params))

    assert f"localhost:{port}/api/local_raylet_healthz" in str(probe(second, "readiness"))


def test_the_users_own_probe_stays() -> None:
    """RayService checklist 50: user probes are untouched."""
    own = {"tcpSocket": {"port": 1}}
    _, second = of_service(workers(template=template(container(readinessProbe=own))))

    assert probe(second, "readiness") == own


def test_a_guarded_head_carries_the_token_of_its_secret() -> None:
    """RayService checklist 39: the head container gets the authentication environment."""
    options = {"mode": "token"}
    first, _ = of_service(headGroupSpec=head(), rayVersion="2.52.0", authOptions=options)
    env = entries_at(mapping_at(first, "spec", "containers", 0), "env")
    names = {one["name"] for one in env}

    assert {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN"} <= names
