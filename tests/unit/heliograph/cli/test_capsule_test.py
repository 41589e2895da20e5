"""`heliograph capsule test`: a capsule as a regression test, which runs and can fail."""

import subprocess
import sys
from pathlib import Path

import pytest

from heliograph.cli.app import main
from services.reconciler.decisions.raycluster import decide as rules

Captured = pytest.CaptureFixture[str]


def test_writes_a_regression_test_that_runs_as_it_is(
    failed: str, tmp_path: Path, capsys: Captured
) -> None:
    assert main(["capsule", "test", failed, "-o", str(tmp_path / "tests")]) == 0
    written = tmp_path / "tests" / "test_failed.py"
    assert capsys.readouterr().out.splitlines() == [f"{written}: 2 decisions; run it with pytest"]

    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(written)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 passed" in ran.stdout


def test_a_regression_test_fails_when_a_rule_has_changed(
    failed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(rules, "PODS", rules.PODS[:1])

    assert main(["capsule", "test", failed, "-o", str(tmp_path)]) == 0
    assert (
        capsys.readouterr()
        .out.splitlines()[1]
        .startswith("it fails now: raycluster/default/first, act ")
    )
