"""Each command shows the settings it has a use for, and no others; `run` takes KubeRay's flags."""

import json
import re
from pathlib import Path

import pytest

from heliograph.assembly import adapters
from heliograph.cli import run
from heliograph.cli.app import Parser, main
from shared.kernel.features import GATES
from shared.runtime.flags import rewritten
from shared.runtime.kuberay import THEIRS
from shared.runtime.options import APART, OPTIONS, SERVICES
from shared.runtime.settings import Settings

BUS = {"--nats-url", "--nats-creds", "--nats-ca", "--nats-cert", "--nats-key"}
SETTINGS = {option.flag for option in OPTIONS}


@pytest.mark.parametrize(
    ("command", "flags"),
    [
        ("run", SETTINGS),
        ("init", BUS | {"--log-replicas", "--log-retention", "--events-retention"}),
        ("timeline", BUS),
        ("replay", BUS),
        ("validate", {"--feature-gates"}),
        ("demo", {"--log-level"}),
        ("crds", set()),
    ],
)
def test_help_shows_what_counts(
    command: str, flags: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])

    shown = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    assert ended.value.code == 0
    assert shown & SETTINGS == flags


def test_up_runs_everything_on_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["up", "--help"])

    shown = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    assert {"--folder", "--nats-port", "--sandbox-port", "--http-port", "--feature-gates"} <= shown
    assert not shown & (BUS | {"--kubeconfig"})


NOWHERE = ("--nats-url", "nats://127.0.0.1:1")
KUBERAY = (
    "-metrics-addr=:0 --health-probe-bind-address :8082 -enable-leader-election "
    "--leader-election-namespace=ray --reconcile-concurrency 2 -watch-namespace a,b "
    "--log-stdout-encoder json --use-kubernetes-proxy=false --enable-metrics --qps 5 --burst 6 "
    "--feature-gates RayCronJob=true,RayClusterMTLS=true --batch-scheduler=volcano "
    "--zap-log-level debug --forced-cluster-upgrade --log-file-path /ray.log all"
)


def settings(*arguments: str) -> Settings:
    parser = Parser(prog="heliograph run")
    run.add_arguments(parser)
    return run.settings_of(parser.parse_args(rewritten(arguments)))


def told(capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    lines = capsys.readouterr().err.splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def test_a_command_line_of_kuberay_is_understood() -> None:
    read = settings(*KUBERAY.split())

    assert read.process.http_port == 0
    assert read.process.log_level == "debug"
    assert read.kube.watch_namespace == ("a", "b")
    assert (read.kube.qps, read.kube.burst) == (5, 6)
    assert read.rules.batch_scheduler == "volcano"
    assert {"RayCronJob", "RayClusterMTLS"} <= read.rules.feature_gates.enabled


def test_what_has_no_effect_is_told_once_each_before_anything_starts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENABLE_WEBHOOKS", "true")
    monkeypatch.setattr(adapters, "REACH_WITHIN", 0.1)

    code = main(["run", *KUBERAY.split(), *NOWHERE])

    lines = [line for line in told(capsys) if line["message"] == "has no effect here"]
    given = {word.lstrip("-").partition("=")[0] for word in KUBERAY.split()}
    idle = [f"--{one.flag}" for one in THEIRS if one.because and one.flag in given]
    assert code == 2
    assert [line["setting"] for line in lines] == [*idle, "ENABLE_WEBHOOKS"]
    assert all(line["because"] for line in lines)


def test_the_configuration_file_is_named_by_flag_or_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("apiVersion: config.ray.io/v1alpha1\nkind: Configuration\nburst: 7\nqps: 7\n")

    assert settings("all", "--config", str(file)).kube.burst == 7
    monkeypatch.setenv("HELIOGRAPH_CONFIG", str(file))
    monkeypatch.setenv("HELIOGRAPH_QPS", "8")
    read = settings("-burst", "9", "all")
    assert (read.kube.burst, read.kube.qps) == (9, 8)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("-reconcile-concurency 3", "did you mean --reconcile-concurrency?"),
        ("--featuregates A=true", "did you mean --feature-gates?"),
        ("--feature-gates RayCronJob=2", "RayCronJob must be true or false, not '2'"),
        ("--feature-gates Zz=true", f"unknown feature gate 'Zz': there are {', '.join(GATES)}"),
        ("--config none.yaml", "--config: none.yaml cannot be read: No such file or directory"),
        ("--batch-scheduler zz", "scheduler is not supported, name=zz"),
    ],
)
def test_what_is_wrong_stops_the_start_with_one_sentence(
    arguments: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["run", "all", *arguments.split()])

    lines = capsys.readouterr().err.splitlines()
    assert (code, len(lines)) == (2, 1)
    assert sentence in lines[0]


def test_all_means_the_operator_and_what_runs_apart_is_added_by_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapters, "REACH_WITHIN", 0.1)

    assert set(APART) & set(SERVICES) == set()
    assert main(["run", "all", "webhook", *NOWHERE]) == 2
    assert "the webhook needs a certificate" in capsys.readouterr().err
    assert main(["run", "all", *NOWHERE]) == 2
    assert "NATS cannot be reached" in capsys.readouterr().err


def test_the_webhook_needs_no_log_and_no_kubernetes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "webhook", *NOWHERE, "--kubeconfig", "/none"]) == 2
    assert "the webhook needs a certificate" in capsys.readouterr().err
