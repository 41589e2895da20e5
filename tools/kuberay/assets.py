"""Where the operator is: in our cache, under a name that says what it was built from.

Invariant: `go/go.mod` alone names the version, and two builds that could differ have different
names. What is in the cache is whole: `building.py` sees to it.
"""

import os
import platform
import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec

from tools.realkube.assets import Missing
from tools.realkube.pins import build_name, pinned

MODULE = "github.com/ray-project/kuberay/ray-operator"
PROGRAM = "kuberay-operator"
SOURCES = Path(__file__).resolve().parent / "go"
BUILD_COMMAND = "python -m tools.kuberay build"
LINKED = ("-s", "-w")


class Operator(msgspec.Struct, frozen=True, kw_only=True):
    """An operator that can be started, and which one it is."""

    program: str
    version: str


def find(environment: Mapping[str, str] = os.environ) -> Operator | Missing:
    """Look for the operator; nothing is built here."""
    program = cache_folder(environment) / PROGRAM
    if os.access(program, os.X_OK):
        return Operator(program=str(program), version=version())
    if shutil.which("go", path=environment.get("PATH")):
        because = f"KubeRay {version()} not built yet: `{BUILD_COMMAND}` does it once"
        return Missing(because=because, buildable=True)
    return Missing(because=f"no KubeRay {version()}: no Go to build it with", buildable=False)


def version() -> str:
    """Return the version of KubeRay that is pinned."""
    return pinned((SOURCES / "go.mod").read_text(encoding="utf-8"), MODULE)


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where the operator of today's pins is kept, built or not."""
    sums = [(SOURCES / name).read_text(encoding="utf-8") for name in ("go.mod", "go.sum")]
    parts = (*sums, *LINKED, platform.system(), platform.machine())
    home = environment.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "heliograph" / "kuberay" / build_name(version(), parts)
