"""The line that submits, token by token."""

import json
import shlex

import pytest

from services.reconciler.manifests.rayjob.command import Submission, quoted, submit_command
from services.reconciler.manifests.rayjob.request import submit_request
from services.reconciler.manifests.rayjob.submitter import sidecar, submitter_job
from shared.kernel.manifests import entries_at, mapping_at
from shared.resources.rayjob import RayJob
from tests.support.builders import Raw, cluster_spec, group
from tests.unit.services.reconciler.manifests.rayjob.attempts import (
    SETTINGS,
    attempt_at,
    job_of,
)

BASE = "http://rj-b5d7k-head-svc.ns.svc.cluster.local:8265"
WAIT = (
    "until python -c \"import urllib.request; r=urllib.request.urlopen('{health}', timeout=10); "
    "exit(0 if b'success' in r.read() else 1)\" >/dev/null 2>&1 ; do echo \"Waiting for Ray "
    'Dashboard GCS to become healthy at {base} ..." ; sleep 2 ; done ;'
)


def line_of(job: RayJob) -> str:
    template = mapping_at(submitter_job(attempt_at(job), SETTINGS), "spec", "template", "spec")
    (line,) = entries_at_args(entries_at(template, "containers")[0])
    return line


def entries_at_args(container: Raw | object) -> list[str]:
    assert isinstance(container, dict)
    args = container["args"]
    assert isinstance(args, list)
    return args


def beside(job: RayJob, *, restarts: bool = False) -> str:
    (line,) = entries_at_args(sidecar(attempt_at(job, address=""), SETTINGS, restarts=restarts))
    return line


def test_the_example_of_the_specification() -> None:
    """RayJob checklist 30: the whole line, in its order, floats with six decimals."""
    job = job_of(runtimeEnvYAML='env_vars: {A: "1"}', metadata={"k": "v"}, entrypointNumCpus=1)

    assert line_of(job) == (
        WAIT.format(health=f"{BASE}/api/gcs_healthz", base=BASE)
        + f" if ! ray job status --address {BASE} rj-x2x4z >/dev/null 2>&1 ; then"
        f" ray job submit --address {BASE} --no-wait"
        r' --runtime-env-json "{\"env_vars\":{\"A\":\"1\"}}"'
        r' --metadata-json "{\"k\":\"v\"}"'
        " --submission-id rj-x2x4z --entrypoint-num-cpus 1.000000 -- python main.py ;"
        f" fi ; ray job logs --address {BASE} --follow rj-x2x4z"
    )


def test_every_option_has_its_place() -> None:
    """RayJob checklist 30: cpus, gpus, resources, then the entrypoint, trimmed."""
    job = job_of(
        entrypoint="  python main.py --fast  ",
        entrypointNumCpus=0.5,
        entrypointNumGpus=2,
        entrypointResources='{"custom": 1}',
    )

    assert (
        "--submission-id rj-x2x4z --entrypoint-num-cpus 0.500000 --entrypoint-num-gpus 2.000000 "
        r'--entrypoint-resources "{\"custom\": 1}" -- python main.py --fast ; fi'
    ) in line_of(job)


def test_beside_the_head_there_is_no_check_and_nothing_to_follow() -> None:
    """RayJob checklist 31: no status check, no `--no-wait`, no log follow."""
    here = "http://127.0.0.1:8265"

    assert beside(job_of("SidecarMode")) == (
        WAIT.format(health="http://localhost:8265/api/gcs_healthz", base=here)
        + f" ray job submit --address {here} --submission-id rj-x2x4z -- python main.py ;"
    )


def test_a_submitter_that_restarts_finds_its_job() -> None:
    """RayJob checklist 32: with the gate it has all three."""
    line = beside(job_of("SidecarMode"), restarts=True)
    here = "http://127.0.0.1:8265"

    assert f"if ! ray job status --address {here} rj-x2x4z >/dev/null 2>&1 ; then" in line
    assert f"ray job submit --address {here} --no-wait" in line
    assert line.endswith(f"fi ; ray job logs --address {here} --follow rj-x2x4z")


