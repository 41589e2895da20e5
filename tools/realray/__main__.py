"""The commands: `python -m tools.realray build|path|status`.

`build` makes a Python environment with Ray, once, outside the checkout; `path` prints where it is,
for `python -m sandbox --ray "$(python -m tools.realray path)"`.
"""

import argparse
import sys
from collections.abc import Sequence

from sandbox.ray.permission import refusal
from tools.realray.building import BuildFailedError, build
from tools.realray.environments import Environment, find


def main(arguments: Sequence[str]) -> int:
    """Run one command; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.realray", description=__doc__)
    parser.add_argument("command", choices=("build", "path", "status"))
    command = parser.parse_args(arguments).command
    try:
        return {"build": _build, "path": _path, "status": _status}[command]()
    except BuildFailedError as failure:
        return _complain(str(failure))


def _build() -> int:
    found = find()
    print((found if isinstance(found, Environment) else build()).folder)
    return 0


def _path() -> int:
    found = find()
    if not isinstance(found, Environment):
        return _complain(found.because)
    print(found.folder)
    return 0


def _status() -> int:
    found = find()
    print(f"ray: {found.ray if isinstance(found, Environment) else found.because}")
    print(f"namespaces: {refusal() or 'permitted'}")
    return 0 if isinstance(found, Environment) and not refusal() else 1


def _complain(sentence: str) -> int:
    print(f"realray: {sentence}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
