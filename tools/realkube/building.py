"""Builds the programs once from their Go modules, into a cache outside the checkout.

Invariant: a folder in the cache is whole. Programs are linked into a draft beside it, which takes
its name when all are there; a lock keeps two builds from doing the same work at once. Read next:
`assets.py`, which finds what was built.
"""

import os
import shutil
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from tools.realkube.assets import SOURCES, Assets, cache_folder
from tools.realkube.locks import alone
from tools.realkube.pins import KUBERNETES, PROGRAMS, link_flags, pinned
from tools.realkube.progress import Progress

REMEMBERED = 20


class BuildFailedError(RuntimeError):
    """Go could not build it; the message ends with what Go said last."""


def build() -> Assets:
    """Build what is not in the cache yet."""
    goal = cache_folder()
    with alone(goal.with_name(f"{goal.name}.lock"), waiting=_tell_waiting):
        if not goal.is_dir():
            with drafted(goal) as draft:
                _build_into(draft)
    return Assets(programs={name: str(goal / name) for name in PROGRAMS})


@contextmanager
def drafted(goal: Path) -> Iterator[Path]:
    """Give a folder beside the goal that takes its name when the block ends well."""
    draft = goal.with_name(f"{goal.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        yield draft
        draft.rename(goal)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _build_into(folder: Path) -> None:
    version = pinned((SOURCES / "go.mod").read_text(encoding="utf-8"), KUBERNETES)
    print(f"Building Kubernetes {version}: about ten minutes on two cores, once.", file=sys.stderr)
    fetched = Progress("modules fetched")
    packages = go(SOURCES, "list", "-deps", *PROGRAMS.values(), line=lambda _: fetched.advance())
    fetched.finish()
    built = Progress("packages built", total=len(packages))
    flags = ("-trimpath", "-buildvcs=false", "-ldflags", link_flags(version))
    for name, package in PROGRAMS.items():
        target = ("-o", str(folder / name), package)
        go(SOURCES, "build", "-v", *flags, *target, line=lambda _: built.advance())
    built.finish()


def go(sources: Path, *arguments: str, line: Callable[[str], None]) -> Sequence[str]:
    """Run Go in a module, hand over each line of its standard error, return the output's."""
    environment = {**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"}
    last: deque[str] = deque(maxlen=REMEMBERED)
    with (
        TemporaryFile("w+") as output,
        subprocess.Popen(
            ("go", *arguments),
            cwd=sources,
            env=environment,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        for said in process.stderr or ():
            last.append(said)
            line(said)
        failed = process.wait() != 0
        output.seek(0)
        lines = output.read().splitlines()
    if failed:
        raise BuildFailedError(f"go {arguments[0]} failed:\n{''.join(last)}")
    return lines


def _tell_waiting() -> None:
    print("Another build is under way; waiting for it.", file=sys.stderr)
