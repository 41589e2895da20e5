"""Versions of Ray, as users write them.

Read leniently: an optional leading `v`, two or more numbers, trailing text ignored, so that a
release candidate counts as its release.
"""

import re
from typing import NamedTuple

_WRITTEN = re.compile(r"v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?")


class RayVersion(NamedTuple):
    """A version that can be compared."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


HTTP_PROBES = RayVersion(2, 53)
TOKEN_AUTH = RayVersion(2, 52)
KUBERNETES_TOKEN_AUTH = RayVersion(2, 55)
GROUP_PRIORITY = RayVersion(2, 56)


def parse_ray_version(text: str) -> RayVersion | None:
    """Read a version; None if the text holds none at its start."""
    match = _WRITTEN.match(text)
    if match is None:
        return None
    return RayVersion(int(match[1]), int(match[2]), int(match[3] or 0))


def at_least(text: str | None, lowest: RayVersion) -> bool:
    """Whether the text is a version that is not older."""
    version = parse_ray_version(text or "")
    return version is not None and version >= lowest
