"""Environment of the Ray container: order, and what of the user's stays."""

import pytest

from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.worker import worker_pod
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.manifests import Raw, entries_at
from shared.resources.raycluster import RayCluster
from tests.support.rayclusters import (
    HOST,
    SETTINGS,
    cluster,
    container,
    container_named,
    head,
    template,
    variables,
    workers,
)

SERVICE = {"ray.io/originated-from-crd": "RayService"}


def worker(wanted: RayCluster, settings: ManifestSettings = SETTINGS) -> dict[str, object]:
    return worker_pod(wanted, wanted.groups[0], settings)


def order(pod: Raw) -> list[object]:
    return [entry["name"] for entry in entries_at(pod, "spec", "containers", 0, "env")]


def test_the_head_learns_everything_in_order() -> None:
    """Checklist 34, 35."""
    ray = container(env=[{"name": "MINE", "value": "1"}])
    settings = ManifestSettings(
        version="v9", default_container_envs=({"name": "SITE", "value": "x"},)
    )

    pod = head_pod(cluster(headGroupSpec=head(template=template(ray)), labels=SERVICE), settings)

    assert order(pod) == [
        "MINE",
        "SITE",
        "RAY_CLUSTER_NAME",
        "RAY_CLUSTER_NAMESPACE",
        "RAY_CLOUD_INSTANCE_ID",
        "RAY_NODE_TYPE_NAME",
        "KUBERAY_GEN_RAY_START_CMD",
        "RAY_PORT",
        "RAY_timeout_ms_task_wait_for_death_info",
        "RAY_gcs_server_request_timeout_seconds",
        "RAY_SERVE_KV_TIMEOUT_S",
        "RAY_ADDRESS",
        "RAY_USAGE_STATS_KUBERAY_IN_USE",
        "RAY_USAGE_STATS_EXTRA_TAGS",
        "RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE",
    ]
    assert variables(pod)["RAY_USAGE_STATS_EXTRA_TAGS"] == (
        "kuberay_version=v9;kuberay_crd=RayService"
    )


def test_a_worker_learns_where_the_head_is() -> None:
    """Checklist 34, 35."""
    wanted = cluster(headGroupSpec=head(rayStartParams={"port": "7000"}))

    pod = worker(wanted)

    env = variables(pod)
    told = [env[name] for name in ("FQ_RAY_IP", "RAY_IP", "RAY_PORT", "RAY_ADDRESS")]
    assert told == [HOST, "demo-head-svc", "7000", f"{HOST}:7000"]
    assert "RAY_USAGE_STATS_EXTRA_TAGS" not in env


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("RAY_PORT", True),
        ("RAY_ADDRESS", True),
        ("RAY_USAGE_STATS_KUBERAY_IN_USE", True),
        ("RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE", True),
        ("SITE", True),
        ("RAY_CLUSTER_NAME", False),
        ("FQ_RAY_IP", False),
        ("KUBERAY_GEN_RAY_START_CMD", False),
    ],
)
def test_some_variables_of_the_user_stay_and_some_are_outvoted(name: str, kept: bool) -> None:
    """Checklist 36."""
    ray = container(env=[{"name": name, "value": "mine"}])
    settings = ManifestSettings(
        version="v9", default_container_envs=({"name": "SITE", "value": "x"},)
    )

    pod = worker(cluster(workerGroupSpecs=[workers(template=template(ray))]), settings)

    assert (variables(pod)[name] == "mine") is kept
    assert order(pod).count(name) == (1 if kept else 2)


def test_every_init_container_learns_where_the_head_is() -> None:
    pod_template = template(initContainers=[{"name": "first"}])

    pod = worker(cluster(workerGroupSpecs=[workers(template=pod_template)]))

    names = [entry["name"] for entry in entries_at(pod, "spec", "initContainers")]
    assert names == ["first", "wait-gcs-ready"]
    for name in names:
        env = container_named(pod, str(name), init=True)["env"]
        assert env == [
            {"name": "FQ_RAY_IP", "value": HOST},
            {"name": "RAY_IP", "value": "demo-head-svc"},
        ]
