"""`heliograph sandbox up`: what it prints, what it serves, how it ends and what it refuses."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml

from heliograph.cli.app import main


def test_help_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["sandbox", "--help"])

    assert ended.value.code == 0
    assert "heliograph sandbox up --port 8001 --pace 10" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("written", "flags", "told"),
    [
        ("ray: {jobs: [{runs: 1}]}", (), "unknown field `runs`"),
        ("rules: [", (), "expected"),
        ("{}", ("--pace", "0"), "the pace must be more than 0"),
    ],
)
def test_says_what_is_wrong_with_a_scenario(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    written: str,
    flags: tuple[str, ...],
    told: str,
) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_text(written)

    assert main(["sandbox", "up", "--scenario", str(path), *flags]) == 2
    assert told in capsys.readouterr().err


def test_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    config = tmp_path / "kubeconfig"
    words = [sys.executable, "-m", "heliograph", "sandbox", "up", "--kubeconfig", str(config)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        welcome = "".join(line for _, line in zip(range(10), lines, strict=False))
        url = yaml.safe_load(config.read_text())["clusters"][0]["cluster"]["server"]
        with urlopen(f"{url}/apis/ray.io/v1") as answer:  # noqa: S310 - our own loopback
            served = answer.read().decode()
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        code = process.wait(timeout=10)

    assert (code, rest.strip().splitlines()[-1]) == (0, "stopped")
    assert re.search(rf"export KUBECONFIG={config}", welcome)
    assert "rayclusters" in served
