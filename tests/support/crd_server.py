"""Our definitions on a real API server, and KubeRay's beside them under another group.

Two definitions of one name cannot be installed at once, and the server is everybody's; so KubeRay's
get a group of their own, and `kubectl get all` does not ask for them: they come and go.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from kubernetes import client, config
from msgspec import Struct

from tests.support.realkube import RealKube

HOME = Path(__file__).resolve().parents[2]
OURS = HOME / "deploy" / "crds"
THEIRS = HOME.parent / "shared" / "data" / "kuberay-crds"
GROUP = "ray.io"
THEIR_GROUP = "kuberay.example"


class Refused(Struct, frozen=True):
    """What the API server says when it does not take an object."""

    message: str


class Api:
    """Creates and changes custom resources in one namespace, strictly."""

    def __init__(self, real_kube: RealKube, namespace: str) -> None:
        made: Any = config.new_client_from_config(  # type: ignore[no-untyped-call]  # theirs
            config_file=str(real_kube.kubeconfig)
        )
        self._objects = client.CustomObjectsApi(made)
        self._namespace = namespace

    def create(self, raw: Any, *, group: str = GROUP, dry: bool = False) -> Any:
        """Return what the server keeps of the object, or how it refuses it."""
        version = str(raw.get("apiVersion", "/v1")).rsplit("/", 1)[-1]
        body = {**raw, "apiVersion": f"{group}/{version}"}
        where = (group, version, self._namespace, f"{raw['kind'].lower()}s")
        more: dict[str, Any] = {"dry_run": "All"} if dry else {}
        try:
            return self._objects.create_namespaced_custom_object(
                *where, body, field_validation="Strict", **more
            )
        except client.ApiException as refused:
            return Refused(json.loads(str(refused.body))["message"])

    def change(self, kind: str, name: str, patch: dict[str, Any]) -> Any:
        """Return what the server keeps after a merge patch, or how it refuses it."""
        where = (GROUP, "v1", self._namespace, f"{kind.lower()}s", name)
        try:
            return self._objects.patch_namespaced_custom_object(
                *where, patch, _content_type="application/merge-patch+json"
            )
        except client.ApiException as refused:
            return Refused(json.loads(str(refused.body))["message"])

    def found(self, kind: str, name: str, *, group: str = GROUP, version: str = "v1") -> Any:
        """Return the object as it is stored."""
        where = (group, version, self._namespace, f"{kind.lower()}s", name)
        return self._objects.get_namespaced_custom_object(*where)


def install_ours(real_kube: RealKube) -> None:
    """Install our definitions, as the documentation says."""
    real_kube.told("apply", "--server-side", "--force-conflicts", "-f", str(OURS))
    real_kube.wait("--for=condition=Established", "-f", str(OURS))


def under_group(definitions: Path, group: str, folder: Path, which: str = "*") -> Path:
    """Write definitions anew, under a group that nobody else has and outside of `get all`."""
    folder.mkdir()
    for path in definitions.glob(f"{which}.yaml"):
        definition = yaml.load(path.read_bytes(), yaml.CSafeLoader)
        definition["spec"]["group"] = group
        del definition["spec"]["names"]["categories"]
        definition["metadata"]["name"] = f"{definition['spec']['names']['plural']}.{group}"
        (folder / f"{path.stem}.json").write_text(json.dumps(definition), encoding="utf-8")
    return folder


@contextmanager
def installed(real_kube: RealKube, files: Path) -> Iterator[None]:
    """Install definitions, and remove them again."""
    real_kube.told("create", "-f", str(files))
    try:
        real_kube.wait("--for=condition=Established", "-f", str(files))
        yield
    finally:
        real_kube.told("delete", "--ignore-not-found", "--wait=false", "-f", str(files))
