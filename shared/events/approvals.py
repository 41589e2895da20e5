"""What people approved: more deletions than the budget allows, somewhere, for a while.

Written by `heliograph approve`, so that who allowed what, and why, is in the log like all else.
"""

from msgspec import Struct

from shared.kernel.keys import ResourceKey

FLEET = "fleet"
HELD = "held back: "
"""What a refusal begins with that people can lift by an approval."""


class Approved(Struct, frozen=True, kw_only=True, tag="approved", omit_defaults=True):
    """For so many seconds from its record on nothing is held back in this scope."""

    scope: str
    seconds: int
    by: str = ""
    because: str = ""


def namespace_scope(namespace: str) -> str:
    """Return the scope of everything in a namespace."""
    return f"namespace/{namespace}"


def resource_scope(key: ResourceKey) -> str:
    """Return the scope of one resource."""
    return str(key)
