"""Whom an object concerns: the resources under which it is written.

A resource concerns itself, and like everything else the resource that controls it: a RayCluster
its RayJob or RayService, a RayJob its RayCronJob. An endpoint slice is Kubernetes' own and concerns
the RayService that its labels, copied from the service, name. The serve service that one cluster of
a RayService controls concerns that RayService, too. Whatever else nobody we know controls concerns
nobody else, whatever its labels say.
"""

from collections.abc import Mapping
from types import MappingProxyType

from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import (
    Raw,
    controller_of,
    labels_of,
    name_of,
    namespace_of,
    text_at,
)
from shared.resources.labels import OF_RAYSERVICE, ORIGINATED_FROM_CRD, ORIGINATED_FROM_NAME

RESOURCES: Mapping[str, str] = MappingProxyType(
    {
        "RayCluster": "raycluster",
        "RayJob": "rayjob",
        "RayCronJob": "raycronjob",
        "RayService": "rayservice",
    }
)
"""Kinds that own others, as Kubernetes calls them, and our word for each."""

_GROUP = "ray.io"


def concerned(kind: str, raw: Raw) -> tuple[ResourceKey, ...]:
    """Return the resources that an object of this kind concerns."""
    namespace, owner = namespace_of(raw), _owner(kind, raw)
    itself = (
        (ResourceKey(kind=kind, namespace=namespace, name=name_of(raw)),)
        if kind in RESOURCES.values()
        else ()
    )
    if owner is None:
        return itself
    owners = (owner, *_behind(kind, owner, raw))
    keys = (ResourceKey(kind=word, namespace=namespace, name=name) for word, name in owners)
    return (*itself, *keys)


def _behind(kind: str, owner: tuple[str, str], raw: Raw) -> tuple[tuple[str, str], ...]:
    """Return the RayService for whose sake a cluster has a serve service.

    KubeRay does not name it there; but a cluster's name is that of its RayService and a suffix.
    """
    labels = labels_of(raw)
    if (kind, owner[0]) != ("service", "raycluster"):
        return ()
    if labels.get(ORIGINATED_FROM_CRD) != "RayService":
        return ()
    name = labels.get(OF_RAYSERVICE) or owner[1].rpartition("-")[0]
    return (("rayservice", name),) if name else ()


def _owner(kind: str, raw: Raw) -> tuple[str, str] | None:
    """Return the kind, in our word, and the name of an object's controller, if that is ours."""
    if kind == "endpointslice":
        labels = labels_of(raw)
        name = labels.get(OF_RAYSERVICE) or labels.get(ORIGINATED_FROM_NAME, "")
        return ("rayservice", name) if name else None
    owner = controller_of(raw)
    if owner is None or text_at(owner, "apiVersion").partition("/")[0] != _GROUP:
        return None
    word = RESOURCES.get(text_at(owner, "kind"))
    name = text_at(owner, "name")
    return (word, name) if word is not None and name else None
