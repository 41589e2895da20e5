"""Where the programs are: each in `KUBEBUILDER_ASSETS` if it is there, else in our cache.

A folder that others fill for `KUBEBUILDER_ASSETS` often has no kube-controller-manager: then only
that one is ours. What is in the cache is whole: `building.py` sees to it.
"""

import os
import platform
import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec

from tools.realkube.pins import KUBERNETES, PROGRAMS, build_name, link_flags, pinned

GIVEN = "KUBEBUILDER_ASSETS"
SOURCES = Path(__file__).resolve().parent / "go"
BUILD_COMMAND = "python -m tools.realkube build"


class Assets(msgspec.Struct, frozen=True, kw_only=True):
    """Programs that can be started, by name."""

    programs: Mapping[str, str]


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing to start: why, and whether building helps."""

    because: str
    buildable: bool


def find(environment: Mapping[str, str] = os.environ) -> Assets | Missing:
    """Look for the programs; nothing is built here."""
    given = environment.get(GIVEN)
    folders = [*([Path(given)] if given else []), cache_folder(environment)]
    places = {name: _first(name, folders) for name in PROGRAMS}
    found = {name: place for name, place in places.items() if place is not None}
    absent = [name for name in PROGRAMS if name not in found]
    if not absent:
        return Assets(programs=found)
    if shutil.which("go", path=environment.get("PATH")):
        because = f"{', '.join(absent)} not built yet: `{BUILD_COMMAND}` does it once"
        return Missing(because=because, buildable=True)
    because = f"no {', '.join(absent)}: no Go to build it with, and not in {GIVEN}"
    return Missing(because=because, buildable=False)


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where the programs of today's pins are kept, built or not."""
    go_mod = (SOURCES / "go.mod").read_text(encoding="utf-8")
    go_sum = (SOURCES / "go.sum").read_text(encoding="utf-8")
    version = pinned(go_mod, KUBERNETES)
    parts = (go_mod, go_sum, link_flags(version), platform.system(), platform.machine())
    home = environment.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "heliograph" / "realkube" / build_name(version, parts)


def _first(name: str, folders: list[Path]) -> str | None:
    places = (folder / name for folder in folders)
    return next((str(place) for place in places if os.access(place, os.X_OK)), None)
