"""The commands say in one line what is missing, and end with a code that tells."""

from pathlib import Path

import pytest

from tools.kuberay.__main__ import main


@pytest.fixture(autouse=True)
def _nothing_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.parametrize("command", ["build", "run", "status"])
def test_says_that_neither_the_operator_nor_go_is_there(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command]) == 1

    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "no Go to build it with" in said.err
