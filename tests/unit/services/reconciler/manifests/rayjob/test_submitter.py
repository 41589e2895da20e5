"""The Kubernetes Job that submits, and the container beside the head."""

import pytest
from msgspec.structs import replace

from services.reconciler.manifests.rayjob.submitter import sidecar, submitter_job
from shared.kernel.manifests import entries_at, mapping_at
from shared.resources.rayjob import RayJob
from tests.support.builders import Raw, cluster_spec, group
from tests.support.rayjobs import UID
from tests.unit.services.reconciler.manifests.rayjob.attempts import (
    ADDRESS,
    SETTINGS,
    attempt_at,
    job_of,
)

LABELS = {
    "ray.io/originated-from-cr-name": "rj",
    "ray.io/originated-from-crd": "RayJob",
    "app.kubernetes.io/created-by": "kuberay-operator",
}
ENV = [
    {"name": "PYTHONUNBUFFERED", "value": "1"},
    {"name": "RAY_DASHBOARD_ADDRESS", "value": ADDRESS},
    {"name": "RAY_JOB_SUBMISSION_ID", "value": "rj-x2x4z"},
]


def tokens(**more: object) -> Raw:
    return cluster_spec(group(), rayVersion="2.52.0", authOptions={"mode": "token", **more})


def made(job: RayJob, **more: object) -> dict[str, object]:
    return submitter_job(attempt_at(job, **more), SETTINGS)  # type: ignore[arg-type]


def pod(job: RayJob, **more: object) -> dict[str, object]:
    return dict(mapping_at(made(job, **more), "spec", "template", "spec"))


def first(job: RayJob, **more: object) -> dict[str, object]:
    return dict(entries_at(pod(job, **more), "containers")[0])


