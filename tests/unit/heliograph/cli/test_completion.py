"""Completion: every command is known to every shell, and bash really completes."""

import shutil
import subprocess
from pathlib import Path

import pytest

from heliograph.cli.app import COMMANDS, main

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command(shell: str, capsys: Captured) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out

    assert [name for name in COMMANDS if name not in script] == []


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("heliograph ti", ["timeline"]),
        ("heliograph why --caps", ["--capsule"]),
        ("heliograph get -o ''", ["table", "json", "yaml"]),
    ],
)
def test_bash_completes(words: str, completed: list[str], tmp_path: Path, capsys: Captured) -> None:
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "completion"
    script.write_text(capsys.readouterr().out)
    asked = f"""source {script}
        words=({words}); COMP_WORDS=("${{words[@]}}"); COMP_CWORD=$((${{#words[@]}} - 1))
        $(complete -p heliograph | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        printf '%s\\n' "${{COMPREPLY[@]}}" """
    said = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)

    assert said.stdout.split() == completed
