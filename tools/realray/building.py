"""Makes the environment once: a venv of this Python, and Ray from the package index.

Invariant: a folder that carries the mark is whole. A venv knows its own place, so it is made where
it stays and marked last; what a broken attempt left is removed first. A lock keeps two from doing
the same work at once. Read next: `environments.py`, which finds what was made.
"""

import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from pathlib import Path

from tools.realkube.locks import alone
from tools.realkube.progress import Progress
from tools.realray.environments import CONSTRAINTS, WHOLE, Environment, cache_folder
from tools.realray.pins import RAY, REQUIREMENT

REMEMBERED = 20


class BuildFailedError(RuntimeError):
    """It could not be installed; the message ends with what pip said last."""


def build() -> Environment:
    """Make it unless it is there."""
    goal = cache_folder()
    with alone(goal.with_name(f"{goal.name}.lock"), waiting=_tell_waiting):
        if not (goal / WHOLE).exists():
            shutil.rmtree(goal, ignore_errors=True)
            _build_into(goal)
            (goal / WHOLE).touch()
    return Environment(folder=goal)


def _build_into(folder: Path) -> None:
    print(f"Installing Ray {RAY}: 500 MB, a few minutes, once.", file=sys.stderr)
    venv.create(folder, with_pip=True)
    words = ("-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar")
    pins = ("off", "--only-binary", ":all:", "--constraint", str(CONSTRAINTS))
    python = str(folder / "bin" / "python")
    with subprocess.Popen(
        (python, *words, *pins, REQUIREMENT),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        last = _follow(process.stdout or ())
    if process.returncode != 0:
        shutil.rmtree(folder, ignore_errors=True)
        raise BuildFailedError(f"pip failed:\n{''.join(last)}")


def _follow(lines: Iterable[str]) -> list[str]:
    """Count what pip collects; return its last words."""
    collected = Progress("packages collected")
    said: list[str] = []
    for line in lines:
        said = [*said[-REMEMBERED:], line]
        if line.startswith("Collecting "):
            collected.advance()
    collected.finish()
    return said


def _tell_waiting() -> None:
    print("Somebody else is installing it; waiting.", file=sys.stderr)
