"""`heliograph validate`: every problem with file, line and path; exit codes; all of our samples."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
import yaml

from heliograph.cli.app import main
from shared.kernel.manifests import text_at

HOME = Path(__file__).resolve().parents[4]
SAMPLES = HOME.parent / "shared" / "data" / "kuberay-samples"
GOOD = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata:
  name: demo
spec:
  headGroupSpec:
    rayStartParams: {}
    template:
      spec:
        containers:
        - name: ray
          image: ray:2
"""
GATED = f"{GOOD}  networkPolicy:\n    mode: DenyAll\n"
GATE = "RayClusterNetworkPolicy"

Captured = pytest.CaptureFixture[str]


def file(folder: Path, text: str) -> str:
    path = folder / "cluster.yaml"
    path.write_text(text)
    return str(path)


def test_all_is_well(tmp_path: Path, capsys: Captured) -> None:
    assert main(["validate", "-f", file(tmp_path, GOOD)]) == 0
    assert capsys.readouterr() == ("1 resource checked, no problems\n", "")


def test_what_is_not_ours_is_left_alone(tmp_path: Path, capsys: Captured) -> None:
    other = "apiVersion: v1\nkind: ConfigMap\ndata: 7\n---\n"

    passed = "1 passed over, not of our group: ConfigMap"
    assert main(["validate", "-f", file(tmp_path, other + GOOD)]) == 0
    assert capsys.readouterr().out == f"1 resource checked, no problems; {passed}\n"
    assert main(["validate", "-f", file(tmp_path, other)]) == 0
    assert capsys.readouterr().out == f"no resources checked, no problems; {passed}\n"


def test_a_problem_has_file_line_resource_and_path(tmp_path: Path, capsys: Captured) -> None:
    name = file(tmp_path, GOOD.replace("rayStartParams: {}", "rayStartParams: 7"))

    assert main(["validate", "-f", name]) == 2
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{name}:7: RayCluster demo: spec.headGroupSpec.rayStartParams: ")
    assert last == "1 resource checked, 1 problem"


def test_problems_as_json(tmp_path: Path, capsys: Captured) -> None:
    name = file(tmp_path, GATED)

    assert main(["validate", "-f", name, "-o", "json"]) == 2
    assert msgspec.json.decode(capsys.readouterr().out) == [
        {
            "file": name,
            "line": 13,
            "resource": "RayCluster demo",
            "path": "spec.networkPolicy",
            "message": f"spec.networkPolicy requires the {GATE} feature gate to be enabled",
            "rule": "RayCluster.network-gate",
            "hint": f"start the operator with --feature-gates {GATE}=true, or leave this out",
        }
    ]


def test_feature_gates_count(tmp_path: Path) -> None:
    name = file(tmp_path, GATED)

    assert main(["validate", "-f", name, "--feature-gates", f"{GATE}=true"]) == 0


def test_the_defaults_of_the_cluster_count(tmp_path: Path, capsys: Captured) -> None:
    template = "{spec: {containers: [{name: a}]}}"
    group = f"  workerGroupSpecs:\n  - groupName: small\n    template: {template}\n"

    assert main(["validate", "-f", file(tmp_path, GOOD + group)]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("spec", "line", "path"),
    [
        ("spec: 7", 5, "spec"),
        ("spec: []", 5, "spec"),
        ("spec:", 5, "spec"),
        ("spec: {}", 5, "spec.headGroupSpec"),
        ("", 1, "spec"),
        ("more: 1", 5, "more"),
        ("spec: {headGroupSpec: 7}", 5, "spec.headGroupSpec"),
    ],
)
def test_a_spec_of_the_wrong_shape_is_a_problem(
    spec: str, line: int, path: str, tmp_path: Path, capsys: Captured
) -> None:
    name = file(tmp_path, GOOD.partition("spec:")[0] + spec)

    assert main(["validate", "-f", name]) == 2
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(f"{name}:{line}: RayCluster demo: {path}: ")


def test_several_files_and_documents_are_counted(tmp_path: Path, capsys: Captured) -> None:
    name = file(tmp_path, f"{GOOD}---\n{GOOD}")

    assert main(["validate", "-f", name, "-f", name]) == 0
    assert capsys.readouterr().out == "4 resources checked, no problems\n"


def test_reads_standard_input() -> None:
    command = [sys.executable, "-m", "heliograph", "validate", "-f", "-"]
    ended = subprocess.run(command, input=GOOD, text=True, capture_output=True, check=False)

    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "1 resource checked, no problems\n"


def test_a_kind_we_do_not_know_is_a_problem(tmp_path: Path, capsys: Captured) -> None:
    name = file(tmp_path, GOOD.replace("RayCluster", "RayTrain"))

    assert main(["validate", "-f", name]) == 2
    assert capsys.readouterr().out.startswith(
        f"{name}:2: RayTrain demo: kind: RayTrain is not known to this version: there are "
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "a: 1\na: 2\n",
            "is not YAML that Kubernetes would take: line 2: 'a' stands there twice",
        ),
        ("- a\n", "is not YAML that Kubernetes would take: line 1: a manifest must be a mapping"),
    ],
)
def test_what_cannot_be_read_is_one_message(
    text: str, told: str, tmp_path: Path, capsys: Captured
) -> None:
    name = file(tmp_path, text)

    assert main(["validate", "-f", name]) == 2
    assert capsys.readouterr() == ("", f"heliograph: {name} {told}\n")


