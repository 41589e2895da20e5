"""From a URL's path to what it names.

Pure. `/api/v1/...` is the core group, `/apis/<group>/<version>/...` any other. Below that stand a
plural, perhaps in a namespace, perhaps a name, perhaps a subresource; a namespace itself is the one
case where `namespaces/x` names an object instead of a place.
"""

from collections.abc import Sequence

from msgspec import Struct

from sandbox.errors import ApiError

NAMESPACE_SUBRESOURCES = frozenset(("status", "finalize"))


class Target(Struct, frozen=True, kw_only=True):
    """What a path names."""

    group: str
    version: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""


def target(group: str, version: str, rest: str) -> Target:
    """Read the part of a path after group and version; raises `ApiError` if it names nothing."""
    parts = [part for part in rest.split("/") if part]
    namespace = ""
    if _in_namespace(parts):
        namespace, parts = parts[1], parts[2:]
    if not 1 <= len(parts) <= 3:  # noqa: PLR2004 - plural, name, subresource
        raise ApiError.unknown_resource()
    plural, name, subresource = (*parts, "", "")[:3]
    return Target(
        group=group,
        version=version,
        plural=plural,
        namespace=namespace,
        name=name,
        subresource=subresource,
    )


def _in_namespace(parts: Sequence[str]) -> bool:
    if len(parts) < 3 or parts[0] != "namespaces":  # noqa: PLR2004 - namespaces, name, plural
        return False
    return len(parts) > 3 or parts[2] not in NAMESPACE_SUBRESOURCES  # noqa: PLR2004 - likewise
