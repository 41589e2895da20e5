"""Which changes of a status are written at once, and which may wait for company. Pure.

Phases, verdicts and failures are waited for, by people and by deciders. Counts and addresses of a
cluster that is on its way change with every pod; they may wait a moment and go in one write.
"""

from collections.abc import Mapping

from services.status.conditions.head import HEAD_READY
from services.status.conditions.raycluster import REPLICA_FAILURE, SPEC_INVALID
from services.status.conditions.suspension import PROVISIONED
from services.status.conditions.transitions import Conditions, conditions_of, holds
from shared.aggregates.phases import SUSPENDED, SUSPENDING

AWAITED = (PROVISIONED, SUSPENDING, SUSPENDED, SPEC_INVALID, REPLICA_FAILURE)


def urgent(old: Mapping[str, object], patch: Mapping[str, object]) -> bool:
    """Say whether a patch to this status must not wait."""
    if "state" in patch:
        return True
    if "conditions" not in patch:
        return False
    before, after = conditions_of(old), conditions_of(patch)
    turned = any(_told(before, type_) != _told(after, type_) for type_ in AWAITED)
    return turned or (holds(before, HEAD_READY) and not holds(after, HEAD_READY))


def _told(conditions: Conditions, type_: str) -> object:
    """Return why a condition holds; None while it does not."""
    return conditions[type_].get("reason") if holds(conditions, type_) else None
