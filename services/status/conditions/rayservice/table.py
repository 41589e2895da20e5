"""The states of a RayService and the ways from one to another: who serves, and what is under way.

A state is read off a status, never kept: names and conditions say it. Every status that is written
stays in its state or takes a way of this table; each state has a way out. The diagram in the
documentation is generated from it.
"""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from services.status.conditions.rayservice.suspension import READY, ROLLING_BACK
from services.status.conditions.rayservice.telling import TIMED_OUT
from services.status.conditions.transitions import conditions_of, holds
from shared.aggregates.phases import SERVICE_SUSPENDED as SUSPENDED
from shared.aggregates.phases import SERVICE_SUSPENDING as SUSPENDING
from shared.aggregates.rayservice import ACTIVE, PENDING
from shared.kernel.manifests import text_at

BEGINNING, SERVING, UPGRADING, RETURNING = "Beginning", "Serving", "Upgrading", "Returning"
GIVEN_UP = "GivenUp"


class Way(Struct, frozen=True, kw_only=True):
    """One way out of a state, and when it is taken."""

    to: str
    when: str


_SUSPEND = Way(to=SUSPENDING, when="spec.suspend")
TABLE: Mapping[str, tuple[Way, ...]] = MappingProxyType(
    {
        BEGINNING: (
            _SUSPEND,
            Way(to=GIVEN_UP, when="it was not ready within ray.io/initializing-timeout"),
            Way(to=SERVING, when="both services lead to its first cluster"),
        ),
        SERVING: (
            _SUSPEND,
            Way(to=UPGRADING, when="its spec asks for another cluster"),
        ),
        UPGRADING: (
            _SUSPEND,
            Way(to=SERVING, when="the new cluster has taken over"),
            Way(to=SERVING, when="the spec has gone back (NewCluster)"),
            Way(to=RETURNING, when="the spec has gone back, or on (in steps)"),
        ),
        RETURNING: (
            _SUSPEND,
            Way(to=UPGRADING, when="the spec asks for the new cluster again"),
            Way(to=SERVING, when="the original cluster has everything again"),
            Way(to=SERVING, when="the original cluster is gone, the new one takes over"),
        ),
        SUSPENDING: (Way(to=SUSPENDED, when="nothing is left"),),
        SUSPENDED: (Way(to=BEGINNING, when="spec.suspend is taken back"),),
        GIVEN_UP: (
            _SUSPEND,
            Way(to=BEGINNING, when="its spec was broken; once repaired it has all its time again"),
        ),
    }
)


def state_of(status: Mapping[str, object]) -> str:
    """Return the state that a status tells."""
    conditions = conditions_of(status)
    for type_ in (SUSPENDING, SUSPENDED):
        if holds(conditions, type_):
            return type_
    if conditions.get(READY, {}).get("reason") == TIMED_OUT:
        return GIVEN_UP
    active, pending = (text_at(status, which, "rayClusterName") for which in (ACTIVE, PENDING))
    if not active:
        return BEGINNING
    if not pending:
        return SERVING
    return RETURNING if holds(conditions, ROLLING_BACK) else UPGRADING
