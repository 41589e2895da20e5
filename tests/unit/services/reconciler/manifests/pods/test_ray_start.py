"""The `ray start` command line: merging, rendering, wrapping."""

import pytest

from services.reconciler.manifests.pods.head import head_pod, head_start_params
from services.reconciler.manifests.pods.ray_start import ray_start_command
from services.reconciler.manifests.pods.start_params import group_params, with_container_resources
from services.reconciler.manifests.pods.worker import worker_pod
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.manifests import text_at, words_at
from shared.resources.groups import HeadGroup
from tests.support.rayclusters import SETTINGS, cluster, container, head, template, variables

ULIMIT = "ulimit -n ${RAY_START_ULIMIT_OPEN_FILES:-65536}; "
PLAIN = (
    "ray start --head  --block  --dashboard-agent-listen-port=52365  --dashboard-host=0.0.0.0 "
    " --metrics-export-port=8080 "
)


@pytest.mark.parametrize(
    ("params", "line"),
    [
        ({}, "ray start "),
        ({"b": "2", "a": "1"}, "ray start  --a=1  --b=2 "),
        ({"block": "true"}, "ray start  --block "),
        ({"block": "TRUE"}, "ray start  --block "),
        ({"no-monitor": "false"}, "ray start "),
        ({"log-color": "true"}, "ray start  --log-color=true "),
        ({"include-dashboard": "false"}, "ray start  --include-dashboard=false "),
        ({"include-log-monitor": "False"}, "ray start  --include-log-monitor=False "),
        ({"empty": ""}, "ray start  --empty= "),
    ],
)
def test_renders_parameters_sorted_and_switches_bare(params: dict[str, str], line: str) -> None:
    """Checklist 60."""
    assert ray_start_command(params, head=False) == line


@pytest.mark.parametrize(
    ("resources", "params"),
    [
        ({"CPU": "1500m"}, {"num-cpus": "2"}),
        ({"memory": "1Gi"}, {"memory": "1073741824"}),
        ({"GPU": "2"}, {"num-gpus": "2"}),
        ({"nvidia.com/gpu": "1"}, {"num-gpus": "1"}),
        ({"TPU": "4"}, {"resources": "'{\"TPU\":4}'"}),
        ({"b": "500m", "a": "1"}, {"resources": '\'{"a":1,"b":0.5}\''}),
        ({"tiny": "10u"}, {"resources": "'{\"tiny\":0.00001}'"}),
        ({"cpu": "many"}, {}),
    ],
)
def test_group_resources_become_parameters(
    resources: dict[str, str], params: dict[str, str]
) -> None:
    """Checklist 61."""
    group = HeadGroup.model_validate(head(resources=resources))

    assert group_params(group) == params


def test_group_words_overwrite_but_leave_unrelated_parameters() -> None:
    """Checklist 61, 62."""
    given = {"resources": "'{\"old\":1}'", "num-cpus": "9", "port": "6380"}
    group = HeadGroup.model_validate(
        head(rayStartParams=given, resources={"new": "1"}, labels={"z": "1", "a": "2"})
    )

    assert group_params(group) == {
        "resources": "'{\"new\":1}'",
        "num-cpus": "9",
        "port": "6380",
        "labels": "a=2,z=1",
    }


@pytest.mark.parametrize(
    ("params", "limits", "requests", "merged"),
    [
        ({}, {"cpu": "500m"}, {}, {"num-cpus": "1"}),
        ({}, {}, {"cpu": "3", "memory": "1Gi"}, {"num-cpus": "3"}),
        ({}, {"cpu": "0"}, {"cpu": "2"}, {"num-cpus": "2"}),
        ({}, {"memory": "1Gi"}, {}, {"memory": "1073741824"}),
        ({"num-cpus": "0"}, {"cpu": "4"}, {}, {"num-cpus": "0"}),
        ({}, {"nvidia.com/gpu": "0", "amd.com/gpu": "2"}, {}, {"num-gpus": "2"}),
        ({}, {"nvidia.com/mig-1g.5gb": "1"}, {}, {"num-gpus": "1"}),
        ({"num-gpus": "7"}, {"nvidia.com/gpu": "1"}, {}, {"num-gpus": "7"}),
        (
            {},
            {"google.com/tpu": "4", "aws.amazon.com/neuroncore": "2"},
            {},
            {"resources": "'{\"neuron_cores\":2}'"},
        ),
        (
            {"resources": '"{"x": 1}"'},
            {"google.com/tpu": "4"},
            {},
            {"resources": '\'{"TPU":4,"x":1}\''},
        ),
        (
            {"resources": "'{\"TPU\": 1}'"},
            {"google.com/tpu": "4"},
            {},
            {"resources": "'{\"TPU\": 1}'"},
        ),
        ({"resources": "{oops"}, {"nvidia.com/gpu": "1"}, {}, {"resources": "{oops"}),
    ],
)
def test_the_containers_resources_fill_what_is_open(
    params: dict[str, str],
    limits: dict[str, str],
    requests: dict[str, str],
    merged: dict[str, str],
) -> None:
    """Checklist 38, 59."""
    ray = container(resources={"limits": limits, "requests": requests})

    assert with_container_resources(params, ray) == merged