def test_the_whole_job() -> None:
    """RayJob checklist 16: its labels and its owner."""
    whole = made(job_of())

    assert whole["metadata"] == {
        "name": "rj",
        "namespace": "ns",
        "labels": LABELS,
        "ownerReferences": [
            {
                "apiVersion": "ray.io/v1",
                "kind": "RayJob",
                "name": "rj",
                "uid": UID,
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }


def test_the_whole_pod() -> None:
    """RayJob checklist 17, 19, 20, 21: two retries, the head's image, its variables, its labels."""
    whole, container = made(job_of()), first(job_of())

    assert set(mapping_at(whole, "spec")) == {"backoffLimit", "template"}
    assert mapping_at(whole, "spec")["backoffLimit"] == 2
    assert mapping_at(whole, "spec", "template", "metadata") == {"labels": LABELS}
    assert pod(job_of())["restartPolicy"] == "Never"
    assert {key: value for key, value in container.items() if key != "args"} == {
        "name": "ray-job-submitter",
        "image": "rayproject/ray:2.46.0",
        "command": ["/bin/bash", "-ce", "--"],
        "env": ENV,
        "resources": {
            "requests": {"cpu": "500m", "memory": "200Mi"},
            "limits": {"cpu": "1", "memory": "1Gi"},
        },
    }


def test_the_user_says_how_often_submitting_is_tried() -> None:
    """RayJob checklist 17: 88 is honoured, and so is 0."""
    for limit in (88, 0):
        whole = made(job_of(submitterConfig={"backoffLimit": limit}))
        assert mapping_at(whole, "spec")["backoffLimit"] == limit


def template(**container: object) -> Raw:
    given = {"name": "mine", "image": "busybox", "env": [{"name": "A", "value": "b"}], **container}
    return {
        "metadata": {"labels": {"team": "red", "ray.io/originated-from-crd": "mine"}},
        "spec": {"restartPolicy": "OnFailure", "containers": [given, {"name": "second"}]},
    }


def test_a_template_with_a_command_keeps_it() -> None:
    """RayJob checklist 18, 29: command and args as written; only variables are added."""
    job = job_of(submitterPodTemplate=template(command=["/submitter"], args=["--", "python", "x"]))
    container = first(job)

    assert (container["command"], container["args"]) == (["/submitter"], ["--", "python", "x"])
    assert container["env"] == [{"name": "A", "value": "b"}, *ENV]
    assert "resources" not in container
    assert (container["name"], container["image"]) == ("mine", "busybox")
    assert entries_at(pod(job), "containers")[1] == {"name": "second"}
    assert pod(job)["restartPolicy"] == "OnFailure"


def test_a_template_without_a_command_gets_ours() -> None:
    """RayJob checklist 18, 21: bash with the generated line; labels of its origin win."""
    job = job_of(submitterPodTemplate=template(args=["lost"]))
    container = first(job)

    assert container["command"] == ["/bin/bash", "-ce", "--"]
    assert str(container["args"]).startswith("['until python")
    labels = mapping_at(made(job), "spec", "template", "metadata")["labels"]
    assert labels == {"team": "red", **LABELS}


def test_a_login_shell_where_it_is_asked_for() -> None:
    settings = replace(SETTINGS, login_shell=True)
    whole = submitter_job(attempt_at(job_of()), settings)
    (container,) = entries_at(mapping_at(whole, "spec", "template", "spec"), "containers")

    assert container["command"] == ["/bin/bash", "-cel", "--"]


@pytest.mark.parametrize(("more", "secret"), [({}, "rj-b5d7k"), ({"secretName": "own"}, "own")])
def test_a_cluster_with_tokens_gives_its_submitters_the_token(more: Raw, secret: str) -> None:
    """RayJob checklist 26, 57: mode and token on the Job's container and on the one beside."""
    wanted = [
        {"name": "RAY_AUTH_MODE", "value": "token"},
        {
            "name": "RAY_AUTH_TOKEN",
            "valueFrom": {"secretKeyRef": {"name": secret, "key": "auth_token"}},
        },
    ]
    job = job_of(rayClusterSpec=tokens(**more))
    beside = sidecar(attempt_at(job, address=""), SETTINGS, restarts=False)

    assert first(job)["env"] == [*ENV, *wanted]
    assert list(entries_at(beside, "env")[-2:]) == wanted
    assert "volumes" not in pod(job)


def test_variables_that_the_user_set_are_not_set_again() -> None:
    own = [{"name": "RAY_AUTH_MODE", "value": "mine"}, {"name": "RAY_AUTH_TOKEN", "value": "t"}]
    job = job_of(rayClusterSpec=tokens(), submitterPodTemplate=template(env=own))

    assert first(job)["env"] == [*own, *ENV]


def test_a_selected_cluster_with_tokens_of_kubernetes() -> None:
    """RayJob checklist 27: volume and mount `ray-token`, and no Secret."""
    job = job_of(rayClusterSpec=None, clusterSelector={"ray.io/cluster": "mine"})
    cluster: Raw = {
        "metadata": {"name": "mine", "namespace": "ns"},
        "spec": tokens(enableK8sTokenAuth=True),
    }
    container = first(job, cluster=cluster)

    assert container["env"] == [
        *ENV,
        {"name": "RAY_AUTH_MODE", "value": "token"},
        {"name": "RAY_ENABLE_K8S_TOKEN_AUTH", "value": "true"},
    ]
    assert container["volumeMounts"] == [
        {
            "name": "ray-token",
            "mountPath": "/var/run/secrets/ray.io/serviceaccount",
            "readOnly": True,
        }
    ]
    source = {"serviceAccountToken": {"path": "token"}}
    assert pod(job, cluster=cluster)["volumes"] == [
        {"name": "ray-token", "projected": {"sources": [source]}}
    ]


def test_beside_the_head_the_address_is_not_known_yet() -> None:
    container = sidecar(attempt_at(job_of("SidecarMode"), address=""), SETTINGS, restarts=False)

    assert container["name"] == "ray-job-submitter"
    assert {"name": "RAY_DASHBOARD_ADDRESS", "value": ""} in entries_at(container, "env")
