"""A kubeconfig that holds everything a client needs, so that the file can be copied anywhere."""

import base64
from pathlib import Path

import yaml

from tools.realkube.certificates import Certificates

NAME = "realkube"


def kubeconfig(url: str, certificates: Certificates, user: str) -> dict[str, object]:
    """Return a kubeconfig whose only context is the control plane, as one of its clients."""
    cluster = {"server": url, "certificate-authority-data": _encoded(certificates.authority)}
    credentials = {
        "client-certificate-data": _encoded(certificates.certificate(user)),
        "client-key-data": _encoded(certificates.key(user)),
    }
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": NAME, "cluster": cluster}],
        "users": [{"name": user, "user": credentials}],
        "contexts": [
            {"name": NAME, "context": {"cluster": NAME, "user": user, "namespace": "default"}}
        ],
        "current-context": NAME,
    }


def write_kubeconfig(path: Path, url: str, certificates: Certificates, user: str) -> None:
    """Write it for its owner's eyes only."""
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(kubeconfig(url, certificates, user), sort_keys=False))


def _encoded(path: str) -> str:
    return base64.b64encode(Path(path).read_bytes()).decode()
