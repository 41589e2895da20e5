"""RayClusters for tests: a small valid one, changed where a test says so.

`cluster(**spec)` spells fields as users do; a group or container is built beside it.
"""

from collections.abc import Mapping
from typing import cast

from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.features import Features
from shared.kernel.manifests import entries_at, named
from shared.resources.raycluster import RayCluster
from shared.resources.reading import read_raycluster
from shared.validation.raycluster import validate

SETTINGS = ManifestSettings(version="v0.0.0")
UID = "0b5c1f0e-0000-4000-8000-000000000001"
HOST = "demo-head-svc.lab.svc.cluster.local"


def container(name: str = "ray", /, **fields: object) -> dict[str, object]:
    """Return a container with an image and the given fields."""
    return {"name": name, "image": "ray:2", **fields}


def template(*containers: Mapping[str, object], **spec: object) -> dict[str, object]:
    """Return a pod template of these containers, or of a plain one."""
    return {"spec": {"containers": list(containers) or [container()], **spec}}


def head(**fields: object) -> dict[str, object]:
    """Return a head group."""
    return {"template": template(), **fields}


def workers(name: str = "small", /, **fields: object) -> dict[str, object]:
    """Return a worker group of one."""
    bounds = {"replicas": 1, "minReplicas": 0, "maxReplicas": 3}
    return {"groupName": name, "template": template(), **bounds, **fields}


def cluster(
    *,
    name: str = "demo",
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    **spec: object,
) -> RayCluster:
    """Return a RayCluster; valid unless the fields make it otherwise."""
    metadata: dict[str, object] = {"name": name, "namespace": "lab", "uid": UID}
    metadata |= {"labels": labels or {}, "annotations": annotations or {}}
    given = {"headGroupSpec": head(), "workerGroupSpecs": [workers()], **spec}
    read = read_raycluster({"metadata": metadata, "spec": given})
    assert isinstance(read, RayCluster), read
    return read


def variables(pod: Mapping[str, object], *path: str | int) -> dict[str, object]:
    """Return the environment of a pod's container: value or source by name, the last one wins."""
    where = path or ("spec", "containers", 0)
    entries = entries_at(pod, *where, "env")
    return {str(entry["name"]): entry.get("value", entry.get("valueFrom")) for entry in entries}


def container_named(
    pod: Mapping[str, object], name: str, *, init: bool = False
) -> dict[str, object]:
    """Return the pod's container of that name."""
    kind = "initContainers" if init else "containers"
    found = named(entries_at(pod, "spec", kind), name)
    assert found is not None, f"no container {name}"
    return cast("dict[str, object]", found)


def problems_of(wanted: RayCluster, features: Features | None = None) -> list[tuple[str, str]]:
    """Return path and message of everything that is wrong, in order."""
    problems = validate(wanted, features or Features())
    return [(problem.path, problem.message) for problem in problems]
