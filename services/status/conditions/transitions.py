"""Conditions: when their time moves and when it does not.

The time of a condition is that of its last change of status, never of reason or message. The
moment is the log's, so that a replay assesses the same times.
"""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct

from shared.kernel.instants import print_instant
from shared.kernel.manifests import entries_at

Conditions = dict[str, dict[str, object]]


class Finding(Struct, frozen=True, kw_only=True):
    """What is found of one condition now."""

    type: str
    holds: bool
    reason: str
    message: str = ""
    unknown: bool = False
    """Whether nobody can tell; then it does not hold."""
    began_with: int | None = None
    """The generation at which it became so, where that tells two stays apart."""


def conditions_of(status: Mapping[str, object]) -> Conditions:
    """Return a status' conditions by type, in their order."""
    return {str(entry.get("type")): dict(entry) for entry in entries_at(status, "conditions")}


def holds(conditions: Conditions, type_: str) -> bool:
    """Say whether a condition is there and true."""
    return conditions.get(type_, {}).get("status") == "True"


def record(conditions: Conditions, finding: Finding, now: datetime) -> None:
    """Put a finding among the conditions; the time moves only if the status does."""
    status = "True" if finding.holds else "Unknown" if finding.unknown else "False"
    former = conditions.get(finding.type, {})
    moved = former.get("status") != status
    entry: dict[str, object] = {
        "type": finding.type,
        "status": status,
        "reason": finding.reason,
        "message": finding.message,
        "lastTransitionTime": print_instant(now) if moved else former["lastTransitionTime"],
    }
    began = finding.began_with if moved and former else former.get("observedGeneration")
    if began is None and finding.holds:
        began = finding.began_with
    if began is not None:
        entry["observedGeneration"] = began
    conditions[finding.type] = entry
