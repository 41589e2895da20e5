"""KubeRay's configuration file: every field, what it sets, and what is said of the rest."""

from pathlib import Path

import pytest

from shared.runtime.configuration import parse_configuration, read_configuration
from shared.runtime.failures import SettingsError
from shared.runtime.kuberay import PODS, THEIRS
from shared.runtime.options import OPTIONS
from shared.runtime.reading import read_settings
from shared.runtime.settings import LogFormat, Settings

HEAD = "apiVersion: config.ray.io/v1alpha1\nkind: Configuration\n"
WHOLE = f"""{HEAD}
metricsAddr: 127.0.0.1:9090
probeAddr: ":8082"
enableLeaderElection: true
leaderElectionNamespace: ray
reconcileConcurrency: 4
watchNamespace: a,b
logFile: /var/log/ray
logFileEncoder: json
logStdoutEncoder: console
enableBatchScheduler: false
batchScheduler: yunikorn
useKubernetesProxy: false
enableMetrics: true
qps: 12.5
burst: 30
deleteRayJobAfterJobFinishes: false
headSidecarContainers: [{{name: logs, image: fluent}}]
workerSidecarContainers: [{{name: tail, image: fluent}}]
defaultContainerEnvs: [{{name: A, value: "1"}}]
defaultPodLabels: {{team: ml}}
defaultPodAnnotations: {{note: x}}
"""


def read(text: str) -> Settings:
    return read_settings({}, {}, member="m", file=parse_configuration(text, "f.yaml"))


def refusal(text: str) -> str:
    with pytest.raises(SettingsError) as refused:
        parse_configuration(text, "f.yaml")
    return str(refused.value)


def test_every_field_is_read() -> None:
    settings = read(WHOLE)

    assert (settings.process.http_host, settings.process.http_port) == ("127.0.0.1", 9090)
    assert settings.process.log_format is LogFormat.TEXT
    assert settings.kube.watch_namespace == ("a", "b")
    assert (settings.kube.qps, settings.kube.burst) == (12.5, 30)
    rules = settings.rules
    assert (rules.batch_scheduler, rules.enable_batch_scheduler) == ("yunikorn", False)
    assert rules.head_sidecar_containers == ({"name": "logs", "image": "fluent"},)
    assert rules.worker_sidecar_containers == ({"name": "tail", "image": "fluent"},)
    assert rules.default_container_envs == ({"name": "A", "value": "1"},)
    assert (rules.default_pod_labels, rules.default_pod_annotations) == (
        {"team": "ml"},
        {"note": "x"},
    )


def test_the_whole_file_has_every_field_that_is_known() -> None:
    fields = {one.field for one in THEIRS if one.field} | set(PODS)

    assert {line.split(":")[0] for line in WHOLE.splitlines()[2:] if line} == fields


def test_a_file_without_fields_and_one_with_empty_ones_change_nothing() -> None:
    empty = HEAD + 'watchNamespace: ""\nbatchScheduler:\nheadSidecarContainers: []\n'

    assert read(HEAD) == read(empty) == read_settings({}, {}, member="m")


def test_what_has_no_effect_is_told_with_its_reason() -> None:
    told = {one.setting: one.because for one in parse_configuration(WHOLE, "f.yaml").notices}

    assert set(told) == {f"f.yaml: {one.field}" for one in THEIRS if one.field and one.because}
    assert told["f.yaml: enableLeaderElection"].startswith("no leader is elected")


def test_a_field_that_nobody_knows_is_told_of_and_does_not_stop_the_start() -> None:
    notices = parse_configuration(f"{HEAD}watchNamespaces: a\nzzz: 1\n", "f.yaml").notices

    assert [(one.setting, one.because) for one in notices] == [
        ("f.yaml: watchNamespaces", "no such field is known: did you mean watchNamespace?"),
        ("f.yaml: zzz", "no such field is known"),
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("burst: '7'", "f.yaml: burst: must be a whole number, not '7'"),
        ("burst: true", "f.yaml: burst: must be a whole number, not True"),
        ("qps: fast", "f.yaml: qps: must be a number, not 'fast'"),
        ("watchNamespace: [a]", "f.yaml: watchNamespace: must be a text, not ['a']"),
        ("enableMetrics: maybe", "f.yaml: enableMetrics: must be true or false, not 'maybe'"),
        ("metricsAddr: x", "f.yaml: metricsAddr: must be an address like :8080"),
        ("headSidecarContainers: {}", "f.yaml: headSidecarContainers: must be a list of objects"),
        ("workerSidecarContainers: [{}]", "f.yaml: workerSidecarContainers[0].name: is required"),
        ("defaultPodLabels: {a: 1}", "f.yaml: defaultPodLabels['a']: must be a text"),
    ],
)
def test_a_wrong_type_stops_the_start_and_names_its_path(line: str, sentence: str) -> None:
    assert refusal(HEAD + line).startswith(sentence)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: [", "f.yaml is not YAML: "),
        ("- a", "f.yaml must hold one object of kind Configuration"),
        ("kind: Configuration", "f.yaml: apiVersion: must be config.ray.io/v1alpha1, not None"),
        (HEAD.replace("Configuration", "Pod"), "f.yaml: kind: must be Configuration, not 'Pod'"),
    ],
)
def test_another_file_is_refused(text: str, sentence: str) -> None:
    assert refusal(text).startswith(sentence)


def test_a_file_that_is_not_there_is_told_by_its_name(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.yaml")

    with pytest.raises(SettingsError) as refused:
        read_configuration(missing)

    assert str(refused.value) == f"--config: {missing} cannot be read: No such file or directory"


def test_every_field_sets_an_option_that_exists() -> None:
    names = {option.name for option in OPTIONS}
    samples = {"metricsAddr": ":1", "logStdoutEncoder": "json"}
    set_by_fields = {
        name
        for one in THEIRS
        if one.translate and one.field
        for name in one.translate(samples.get(one.field, "1"))
    }

    assert set_by_fields | set(PODS.values()) <= names
