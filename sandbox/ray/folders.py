"""Folders that a machine keeps its pods in, and what becomes of them.

Invariant: nothing is removed that something is mounted in. Mounts live in the namespaces of
containers, so outside there is nothing but empty places; this is the belt to those braces.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

PREFIX = "heliograph-pods-"
LOCK = "lock"


def open_folder(parent: Path | None = None) -> tuple[Path, int]:
    """Make a folder that is ours as long as the returned file is open; sweep what others left.

    It takes its name when it is locked, so that nobody sweeps it before.
    """
    parent = parent or Path(tempfile.gettempdir())
    for left in parent.glob(f"{PREFIX}*"):
        _sweep(left)
    draft = Path(tempfile.mkdtemp(prefix=f".{PREFIX}", dir=parent))
    held = os.open(draft / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)
    return draft.rename(draft.with_name(draft.name.removeprefix("."))), held


def remove(folder: Path) -> None:
    """Remove a folder and everything in it."""
    here = f" {folder.resolve()}/"
    mounted = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
    if here not in mounted:
        shutil.rmtree(folder, ignore_errors=True)


def write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder; whoever reads one never sees it empty in between."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, body in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        rewrite(path, body)


def rewrite(path: Path, body: bytes) -> None:
    """Replace what a file holds; the file stays the same one, so that mounts of it show it."""
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644)
    try:
        os.pwrite(handle, covering(body, os.fstat(handle).st_size), 0)
        os.ftruncate(handle, len(body))
    finally:
        os.close(handle)


def covering(body: bytes, size: int) -> bytes:
    """Lengthen a text with empty lines until it covers the one that it replaces.

    Whoever reads before the file is cut would see the rest of the longer one, from the middle of a
    line on, which in a hosts file is another address.
    """
    return body.ljust(size, b"\n")


def _sweep(left: Path) -> None:
    """Remove a folder whose owner is gone."""
    try:
        handle = os.open(left / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    else:
        remove(left)
    finally:
        os.close(handle)
