"""Builds the operator once from its Go module, into a cache outside the checkout.

Invariant: a folder in the cache is whole, as with `tools/realkube/building.py`, whose ways these
are. There is no Go code of ours: `go/go.mod` names the operator as a tool.
"""

import sys

from tools.kuberay.assets import LINKED, MODULE, PROGRAM, SOURCES, Operator, cache_folder, version
from tools.realkube.building import drafted, go
from tools.realkube.locks import alone
from tools.realkube.progress import Progress


def build() -> Operator:
    """Build the operator, unless it is in the cache."""
    goal = cache_folder()
    with alone(goal.with_name(f"{goal.name}.lock"), waiting=_tell_waiting):
        if not goal.is_dir():
            with drafted(goal) as draft:
                _link(str(draft / PROGRAM))
    return Operator(program=str(goal / PROGRAM), version=version())


def _link(program: str) -> None:
    print(f"Building KubeRay {version()}: some minutes on two cores, once.", file=sys.stderr)
    fetched = Progress("modules fetched")
    packages = go(SOURCES, "list", "-deps", MODULE, line=lambda _: fetched.advance())
    fetched.finish()
    built = Progress("packages built", total=len(packages))
    flags = ("-trimpath", "-buildvcs=false", "-ldflags", " ".join(LINKED))
    go(SOURCES, "build", "-v", *flags, "-o", program, MODULE, line=lambda _: built.advance())
    built.finish()


def _tell_waiting() -> None:
    print("Another build is under way; waiting for it.", file=sys.stderr)
