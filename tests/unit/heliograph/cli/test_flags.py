"""Each command shows the settings it has a use for, and no others."""

import re

import pytest

from heliograph.cli.app import main
from shared.runtime.options import OPTIONS

BUS = {"--nats-url", "--nats-creds", "--nats-ca", "--nats-cert", "--nats-key"}
SETTINGS = {option.flag for option in OPTIONS}


@pytest.mark.parametrize(
    ("command", "flags"),
    [
        ("run", SETTINGS),
        ("init", BUS | {"--log-replicas", "--log-retention"}),
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