def test_a_file_that_is_not_there_is_one_message(tmp_path: Path, capsys: Captured) -> None:
    name = str(tmp_path / "nowhere.yaml")

    assert main(["validate", "-f", name]) == 2
    assert capsys.readouterr().err.startswith(f"heliograph: {name} cannot be read: ")


def test_without_a_file_the_command_says_so(capsys: Captured) -> None:
    assert main(["validate"]) == 2
    assert "-f/--filename" in capsys.readouterr().err


def test_our_examples_are_fine(capsys: Captured) -> None:
    examples = sorted(str(path) for path in (HOME / "examples").glob("*.yaml"))
    flags = [word for name in examples for word in ("-f", name)]

    assert main(["validate", *flags]) == 0, capsys.readouterr().out


GATES = {
    "ray-cluster.embedded-gcs-ft.yaml": "GCSFaultToleranceEmbeddedStorage",
    "ray-cluster.historyserver.yaml": "RayClusterHistoryServer",
    "ray-cluster.mtls.yaml": "RayClusterMTLS",
    "ray-cluster.network-policy-deny-all.yaml": GATE,
}


def kinds_of(path: Path) -> set[str]:
    return {
        text_at(each, "kind")
        for each in yaml.safe_load_all(path.read_text())
        if isinstance(each, dict) and text_at(each, "apiVersion").startswith("ray.io/")
    }


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="needs ../shared/data/kuberay-samples")
def test_every_sample_is_fine_with_the_gates_it_needs(capsys: Captured) -> None:
    samples = {path: kinds_of(path) for path in sorted(SAMPLES.rglob("*.yaml"))}
    assert set().union(*samples.values()) == {"RayCluster", "RayJob", "RayService", "RayCronJob"}
    assert len([path for path, kinds in samples.items() if kinds]) > 60

    for path in samples:
        flags = ["-f", str(path)]
        gate = GATES.get(path.name)
        assert main(["validate", *flags]) == (2 if gate else 0), capsys.readouterr().out
        if gate:
            assert f"hint: start the operator with --feature-gates {gate}=true" in (
                capsys.readouterr().out
            )
            assert main(["validate", *flags, "--feature-gates", f"{gate}=true"]) == 0


def test_a_hint_follows_its_problem(tmp_path: Path, capsys: Captured) -> None:
    name = file(tmp_path, GOOD.replace("rayStartParams: {}", "rayStartParams: {labels: x}"))

    assert main(["validate", "-f", name]) == 2
    assert capsys.readouterr().out.splitlines() == [
        (
            f"{name}:7: RayCluster demo: spec.headGroupSpec.rayStartParams.labels: "
            "rayStartParams['labels'] is not supported for Head group; please use the top-level "
            "Labels field instead"
        ),
        "    hint: move the labels to the field labels of the group",
        "1 resource checked, 1 problem",
    ]


def test_a_key_in_quotes_has_its_own_line(tmp_path: Path, capsys: Captured) -> None:
    marked = "  name: demo\n  annotations:\n    a: b\n    ray.io/ft-enabled: 'true'\n"
    text = GOOD.replace("  name: demo\n", marked) + "  gcsFaultToleranceOptions: {}\n"

    assert main(["validate", "-f", file(tmp_path, text), "-o", "json"]) == 2
    (finding,) = msgspec.json.decode(capsys.readouterr().out)
    assert (finding["line"], finding["rule"]) == (7, "RayCluster.ft-once")


JOB = """\
apiVersion: ray.io/v1
kind: RayJob
metadata:
  generateName: nightly-
spec:
  suspend: true
  clusterSelector:
    ray.io/cluster: mine
"""
CRON = """\
apiVersion: ray.io/v1
kind: RayCronJob
metadata:
  name: often
spec:
  schedule: 61 * * * *
  jobTemplate:
    entrypoint: python run.py
"""


def test_every_problem_of_every_document_is_told(tmp_path: Path, capsys: Captured) -> None:
    name = file(tmp_path, f"{JOB}---\n{GOOD}---\n{CRON}")

    assert main(["validate", "-f", name, "-o", "json"]) == 2
    found = msgspec.json.decode(capsys.readouterr().out)
    assert [(each["line"], each["resource"], each["path"], each["rule"]) for each in found] == [
        (6, "RayJob nightly-", "spec.suspend", "RayJob.suspend-shutdown"),
        (6, "RayJob nightly-", "spec.suspend", "RayJob.suspend-selector"),
        (28, "RayCronJob often", "spec.schedule", "RayCronJob.schedule"),
        (29, "RayCronJob often", "spec.jobTemplate.rayClusterSpec", "RayJob.cluster"),
    ]


def test_a_list_is_what_it_lists(tmp_path: Path, capsys: Captured) -> None:
    indented = JOB.replace("\n", "\n  ")
    listed = f"apiVersion: v1\nkind: List\nitems:\n- {indented}\n- kind: ConfigMap\n"

    assert main(["validate", "-f", file(tmp_path, listed)]) == 2
    first, *_, last = capsys.readouterr().out.splitlines()
    assert ":9: RayJob nightly-: spec.suspend: " in first
    assert last == ("1 resource checked, 2 problems; 1 passed over, not of our group: ConfigMap")
