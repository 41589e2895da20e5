"""The sandbox as a process: ready line, kubeconfig, definitions, clean end."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import yaml

from tests.unit.sandbox.widgets import widget_definition

COMMAND = [sys.executable, "-m", "sandbox"]


def test_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    (tmp_path / "widget.yaml").write_text(yaml.safe_dump(widget_definition()))
    config = tmp_path / "kubeconfig"
    arguments = [*COMMAND, "--kubeconfig", str(config), "--crds", str(tmp_path)]

    with subprocess.Popen(arguments, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        with urlopen(f"{url}/apis/example.com/v1") as answer:  # noqa: S310 - our own loopback
            names = [row["name"] for row in json.load(answer)["resources"]]
        process.send_signal(signal.SIGTERM)
        code = process.wait(timeout=10)

    assert (code, names[0]) == (0, "widgets")
    assert yaml.safe_load(config.read_text())["clusters"][0]["cluster"] == {"server": url}


def test_says_why_it_cannot_start(tmp_path: Path) -> None:
    ended = subprocess.run(
        [*COMMAND, "--crds", str(tmp_path / "missing")],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert ended.returncode == 2
    assert ended.stderr.startswith("the sandbox cannot start: ")
