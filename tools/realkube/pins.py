"""Which versions: read from `go/go.mod`, the one place that names them. Pure.

Invariant: two builds that could differ have different names, so that a cached one is never stale.
"""

import hashlib
import re
from collections.abc import Iterable

KUBERNETES = "k8s.io/kubernetes"
ETCD = "go.etcd.io/etcd/server/v3"
PROGRAMS = {
    "etcd": ETCD,
    "kube-apiserver": f"{KUBERNETES}/cmd/kube-apiserver",
    "kube-controller-manager": f"{KUBERNETES}/cmd/kube-controller-manager",
}
STAMPED = ("k8s.io/client-go/pkg/version", "k8s.io/component-base/version")
DIGITS = 12


def pinned(go_mod: str, module: str) -> str:
    """Return the version a go.mod requires of a module, without its `v`."""
    found = re.search(rf"^(?:require)?\s+{re.escape(module)} v(\S+)", go_mod, re.MULTILINE)
    if found is None:
        raise ValueError(f"go.mod requires no {module}")
    return found.group(1)


def link_flags(version: str) -> str:
    """Return what the linker is told, so that `kubectl version` shows the truth."""
    major, minor, _ = version.split(".", 2)
    stamps = {
        "gitVersion": f"v{version}",
        "gitMajor": major,
        "gitMinor": minor,
        "gitTreeState": "clean",
    }
    words = [
        f"-X {package}.{name}={value}" for package in STAMPED for name, value in stamps.items()
    ]
    return " ".join(("-s", "-w", *words))


def build_name(version: str, parts: Iterable[str]) -> str:
    """Return a name for everything that goes into a build."""
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{version}-{digest[:DIGITS]}"
