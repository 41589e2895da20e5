"""JSON merge patch (RFC 7396): null removes, objects merge, everything else replaces.

Keeps the law that makes it safe to retry: applying a patch twice gives what applying it once gives.
Read next: strategic.py, which adds lists that merge.
"""

from collections.abc import Mapping
from typing import Any

from sandbox.errors import ApiError
from sandbox.objects import Object, copy_of, go_type


def merge_patch(current: Object, patch: object) -> Object:
    """Merge `patch` into a copy of `current`."""
    if not isinstance(patch, Mapping):
        raise ApiError.bad_request(
            f"error decoding patch: json: cannot unmarshal {go_type(patch)} into Go value of type "
            "map[string]interface {}"
        )
    return _merged(current, patch)


def _merged(current: object, patch: Mapping[str, Any]) -> Object:
    merged: Object = dict(current) if isinstance(current, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, Mapping):
            merged[name] = _merged(merged.get(name), value)
        else:
            merged[name] = copy_of(value)
    return {name: value if name in patch else copy_of(value) for name, value in merged.items()}
