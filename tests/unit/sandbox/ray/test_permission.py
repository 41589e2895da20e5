"""Where pods cannot be run, one line says why."""

from pathlib import Path

import pytest

from sandbox.ray.permission import NEEDED, refusal


def without_memory() -> str:
    refusal.cache_clear()
    try:
        return refusal()
    finally:
        refusal.cache_clear()


def test_programs_that_are_missing_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    assert without_memory() == (f"pods cannot be run here: no {', '.join(NEEDED)} on this machine")


def test_a_machine_that_refuses_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NEEDED:
        program = tmp_path / name
        program.write_text("#!/bin/sh\necho Operation not permitted >&2\nexit 1\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    told = without_memory()

    assert "namespaces are not permitted (Operation not permitted)" in told
    assert "\n" not in told
