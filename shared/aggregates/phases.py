"""Which phase a resource is in, as one comparable word.

`<phase>/<generation at which it began>`: two stays in the same phase are two words, because
leaving a phase takes a change of spec. Deciders put the word they saw into their act; the executor
stops an act whose word is no longer true, and a phase that ends with "nothing is left" ends only
after an act that saw this very word.
"""

from collections.abc import Mapping

from shared.kernel.manifests import entries_at

SUSPENDING = "RayClusterSuspending"
SUSPENDED = "RayClusterSuspended"


def phase_of(status: Mapping[str, object]) -> str:
    """Return the phase word that a RayCluster's status tells."""
    conditions = {str(entry.get("type")): entry for entry in entries_at(status, "conditions")}
    for type_, phase in ((SUSPENDING, "suspending"), (SUSPENDED, "suspended")):
        condition = conditions.get(type_, {})
        if condition.get("status") == "True":
            return f"{phase}/{condition.get('observedGeneration', 0)}"
    left = conditions.get(SUSPENDED, {}).get("observedGeneration", 0)
    return f"active/{left}"
