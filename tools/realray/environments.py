"""Where the environment with Ray is: in our cache, named for what is in it.

What carries the mark is whole: `building.py` sees to it.
"""

import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from tools.realray.pins import RAY, environment_name

CONSTRAINTS = Path(__file__).resolve().parent / "constraints.txt"
BUILD_COMMAND = "python -m tools.realray build"
WHOLE = ".whole"


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """A Python environment in which `ray` can be run."""

    folder: Path

    @property
    def ray(self) -> Path:
        """The command."""
        return self.folder / "bin" / "ray"


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing to run, and why."""

    because: str


def find(environment: Mapping[str, str] = os.environ) -> Environment | Missing:
    """Look for it; nothing is made here."""
    folder = cache_folder(environment)
    if (folder / WHOLE).exists():
        return Environment(folder=folder)
    return Missing(because=f"Ray {RAY} is not installed yet: `{BUILD_COMMAND}` does it once")


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where the environment of today's pins is kept, made or not."""
    pins = CONSTRAINTS.read_text(encoding="utf-8")
    parts = (pins, platform.python_version(), sys.base_prefix, platform.machine())
    home = environment.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "heliograph" / "realray" / environment_name(parts)
