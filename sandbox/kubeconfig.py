"""So that kubectl can look: a kubeconfig for one sandbox.

Invariant: the file is complete at every moment, also while it is being replaced.
"""

from pathlib import Path

import yaml

from sandbox.objects import Object

NAME = "sandbox"


def kubeconfig(url: str, *, token: str = "", name: str = NAME) -> Object:
    """Return a kubeconfig whose only context is the sandbox."""
    user: Object = {"token": token} if token else {}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": url}}],
        "users": [{"name": name, "user": user}],
        "contexts": [
            {"name": name, "context": {"cluster": name, "user": name, "namespace": "default"}}
        ],
        "current-context": name,
    }


def write_kubeconfig(path: Path, url: str, *, token: str = "", name: str = NAME) -> None:
    """Write the kubeconfig for its owner's eyes only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.draft")
    draft.touch(mode=0o600)
    draft.write_text(yaml.safe_dump(kubeconfig(url, token=token, name=name), sort_keys=False))
    draft.replace(path)
