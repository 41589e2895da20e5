"""What of the file system a container sees, as a list of mounts and the script that makes them.

Pure. A container's root is a folder of its own: programs and libraries of the machine are there
read only, `/tmp` and `/home` are its own and empty, volumes are where its spec wants them. Nothing
it writes elsewhere reaches the machine. Read next: container.py, which runs the script.
"""

import shlex
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from sandbox.ray.environment import HOME

PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/etc")
OWN = ("/tmp", HOME, "/run", "/var/tmp", "/var/log", "/mnt", "/srv")  # noqa: S108
DEVICES = ("/dev", "/sys")
EVERYBODYS = tuple(path for path in OWN if path.endswith("tmp"))
Kind: TypeAlias = Literal["folder", "file", "memory"]


class Mount(Struct, frozen=True, kw_only=True):
    """Something that appears at a path of the container; `source` is a path of the machine."""

    target: str
    source: str = ""
    kind: Kind = "folder"
    read_only: bool = False


def system(present: Iterable[str], environments: Iterable[str]) -> list[Mount]:
    """Return what every container sees: those programs that are there, and these environments."""
    return [Mount(target=path, source=path, read_only=True) for path in (*present, *environments)]


def names(hosts: str, resolver: str) -> list[Mount]:
    """Return the files that names are looked up in."""
    return [
        Mount(target="/etc/hosts", source=hosts, kind="file"),
        Mount(target="/etc/resolv.conf", source=resolver, kind="file", read_only=True),
    ]


def script(root: str, pid_file: str, hostname: str, mounts: Sequence[Mount]) -> str:
    """Write what makes the root and then becomes the container's program (its arguments).

    Of the mounts a shorter path comes first, so that nothing hides what is below it. When all is
    made the process tells its own number as the machine counts, which only it can know.
    """
    lines = [
        f"hostname {shlex.quote(hostname)}",
        "mount --make-rprivate /",
        *(f"mkdir -p {shlex.quote(root + path)}" for path in OWN),
        *(f"chmod 1777 {shlex.quote(root + path)}" for path in EVERYBODYS),
    ]
    ordered = sorted(mounts, key=lambda mount: (mount.target.count("/"), mount.target))
    for path in DEVICES:
        place = shlex.quote(root + path)
        lines += [f"mkdir -p {place}", f"mount --rbind {path} {place}"]
    lines.append(f"mount -o remount,bind,ro {shlex.quote(root)}/sys || true")
    for mount in ordered:
        lines += _mounted(root, mount)
    lines.append(f"mkdir -p {shlex.quote(root)}/proc")
    lines.append(f"mount -t proc proc {shlex.quote(root)}/proc")
    lines.append(f"read -r pid rest < /proc/self/stat; echo $pid > {shlex.quote(pid_file)}")
    lines.append(f'folder=$1; shift; exec chroot {shlex.quote(root)} env --chdir="$folder" "$@"')
    return "\n".join(lines)


def _mounted(root: str, mount: Mount) -> list[str]:
    place = shlex.quote(root + mount.target)
    if mount.kind == "memory":
        return [f"mkdir -p {place}", f"mount -t tmpfs tmpfs {place}"]
    source = shlex.quote(mount.source)
    made = f"mkdir -p {place}"
    if mount.kind == "file":
        made = f"mkdir -p $(dirname {place}); test -e {place} || : > {place}"
    lines = [made, f"mount --bind {source} {place}"]
    return [*lines, f"mount -o remount,bind,ro {place}"] if mount.read_only else lines
