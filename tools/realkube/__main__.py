"""The commands: `python -m tools.realkube build|up|down|kubeconfig|status`.

An instance is a folder; without `--folder` it is one per user in the temporary folder.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.realkube.assets import Assets, find
from tools.realkube.building import BuildFailedError, build
from tools.realkube.certificates import CertificatesFailedError
from tools.realkube.controlplane import ControlPlaneFailedError
from tools.realkube.instances import Instance, Record, default_folder
from tools.realkube.keeping import keep

FAILURES = (BuildFailedError, CertificatesFailedError, ControlPlaneFailedError, PermissionError)


def main(arguments: Sequence[str]) -> int:
    """Run one command; return its exit code."""
    options = _parser().parse_args(arguments)
    commands = {
        "build": _build,
        "up": _up,
        "down": _down,
        "kubeconfig": _kubeconfig,
        "status": _status,
    }
    try:
        return commands[options.command](options)
    except FAILURES as failure:
        return _complain(str(failure))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.realkube", description=__doc__)
    parser.add_argument("command", choices=("build", "up", "down", "kubeconfig", "status"))
    parser.add_argument(
        "--folder", type=Path, default=default_folder(), help="where it runs: one per folder"
    )
    parser.add_argument("--background", action="store_true", help="up: return once it can be used")
    parser.add_argument(
        "--for-users", action="store_true", help="up: end when the last user has left (for tests)"
    )
    return parser


def _build(_options: argparse.Namespace) -> int:
    found = find()
    print(*(found if isinstance(found, Assets) else build()).programs.values(), sep="\n")
    return 0


def _up(options: argparse.Namespace) -> int:
    found = find()
    if not isinstance(found, Assets):
        if not found.buildable:
            return _complain(found.because)
        found = build()
    if options.background:
        return _up_in_background(options)
    instance = Instance(options.folder.resolve())
    keep(instance, found, for_users=options.for_users, told=_tell)
    return 0


def _up_in_background(options: argparse.Namespace) -> int:
    """Start a keeper and wait for its first line: where the kubeconfig is, its own or another's."""
    folder = Instance(options.folder.resolve()).folder
    more = ("--for-users",) if options.for_users else ()
    with (folder / "keeper.log").open("ab+") as log:
        log.seek(0, os.SEEK_END)
        before = log.tell()
        keeper = subprocess.Popen(
            (sys.executable, "-m", "tools.realkube", "up", "--folder", str(folder), *more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        )
        told = keeper.stdout.readline().decode().strip() if keeper.stdout else ""
        if not told:
            log.seek(before)
            return _complain(log.read().decode(errors="replace"))
    print(told)
    return 0


def _down(options: argparse.Namespace) -> int:
    instance = Instance(options.folder.resolve())
    with instance.alone():
        ended = instance.end()
    print("ended" if ended else "nothing was running")
    return 0


def _kubeconfig(options: argparse.Namespace) -> int:
    record = Instance(options.folder.resolve()).running()
    if record is None:
        return _complain("nothing is running: `python -m tools.realkube up` starts it")
    print(record.kubeconfig)
    return 0


def _status(options: argparse.Namespace) -> int:
    found = find()
    told = found.programs if isinstance(found, Assets) else {"missing": found.because}
    for name, what in told.items():
        print(f"{name}: {what}")
    record = Instance(options.folder.resolve()).running()
    print(f"running: Kubernetes {record.version} at {record.url}" if record else "running: nothing")
    return 0 if isinstance(found, Assets) else 1


def _tell(record: Record) -> None:
    print(record.kubeconfig, flush=True)


def _complain(sentence: str) -> int:
    print(f"realkube: {sentence}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
