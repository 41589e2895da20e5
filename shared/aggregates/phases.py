"""Which phase a resource is in, as one comparable word.

`<phase>/<generation at which it began>`: two stays in the same phase are two words, because
leaving a phase takes a change of spec. Deciders put the word they saw into their act; the executor
stops an act whose word is no longer true, and a phase that ends with "nothing is left" ends only
after an act that saw this very word.
"""

from collections.abc import Mapping

from shared.kernel.manifests import entries_at, text_at

SUSPENDING = "RayClusterSuspending"
SUSPENDED = "RayClusterSuspended"
SERVICE_SUSPENDING = "Suspending"
SERVICE_SUSPENDED = "Suspended"
SERVICE_CLUSTERS = ("activeServiceStatus", "pendingServiceStatus")


def phase_of(status: Mapping[str, object]) -> str:
    """Return the phase word that a status of any kind tells.

    A RayJob's word names its attempt by the cluster, of which every attempt has another; a
    RayService's names the clusters that it has.
    """
    state = text_at(status, "jobDeploymentStatus")
    if state:
        return f"{state}/{text_at(status, 'rayClusterName')}"
    conditions = {str(entry.get("type")): entry for entry in entries_at(status, "conditions")}
    for type_ in (SUSPENDING, SUSPENDED, SERVICE_SUSPENDING, SERVICE_SUSPENDED):
        condition = conditions.get(type_, {})
        if condition.get("status") == "True":
            phase = type_.removeprefix("RayCluster").lower()
            return f"{phase}/{condition.get('observedGeneration', 0)}"
    if "activeServiceStatus" in status or "pendingServiceStatus" in status:
        names = (text_at(status, which, "rayClusterName") for which in SERVICE_CLUSTERS)
        return f"serving/{'/'.join(names)}"
    left = conditions.get(SUSPENDED, {}).get("observedGeneration", 0)
    return f"active/{left}"
