"""A control plane that cannot start says why, and leaves nothing behind."""

import shutil
from pathlib import Path

import pytest

from tools.realkube.assets import Assets
from tools.realkube.controlplane import ATTEMPTS, ControlPlane, ControlPlaneFailedError, free_ports
from tools.realkube.pins import PROGRAMS

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl")


def failing(folder: Path, sentence: str) -> Assets:
    """Programs that count their starts, say a sentence, and end."""
    program = folder / "program"
    program.write_text(f'#!/bin/sh\necho started >> "{folder}/starts"\necho "{sentence}"\nexit 3\n')
    program.chmod(0o755)
    return Assets(programs=dict.fromkeys(PROGRAMS, str(program)))


def starts(folder: Path) -> int:
    return len((folder / "starts").read_text().splitlines())


def test_says_which_program_failed_and_what_it_said_last(tmp_path: Path) -> None:
    plane = ControlPlane(tmp_path / "run", failing(tmp_path, "no such flag"))

    with pytest.raises(
        ControlPlaneFailedError, match=r"^etcd ended with 3; it said last:\nno such flag$"
    ):
        plane.start()
    plane.stop()

    assert (starts(tmp_path), (tmp_path / "run").exists()) == (1, False)


def test_tries_other_ports_when_somebody_was_quicker(tmp_path: Path) -> None:
    plane = ControlPlane(tmp_path / "run", failing(tmp_path, "bind: address already in use"))

    with pytest.raises(ControlPlaneFailedError, match="address already in use"):
        plane.start()
    plane.stop()

    assert starts(tmp_path) == ATTEMPTS


def test_finds_ports_that_differ() -> None:
    assert len(set(free_ports(10))) == 10
