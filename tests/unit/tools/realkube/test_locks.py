"""Whoever holds a lock is alone, in other processes too."""

import subprocess
import sys
from pathlib import Path

from tools.realkube.locks import alone

OTHER = """
import pathlib, sys
from tools.realkube.locks import alone
with alone(pathlib.Path(sys.argv[1]), waiting=lambda: print("waiting", flush=True)):
    print("alone", flush=True)
"""


def other(lock: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        (sys.executable, "-c", OTHER, str(lock)), stdout=subprocess.PIPE, text=True
    )


def test_another_process_waits_and_says_so(tmp_path: Path) -> None:
    lock = tmp_path / "new" / "lock"

    with alone(lock):
        process = other(lock)
        assert process.stdout is not None
        first = process.stdout.readline()

    assert (first, process.communicate(timeout=30)[0]) == ("waiting\n", "alone\n")


def test_a_free_lock_is_taken_at_once(tmp_path: Path) -> None:
    with alone(tmp_path / "lock"):
        pass

    assert other(tmp_path / "lock").communicate(timeout=30)[0] == "alone\n"
