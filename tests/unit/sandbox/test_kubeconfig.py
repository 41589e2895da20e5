"""The kubeconfig that kubectl reads."""

from pathlib import Path

import yaml

from sandbox.kubeconfig import kubeconfig, write_kubeconfig


def test_its_only_context_is_the_sandbox() -> None:
    assert kubeconfig("http://127.0.0.1:1", token="t") == {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "sandbox", "cluster": {"server": "http://127.0.0.1:1"}}],
        "users": [{"name": "sandbox", "user": {"token": "t"}}],
        "contexts": [
            {
                "name": "sandbox",
                "context": {"cluster": "sandbox", "user": "sandbox", "namespace": "default"},
            }
        ],
        "current-context": "sandbox",
    }


def test_writes_it_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "config"

    write_kubeconfig(path, "http://127.0.0.1:1")
    write_kubeconfig(path, "http://127.0.0.1:2")

    assert yaml.safe_load(path.read_text()) == kubeconfig("http://127.0.0.1:2")
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]
