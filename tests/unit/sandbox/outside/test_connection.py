"""A kubeconfig is read as its writers mean it."""

import base64
from pathlib import Path
from typing import Any

import yaml

from sandbox.kubeconfig import write_kubeconfig
from sandbox.outside.connection import Access, read_kubeconfig


def written(folder: Path, cluster: dict[str, Any], user: dict[str, Any]) -> Path:
    path = folder / "kubeconfig"
    other = {"name": "other", "cluster": {"server": "https://other"}}
    document = {
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "one", "user": "me"}}],
        "clusters": [other, {"name": "one", "cluster": cluster}],
        "users": [{"name": "me", "user": user}],
    }
    path.write_text(yaml.safe_dump(document))
    return path


def encoded(text: bytes) -> str:
    return base64.b64encode(text).decode()


def test_reads_what_the_sandbox_writes(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    write_kubeconfig(path, "http://127.0.0.1:1", token="t")

    assert read_kubeconfig(path) == Access(url="http://127.0.0.1:1", token="t")


def test_reads_certificates_in_the_file(tmp_path: Path) -> None:
    cluster = {"server": "https://one", "certificate-authority-data": encoded(b"ca")}
    user = {"client-certificate-data": encoded(b"crt"), "client-key-data": encoded(b"key")}

    assert read_kubeconfig(written(tmp_path, cluster, user)) == Access(
        url="https://one", authority=b"ca", certificate=b"crt", key=b"key"
    )


def test_reads_certificates_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_bytes(b"ca")
    cluster = {"server": "https://one", "certificate-authority": "ca.crt"}

    assert read_kubeconfig(written(tmp_path, cluster, {})) == Access(
        url="https://one", authority=b"ca"
    )