def test_the_head_always_blocks() -> None:
    """Checklist 52, 53."""
    wanted = cluster(headGroupSpec=head(rayStartParams={"block": "false", "dashboard-host": "::"}))

    assert head_start_params(wanted) == {
        "block": "true",
        "dashboard-host": "::",
        "dashboard-agent-listen-port": "52365",
        "metrics-export-port": "8080",
    }


@pytest.mark.parametrize(
    ("fields", "shell"),
    [
        ({}, f"{ULIMIT}{PLAIN}"),
        ({"command": ["echo"], "args": ["a", "b"]}, f" echo  a  b  && {ULIMIT}{PLAIN}"),
    ],
)
def test_the_users_command_runs_before_ray(fields: dict[str, object], shell: str) -> None:
    wanted = cluster(headGroupSpec=head(template=template(container(**fields))))

    pod = head_pod(wanted, SETTINGS)

    assert words_at(pod, "spec", "containers", 0, "command") == ("/bin/bash", "-c", "--")
    assert words_at(pod, "spec", "containers", 0, "args") == (shell,)


def test_a_login_shell_is_used_where_configured() -> None:
    """Checklist 42: for Ray, the autoscaler and the wait for the head."""
    settings = ManifestSettings(version="v0", login_shell=True)
    wanted = cluster(enableInTreeAutoscaling=True)
    in_head = head_pod(wanted, settings)
    in_worker = worker_pod(wanted, wanted.groups[0], settings)

    login = ("/bin/bash", "-cl", "--")
    assert words_at(in_head, "spec", "containers", 0, "command") == login
    assert words_at(in_head, "spec", "containers", 1, "command") == login
    assert words_at(in_worker, "spec", "initContainers", 0, "command") == login


def test_the_limit_of_open_files_is_read_where_ray_starts() -> None:
    """Checklist 37: a variable of the container is not written into the command."""
    ray = container(env=[{"name": "RAY_START_ULIMIT_OPEN_FILES", "value": "1"}])
    pod = head_pod(cluster(headGroupSpec=head(template=template(ray))), SETTINGS)

    (shell,) = words_at(pod, "spec", "containers", 0, "args")
    assert shell.startswith(ULIMIT)


@pytest.mark.parametrize("switch", ["template", "cluster", "ray start"])
def test_a_user_who_starts_ray_keeps_the_command(switch: str) -> None:
    """Checklist 39."""
    own = ["run.sh"] if switch != "ray start" else ["ray start --head"]
    keep = {"ray.io/overwrite-container-cmd": "True"}
    pod_template = {**template(container(command=own)), "metadata": {"annotations": {}}}
    if switch == "template":
        pod_template["metadata"] = {"annotations": keep}
    wanted = cluster(
        headGroupSpec=head(template=pod_template),
        annotations=keep if switch == "cluster" else {},
    )

    pod = head_pod(wanted, SETTINGS)

    assert words_at(pod, "spec", "containers", 0, "command") == tuple(own)
    assert words_at(pod, "spec", "containers", 0, "args") == ()
    assert variables(pod)["KUBERAY_GEN_RAY_START_CMD"] == PLAIN
    annotated = text_at(pod, "metadata", "annotations", "ray.io/overwrite-container-cmd")
    assert annotated == {"template": "True", "cluster": "true", "ray start": ""}[switch]
