"""Our custom resource definitions, thinned for tests that make a new Kubernetes every moment.

What stands inside them of Kubernetes' own (pod templates, services) is left open instead of spelled
out, and what is said for people is left out: nothing of ours depends on it, and taking the whole
definition in takes a third of a second.
"""

from collections.abc import Mapping
from functools import cache

from shared.resources.crd import definitions

OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
FOREIGN = frozenset({"template", "submitterPodTemplate", "headService", "serveService"})
LISTS = frozenset({"env", "envFrom", "volumeMounts"})


@cache
def thin_definitions() -> tuple[dict[str, object], ...]:
    """Return all of ours, thinned."""
    return tuple(
        {key: _thinned(value) for key, value in definition.items()} for definition in definitions()
    )


def _thinned(node: object) -> object:
    if isinstance(node, list):
        return [_thinned(entry) for entry in node]
    if not isinstance(node, Mapping):
        return node
    return {key: _field(key, value) for key, value in node.items() if not _is_prose(key, value)}


def _is_prose(name: str, node: object) -> bool:
    return name == "description" and isinstance(node, str)


def _field(name: str, node: object) -> object:
    if isinstance(node, Mapping) and node.get("type") == "object" and name in FOREIGN:
        return OPEN
    if isinstance(node, Mapping) and node.get("type") == "array" and name in LISTS:
        return {**node, "items": {**OPEN, **_keys(node)}}
    return _thinned(node)


def _keys(node: Mapping[str, object]) -> dict[str, object]:
    """Return what the items of a keyed list must still have: their keys."""
    keys = node.get("x-kubernetes-list-map-keys")
    if not isinstance(keys, list):
        return {}
    return {"properties": {str(key): {"type": "string"} for key in keys}, "required": list(keys)}
