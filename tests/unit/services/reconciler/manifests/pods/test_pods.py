"""Head and worker pods as wholes: metadata, shared memory, waiting, operator defaults."""

import copy

import pytest

from services.reconciler.manifests.pods.head import head_name, head_pod
from services.reconciler.manifests.pods.volumes import SHARED_MEMORY_PATH
from services.reconciler.manifests.pods.worker import worker_pod
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.hashing import canonical_json
from shared.kernel.manifests import (
    annotations_of,
    entries_at,
    labels_of,
    mapping_at,
    named,
    text_at,
)
from tests.support.rayclusters import (
    HOST,
    SETTINGS,
    UID,
    cluster,
    container,
    container_named,
    head,
    template,
    workers,
)


def test_pods_have_no_name_and_belong_to_their_cluster() -> None:
    """Checklist 48, 64."""
    own = {**template(), "metadata": {"name": "x", "namespace": "else", "finalizers": ["a/b"]}}
    wanted = cluster(workerGroupSpecs=[workers(template=own)])

    metadata = dict(mapping_at(worker_pod(wanted, wanted.groups[0], SETTINGS), "metadata"))

    metadata.pop("labels")
    assert metadata == {
        "namespace": "lab",
        "finalizers": ["a/b"],
        "ownerReferences": [
            {
                "apiVersion": "ray.io/v1",
                "kind": "RayCluster",
                "name": "demo",
                "uid": UID,
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }


def test_only_the_head_says_from_which_spec_it_was_made() -> None:
    wanted, changed = cluster(), cluster(rayVersion="2.53.0")

    stamps = [annotations_of(head_pod(c, SETTINGS)) for c in (wanted, changed)]

    assert [stamp["ray.io/kuberay-version"] for stamp in stamps] == ["v0.0.0", "v0.0.0"]
    hashes = {stamp["ray.io/upgrade-strategy-recreate-hash"] for stamp in stamps}
    assert len(hashes) == 2
    assert annotations_of(worker_pod(wanted, wanted.groups[0], SETTINGS)) == {}


def test_asking_again_asks_for_the_same_and_changes_nothing() -> None:
    """Checklist 48."""
    wanted = cluster(
        enableInTreeAutoscaling=True,
        authOptions={"mode": "token"},
        gcsFaultToleranceOptions={"redisPassword": {"value": "x"}},
    )
    before = copy.deepcopy(wanted.as_written())

    made = [
        (head_pod(wanted, SETTINGS), worker_pod(wanted, wanted.groups[0], SETTINGS))
        for _ in range(2)
    ]

    assert canonical_json(made[0]) == canonical_json(made[1])
    assert wanted.as_written() == before


@pytest.mark.parametrize(
    ("resources", "limit"),
    [
        ({"limits": {"memory": "1024Mi"}, "requests": {"memory": "1Mi"}}, {"sizeLimit": "1Gi"}),
        ({"requests": {"memory": "2Gi"}}, {"sizeLimit": "2Gi"}),
        ({}, {}),
    ],
)
def test_shared_memory_is_as_large_as_memory(
    resources: dict[str, object], limit: dict[str, str]
) -> None:
    """Checklist 41."""
    ray = container(resources=resources)

    pod = head_pod(cluster(headGroupSpec=head(template=template(ray))), SETTINGS)

    volume = named(entries_at(pod, "spec", "volumes"), "shared-mem")
    assert volume == {"name": "shared-mem", "emptyDir": {"medium": "Memory", **limit}}


def test_no_shared_memory_where_objects_or_mounts_are_the_users() -> None:
    """Checklist 40, 41."""
    mounted = container(volumeMounts=[{"name": "mine", "mountPath": SHARED_MEMORY_PATH}])
    elsewhere = head(rayStartParams={"plasma-directory": "/data"})

    for group in (head(template=template(mounted)), elsewhere):
        pod = head_pod(cluster(headGroupSpec=group), SETTINGS)
        assert named(entries_at(pod, "spec", "volumes"), "shared-mem") is None


def test_a_volume_of_that_name_is_used_as_it_is() -> None:
    own = {"name": "shared-mem", "hostPath": {"path": "/x"}}

    pod = head_pod(cluster(headGroupSpec=head(template=template(volumes=[own]))), SETTINGS)

    assert entries_at(pod, "spec", "volumes") == (own,)
    mount = named(entries_at(container_named(pod, "ray"), "volumeMounts"), "shared-mem")
    assert mount == {"name": "shared-mem", "mountPath": SHARED_MEMORY_PATH}


def test_a_metrics_port_of_the_user_is_enough() -> None:
    """Checklist 49."""
    ports = [{"name": "metrics", "containerPort": 9, "protocol": "TCP"}]

    pod = head_pod(cluster(headGroupSpec=head(template=template(container(ports=ports)))), SETTINGS)

    assert container_named(pod, "ray")["ports"] == ports


def test_workers_wait_for_the_head_with_the_users_own_means() -> None:
    """Checklist 50."""
    own = {
        "imagePullPolicy": "Always",
        "securityContext": {"runAsUser": 1},
        "volumeMounts": [{"name": "ca", "mountPath": "/ca"}],
    }
    ray = container(env=[{"name": "CA", "value": "/ca"}], **own)
    wanted = cluster(workerGroupSpecs=[workers(template=template(ray))])

    pod = worker_pod(wanted, wanted.groups[0], SETTINGS)

    waiting = container_named(pod, "wait-gcs-ready", init=True)
    assert {key: waiting[key] for key in own} == own
    assert [entry["name"] for entry in entries_at(waiting, "env")] == ["CA", "FQ_RAY_IP", "RAY_IP"]
    asks = f"ray health-check --address {HOST}:6379"
    assert text_at(waiting, "args", 0).count(asks) == 2


def test_workers_do_not_wait_where_configured_so() -> None:
    """Checklist 51."""
    settings = ManifestSettings(version="v0", injects_init_containers=False)
    wanted = cluster()

    pod = worker_pod(wanted, wanted.groups[0], settings)

    assert "initContainers" not in mapping_at(pod, "spec")


def test_operator_defaults_lose_against_users() -> None:
    """Checklist 71."""
    settings = ManifestSettings(
        version="v0",
        default_pod_labels={"team": "ops", "cost": "1"},
        default_pod_annotations={"a": "ops", "b": "ops"},
        head_sidecars=({"name": "h"},),
        worker_sidecars=({"name": "w"},),
    )
    own = {**template(), "metadata": {"labels": {"team": "ml"}, "annotations": {"a": "ml"}}}
    wanted = cluster(headGroupSpec=head(template=own), workerGroupSpecs=[workers(template=own)])

    pods = [head_pod(wanted, settings), worker_pod(wanted, wanted.groups[0], settings)]

    for pod, sidecar in zip(pods, ("h", "w"), strict=True):
        assert (labels_of(pod)["team"], labels_of(pod)["cost"]) == ("ml", "1")
        assert (annotations_of(pod)["a"], annotations_of(pod)["b"]) == ("ml", "ops")
        assert entries_at(pod, "spec", "containers")[-1] == {"name": sidecar}


def test_the_name_of_the_head_is_the_templates_a_fixed_one_or_derived() -> None:
    own = {**template(), "metadata": {"name": "mine"}}
    fixed = ManifestSettings(version="v0", deterministic_head_pod_name=True)

    names = [
        head_name(cluster(headGroupSpec=head(template=own)), fixed),
        head_name(cluster(), fixed),
        head_name(cluster(), SETTINGS),
    ]

    assert names == ["mine", "demo-head", "demo-head-6bzbl"]
