"""From which phase which other may follow, as people are told; written down again, by hand.

The product walks tables of its own. Laws that read those would allow whatever a mistake there
allows, so these stand apart: a new way must be written here as well.
"""

from collections.abc import Mapping
from types import MappingProxyType

ENDED = frozenset({"Complete", "Failed"})
JOB_MOVES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "": frozenset({"Initializing", "ValidationFailed"}),
        "Initializing": frozenset(
            {"Running", "Waiting", "Suspending", "Failed", "Retrying", "ValidationFailed"}
        ),
        "Waiting": frozenset({"Running", "Failed", "Retrying", "ValidationFailed"}),
        "Running": frozenset({"Complete", "Failed", "Retrying", "Suspending", "ValidationFailed"}),
        "Suspending": frozenset({"Suspended"}),
        "Suspended": frozenset({"", "ValidationFailed"}),
        "Retrying": frozenset({""}),
        "ValidationFailed": frozenset({"", "Initializing", "Waiting", "Running"}),
        "Complete": frozenset(),
        "Failed": frozenset(),
    }
)
"""Of `jobDeploymentStatus`; an empty one is that of a RayJob that is new, or begins again."""
SERVICE_MOVES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "Beginning": frozenset({"Suspending", "GivenUp", "Serving"}),
        "Serving": frozenset({"Suspending", "Upgrading"}),
        "Upgrading": frozenset({"Suspending", "Serving", "Returning"}),
        "Returning": frozenset({"Suspending", "Serving", "Upgrading"}),
        "Suspending": frozenset({"Suspended"}),
        "Suspended": frozenset({"Beginning"}),
        "GivenUp": frozenset({"Suspending", "Beginning"}),
    }
)
"""Of what a RayService's names and conditions say together."""


def may_follow(moves: Mapping[str, frozenset[str]], before: str, after: str) -> bool:
    """Say whether one may be told after the other; the same may be told again."""
    return after == before or after in moves[before]
