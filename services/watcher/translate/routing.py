"""Whom an object concerns: the resources under which it is written.

A resource concerns itself. Everything else concerns the resource that controls it. An object
nobody we know controls concerns nobody, whatever its labels say.
"""

from collections.abc import Mapping
from types import MappingProxyType

from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import Raw, controller_of, name_of, namespace_of, text_at

RESOURCES: Mapping[str, str] = MappingProxyType({"RayCluster": "raycluster"})
"""Kinds that own others, as Kubernetes calls them, and our word for each."""

_GROUP = "ray.io"


def concerned(kind: str, raw: Raw) -> tuple[ResourceKey, ...]:
    """Return the resources that an object of this kind concerns."""
    namespace = namespace_of(raw)
    if kind in RESOURCES.values():
        return (ResourceKey(kind=kind, namespace=namespace, name=name_of(raw)),)
    owner = controller_of(raw)
    if owner is None or text_at(owner, "apiVersion").partition("/")[0] != _GROUP:
        return ()
    word = RESOURCES.get(text_at(owner, "kind"))
    if word is None or not text_at(owner, "name"):
        return ()
    return (ResourceKey(kind=word, namespace=namespace, name=text_at(owner, "name")),)
