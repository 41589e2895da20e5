"""Whether pods can be run here: programs and namespaces, tried rather than guessed."""

import os
import shutil
import subprocess
from functools import cache

from sandbox.ray.commands import Rights, shell

NEEDED = ("unshare", "nsenter", "ip", "mount", "chroot", "hostname", "sh")
TAKES = 10.0
TRIED = "ip link add br0 type bridge && unshare --mount --uts mount --make-rprivate /"


def rights() -> Rights:
    """Say who we are."""
    return Rights(administrator=os.geteuid() == 0)


@cache
def refusal() -> str:
    """Say in one line why pods cannot be run here; empty if they can."""
    absent = [name for name in NEEDED if shutil.which(name) is None]
    if absent:
        return f"pods cannot be run here: no {', '.join(absent)} on this machine"
    words = rights().new_node(*shell(TRIED))
    try:
        tried = subprocess.run(words, capture_output=True, text=True, timeout=TAKES, check=False)  # noqa: S603 - our own words
    except subprocess.TimeoutExpired:
        return "pods cannot be run here: making a namespace takes too long"
    if tried.returncode == 0:
        return ""
    told = (tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"])[-1]
    return f"pods cannot be run here: namespaces are not permitted ({told})"
