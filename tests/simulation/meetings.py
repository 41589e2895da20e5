"""Which fault met which state: what a number of seeds has really tried.

A fault that never comes while a cluster is suspending says nothing about suspending. Every fault is
counted against the state of each RayCluster at the moment it begins.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from sandbox.objects import Object
from shared.kernel.manifests import entries_at, text_at

STATES = ("none", "coming", "ready", "senseless", "suspending", "suspended", "deleting")
Meetings = Counter[tuple[str, str]]


def state_of(cluster: Object) -> str:
    """Name the state that a RayCluster is in, as its status tells it."""
    if text_at(cluster, "metadata", "deletionTimestamp"):
        return "deleting"
    true = {
        str(one.get("type"))
        for one in entries_at(cluster, "status", "conditions")
        if one.get("status") == "True"
    }
    for condition, state in (
        ("SpecInvalid", "senseless"),
        ("RayClusterSuspending", "suspending"),
        ("RayClusterSuspended", "suspended"),
    ):
        if condition in true:
            return state
    return "ready" if text_at(cluster, "status", "state") == "ready" else "coming"


def table(met: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """Yield the lines of a table: how often each fault met each state."""
    faults = sorted({fault for fault, _ in met})
    width = max((len(fault) for fault in faults), default=0)
    yield " ".join((" " * width, *(f"{state:>10}" for state in STATES)))
    for fault in faults:
        counts = (met.get((fault, state), 0) for state in STATES)
        yield " ".join((f"{fault:<{width}}", *(f"{count or '-':>10}" for count in counts)))


def unmet(met: Mapping[tuple[str, str], int]) -> list[str]:
    """Name the pairs that were never tried, of the faults that happened at all."""
    faults = sorted({fault for fault, _ in met})
    return [
        f"{fault} x {state}" for fault in faults for state in STATES if (fault, state) not in met
    ]