def test_another_port_of_the_dashboard_counts() -> None:
    """RayJob checklist 33: in the health check and in the address beside the head."""
    head = {"name": "ray", "image": "ray", "ports": [{"name": "dashboard", "containerPort": 9999}]}
    spec = cluster_spec(group(), headGroupSpec={"template": {"spec": {"containers": [head]}}})
    line = beside(job_of("SidecarMode", rayClusterSpec=spec))

    assert "http://localhost:9999/api/gcs_healthz" in line
    assert "--address http://127.0.0.1:9999 " in line


@pytest.mark.parametrize("version", [None, "2.9.0", "2.54.0"])
def test_python_asks_whatever_the_version(version: str | None) -> None:
    """RayJob checklist 34: never wget."""
    spec = {key: value for key, value in {"rayVersion": version}.items() if value}
    line = line_of(job_of(rayClusterSpec=cluster_spec(group(), **spec)))

    assert line.startswith('until python -c "import urllib.request;')
    assert "wget" not in line


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("working_dir: a\npip: [x, on]", {"working_dir": "a", "pip": ["x", True]}),
        ("env_vars:\n  A: <b>&", {"env_vars": {"A": "<b>&"}}),
    ],
)
def test_a_runtime_environment_is_passed_as_json(text: str, meant: Raw) -> None:
    """RayJob checklist 35: equal to what the YAML says, once the shell has read it."""
    tokens = shlex.split(line_of(job_of(runtimeEnvYAML=text)))
    passed = tokens[tokens.index("--runtime-env-json") + 1]

    assert json.loads(passed.replace("\\\\u", "\\u")) == meant


def test_metadata_is_passed_whatever_is_known_of_the_version() -> None:
    """RayJob checklist 36: with a selected cluster, and without a version."""
    chosen = job_of(
        metadata={"k": "v"}, rayClusterSpec=None, clusterSelector={"ray.io/cluster": "mine"}
    )
    other: Raw = {"metadata": {"name": "mine", "namespace": "ns"}, "spec": cluster_spec(group())}
    attempt = attempt_at(chosen, cluster=other)
    submission = Submission(address=BASE, health=BASE, job_id=attempt.job_id, checks=True)

    assert "--metadata-json" in submit_command(chosen, submission)
    assert "--metadata-json" in line_of(job_of(metadata={"k": "v"}))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('a"b\\c', r'"a\"b\\c"'),
        ("a\tb\nc\x01\x7f", r'"a\tb\nc\x01\x7f"'),
        ("grün $HOME `x` !", '"grün $HOME `x` !"'),
        ("\u200b\U000e0001", r'"\u200b\U000e0001"'),
    ],
)
def test_text_is_quoted_as_go_does(text: str, written: str) -> None:
    assert quoted(text) == written


def test_what_is_sent_over_http() -> None:
    """RayJob checklist 39: keys kept, resources as floats, nothing that is empty."""
    job = job_of(
        "HTTPMode",
        runtimeEnvYAML="working_dir: a\nenv_vars: {B: c}",
        metadata={"k": "v"},
        entrypointNumCpus=1,
        entrypointResources='{"gold": 2}',
    )

    assert submit_request(job) == {
        "entrypoint": "python main.py",
        "metadata": {"k": "v"},
        "runtime_env": {"working_dir": "a", "env_vars": {"B": "c"}},
        "entrypoint_num_cpus": 1,
        "entrypoint_resources": {"gold": 2.0},
    }
    assert submit_request(job_of("HTTPMode")) == {"entrypoint": "python main.py"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"gold": "much"}', "spec.entrypointResources: gold must be a number"),
        ('{"gold": true}', "spec.entrypointResources: gold must be a number"),
        ("[]", "spec.entrypointResources must be a JSON object of numbers"),
    ],
)
def test_resources_that_are_no_numbers_make_no_request(text: str, problem: str) -> None:
    """RayJob checklist 39: an error that names the field."""
    assert submit_request(job_of("HTTPMode", entrypointResources=text)) == problem


@pytest.mark.parametrize(
    "text", ['{"gold": 1e400}', '{"gold": NaN}', f'{{"gold": {10**400}}}', "[" * 100_000]
)
def test_what_no_ray_can_take_is_told_instead_of_breaking(text: str) -> None:
    assert isinstance(submit_request(job_of("HTTPMode", entrypointResources=text)), str)
