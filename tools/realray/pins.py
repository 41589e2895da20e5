"""Which Ray: one version, and everything it needs as it was tried. Pure.

Invariant: two environments that could differ have different names, so that one that is there is
never stale.
"""

import hashlib
from collections.abc import Iterable

RAY = "2.60.0"
REQUIREMENT = f"ray[default,serve]=={RAY}"
DIGITS = 12


def environment_name(parts: Iterable[str]) -> str:
    """Return a name for everything that goes into an environment."""
    digest = hashlib.sha256("\0".join((REQUIREMENT, *parts)).encode()).hexdigest()
    return f"{RAY}-{digest[:DIGITS]}"
