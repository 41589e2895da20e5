"""Token authentication of the containers that talk to Ray."""

import pytest

from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.worker import worker_pod
from shared.kernel.manifests import entries_at, named
from tests.support.rayclusters import (
    SETTINGS,
    cluster,
    container,
    container_named,
    template,
    variables,
    workers,
)

MOUNT = {
    "name": "ray-token",
    "mountPath": "/var/run/secrets/ray.io/serviceaccount",
    "readOnly": True,
}


def token_of(env: dict[str, object]) -> tuple[object, object]:
    return env.get("RAY_AUTH_MODE"), env.get("RAY_AUTH_TOKEN")


@pytest.mark.parametrize("options", [None, {}, {"mode": "disabled"}])
def test_nothing_is_added_when_no_token_is_asked_for(options: dict[str, object] | None) -> None:
    """Checklist 68."""
    pod = head_pod(cluster(authOptions=options), SETTINGS)

    assert token_of(variables(pod)) == (None, None)


@pytest.mark.parametrize(("secret", "used"), [(None, "demo"), ("mine", "mine")])
def test_every_container_that_talks_to_ray_gets_the_token(secret: str | None, used: str) -> None:
    """Checklist 69."""
    options = {"mode": "token", "secretName": secret}
    wanted = cluster(authOptions=options, enableInTreeAutoscaling=True)

    head, worker = head_pod(wanted, SETTINGS), worker_pod(wanted, wanted.groups[0], SETTINGS)

    reference = {"secretKeyRef": {"name": used, "key": "auth_token"}}
    places = [
        variables(head),
        variables(head, "spec", "containers", 1),
        variables(worker),
        variables(worker, "spec", "initContainers", 0),
    ]
    assert [token_of(env) for env in places] == [("token", reference)] * 4


def test_the_users_own_token_stays() -> None:
    ray = container(env=[{"name": "RAY_AUTH_TOKEN", "value": "own"}])
    wanted = cluster(
        authOptions={"mode": "token"}, workerGroupSpecs=[workers(template=template(ray))]
    )

    pod = worker_pod(wanted, wanted.groups[0], SETTINGS)

    assert token_of(variables(pod)) == ("token", "own")


def test_service_account_tokens_come_by_a_volume_that_each_pod_has_once() -> None:
    """Checklist 68."""
    options = {"mode": "token", "enableK8sTokenAuth": True}
    wanted = cluster(authOptions=options, enableInTreeAutoscaling=True)

    head, worker = head_pod(wanted, SETTINGS), worker_pod(wanted, wanted.groups[0], SETTINGS)

    volume = {
        "name": "ray-token",
        "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]},
    }
    containers = [
        container_named(head, "ray"),
        container_named(head, "autoscaler"),
        container_named(worker, "ray"),
        container_named(worker, "wait-gcs-ready", init=True),
    ]
    for found in containers:
        assert named(entries_at(found, "volumeMounts"), "ray-token") == MOUNT
    for pod in (head, worker):
        volumes = entries_at(pod, "spec", "volumes")
        assert [entry for entry in volumes if entry["name"] == "ray-token"] == [volume]
        assert variables(pod)["RAY_ENABLE_K8S_TOKEN_AUTH"] == "true"
        assert "RAY_AUTH_TOKEN" not in variables(pod)
