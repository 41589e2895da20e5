"""The commands: `python -m tools.kuberay build|run|status`.

`run` takes the place of this process: it works on the cluster of a kubeconfig until it is stopped.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.kuberay.assets import Operator, find
from tools.kuberay.building import build
from tools.kuberay.flags import environment, words
from tools.realkube.building import BuildFailedError


def main(arguments: Sequence[str]) -> int:
    """Run one command; return its exit code."""
    options = _parser().parse_args(arguments)
    commands = {"build": _build, "run": _run, "status": _status}
    try:
        return commands[options.command](options)
    except BuildFailedError as failure:
        return _complain(str(failure))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.kuberay", description=__doc__)
    parser.add_argument("command", choices=("build", "run", "status"))
    parser.add_argument("--kubeconfig", type=Path, help="run: the cluster, and who KubeRay is")
    parser.add_argument("--watch-namespace", default="", help="run: this one only, or a,b,c")
    parser.add_argument("--proxy", default="", help="run: the way to Ray dashboards, as a URL")
    parser.add_argument("--metrics-port", type=int, default=18080, help="run: on loopback")
    parser.add_argument("--probe-port", type=int, default=18082, help="run: on loopback")
    return parser


def _build(_options: argparse.Namespace) -> int:
    found = find()
    if not isinstance(found, Operator) and not found.buildable:
        return _complain(found.because)
    print(build().program)
    return 0


def _run(options: argparse.Namespace) -> int:
    found = find()
    if not isinstance(found, Operator):
        return _complain(found.because)
    if options.kubeconfig is None or not options.kubeconfig.is_file():
        return _complain("run needs --kubeconfig, a file that exists")
    flags = words(
        metrics=options.metrics_port, probes=options.probe_port, namespace=options.watch_namespace
    )
    told = {**os.environ, **environment(str(options.kubeconfig.resolve()), options.proxy)}
    os.execve(found.program, (found.program, *flags), told)  # noqa: S606 - no shell on purpose
    raise AssertionError("execve came back")


def _status(_options: argparse.Namespace) -> int:
    found = find()
    if isinstance(found, Operator):
        print(f"KubeRay {found.version}: {found.program}")
        return 0
    return _complain(found.because)


def _complain(sentence: str) -> int:
    print(f"kuberay: {sentence}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
