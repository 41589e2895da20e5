"""Stable hashes of what people wrote.

Equal values give equal text in every process and version of Python: keys are sorted, and nothing
depends on the order in which fields arrived. `recreate_hash` is the text that a head pod carries
to say from which spec it was made; the fields it mutes are those that must not restart a running
cluster. Who compares it, and when, is told in `services.reconciler.decisions`.
"""

import base64
import hashlib
from collections.abc import Mapping

import msgspec

from shared.kernel.manifests import Raw, entries_at, mapping_at

_FIELDS_MUTED = frozenset({"suspend", "upgradeStrategy"})
_GROUP_FIELDS_MUTED = frozenset({"replicas", "minReplicas", "maxReplicas"})
_POD_FIELDS_MUTED = frozenset({"tolerations", "schedulingGates"})


def canonical_json(value: object) -> bytes:
    """Write JSON in which equal values have equal bytes."""
    return msgspec.json.encode(value, order="sorted", enc_hook=_plain)


def digest(value: object) -> str:
    """Hash any JSON value: 64 hexadecimal characters."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def recreate_hash(spec: Raw) -> str:
    """Hash a RayCluster spec without what may change while pods live on.

    The text has the alphabet and length of KubeRay's, not its value: pods stamped by another
    version are recognised by the version stamped beside it.
    """
    muted = {**_without(spec, _FIELDS_MUTED)}
    muted["headGroupSpec"] = _group_muted(mapping_at(spec, "headGroupSpec"))
    muted["workerGroupSpecs"] = [
        _group_muted(group) for group in entries_at(spec, "workerGroupSpecs")
    ]
    digested = hashlib.sha1(canonical_json(muted), usedforsecurity=False).digest()
    return base64.b32hexencode(digested).decode()


def _group_muted(group: Raw) -> Raw:
    kept = {key: value for key, value in group.items() if key not in _GROUP_FIELDS_MUTED}
    kept["rayStartParams"] = mapping_at(group, "rayStartParams")
    kept["template"] = _template_muted(mapping_at(group, "template"))
    strategy = _without(mapping_at(group, "scaleStrategy"), frozenset({"workersToDelete"}))
    return kept | {"scaleStrategy": strategy}


def _template_muted(template: Raw) -> Raw:
    return {**template, "spec": _without(mapping_at(template, "spec"), _POD_FIELDS_MUTED)}


def _without(raw: Raw, keys: frozenset[str]) -> Raw:
    return {key: value for key, value in raw.items() if key not in keys}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not a JSON value")
