"""The autoscaler beside the head: defaults, the user's options, and its two versions."""

import pytest

from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.volumes import LOGS_PATH
from services.reconciler.manifests.pods.worker import worker_pod
from shared.kernel.manifests import entries_at, mapping_at, named, text_at
from tests.support.rayclusters import (
    SETTINGS,
    cluster,
    container,
    container_named,
    head,
    template,
    variables,
)

V2 = "RAY_enable_autoscaler_v2"


@pytest.mark.parametrize(
    ("version", "told", "restart"), [("v2", "true", "Never"), ("v1", "false", ""), (None, None, "")]
)
def test_the_version_is_told_to_ray(version: str | None, told: str | None, restart: str) -> None:
    """Checklist 45, 46."""
    wanted = cluster(enableInTreeAutoscaling=True, autoscalerOptions={"version": version})

    head_made = head_pod(wanted, SETTINGS)
    worker_made = worker_pod(wanted, wanted.groups[0], SETTINGS)

    assert variables(head_made).get(V2) == told
    assert V2 not in variables(worker_made)
    policies = [text_at(pod, "spec", "restartPolicy") for pod in (head_made, worker_made)]
    assert policies == [restart, restart]


def test_a_chosen_version_without_autoscaling_changes_nothing() -> None:
    wanted = cluster(autoscalerOptions={"version": "v2"})

    assert head_pod(wanted, SETTINGS)["spec"] == head_pod(cluster(), SETTINGS)["spec"]


@pytest.mark.parametrize(
    ("given", "used"), [(None, "demo"), ("mine", "mine"), ("x" + "a" * 50, "a" * 50)]
)
def test_the_head_runs_under_the_autoscalers_account(given: str | None, used: str) -> None:
    """Checklist 47."""
    pod_template = template(serviceAccountName=given)
    wanted = cluster(enableInTreeAutoscaling=True, headGroupSpec=head(template=pod_template))

    pod = head_pod(wanted, SETTINGS)

    assert text_at(pod, "spec", "serviceAccountName") == used
    worker = worker_pod(wanted, wanted.groups[0], SETTINGS)
    assert text_at(worker, "spec", "serviceAccountName") == ""


def test_options_replace_fields_and_add_to_lists() -> None:
    """Checklist 43."""
    options = {
        "image": "own:1",
        "imagePullPolicy": "Always",
        "resources": {"limits": {"cpu": "1"}},
        "securityContext": {"runAsUser": 1},
        "command": ["sh"],
        "args": ["-c", "x"],
        "env": [{"name": "MORE", "value": "1"}],
        "envFrom": [{"secretRef": {"name": "s"}}],
        "volumeMounts": [{"name": "v", "mountPath": "/v"}],
    }

    pod = head_pod(cluster(enableInTreeAutoscaling=True, autoscalerOptions=options), SETTINGS)

    made = container_named(pod, "autoscaler")
    replaced = ("image", "imagePullPolicy", "resources", "securityContext", "command", "args")
    assert {key: made[key] for key in replaced} == {key: options[key] for key in replaced}
    assert entries_at(made, "env")[-1] == {"name": "MORE", "value": "1"}
    assert made["envFrom"] == options["envFrom"]
    assert made["volumeMounts"] == [
        {"name": "v", "mountPath": "/v"},
        {"name": "ray-logs", "mountPath": LOGS_PATH},
    ]


def test_logs_that_the_user_mounts_stay_where_they_are() -> None:
    """Checklist 44."""
    ray = container(volumeMounts=[{"name": "mine", "mountPath": LOGS_PATH}])
    wanted = cluster(enableInTreeAutoscaling=True, headGroupSpec=head(template=template(ray)))

    pod = head_pod(wanted, SETTINGS)

    assert named(entries_at(container_named(pod, "ray"), "volumeMounts"), "ray-logs") is None
    assert named(entries_at(container_named(pod, "autoscaler"), "volumeMounts"), "ray-logs")


def test_containers_stand_in_their_order() -> None:
    pod_template = template(container("ray"), container("helper"))
    wanted = cluster(enableInTreeAutoscaling=True, headGroupSpec=head(template=pod_template))

    pod = head_pod(wanted, SETTINGS)

    names = [entry["name"] for entry in entries_at(pod, "spec", "containers")]
    assert names == ["ray", "helper", "autoscaler"]
    assert mapping_at(pod, "spec", "containers", 2)["image"] == "ray:2"
