"""Which fault met which state: what a number of seeds has really tried.

A fault that never comes while a cluster is suspending says nothing about suspending. Every fault is
counted against the state of each resource at the moment it begins, kind by kind.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from sandbox.objects import Object
from services.status.conditions.rayservice import table as services
from shared.aggregates.rayjob import PHASES
from shared.aggregates.rayservice import ACTIVE, PENDING
from shared.kernel.manifests import entries_at, integer_at, mapping_at, text_at, value_at
from tests.simulation.kinds import CLUSTER, CRON, JOB, SERVICE

NONE, DELETING = "none", "deleting"
MOVING = "Moving"
"""Upgrading in steps, with some traffic at either cluster."""
Meetings = Counter[tuple[str, str, str]]
"""How often: a fault, a kind, a state."""


def _cluster(cluster: Object) -> str:
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


def _job(job: Object) -> str:
    return text_at(job, "status", "jobDeploymentStatus") or "New"


def _service(service: Object) -> str:
    status = mapping_at(service, "status")
    state = services.state_of(status)
    shares = [integer_at(status, which, "trafficRoutedPercent") for which in (ACTIVE, PENDING)]
    return MOVING if state == services.UPGRADING and all(shares) else state


def _cron(cron: Object) -> str:
    return "suspended" if value_at(cron, "spec", "suspend") is True else "active"


READERS: Mapping[str, Callable[[Object], str]] = {
    CLUSTER: _cluster,
    JOB: _job,
    SERVICE: _service,
    CRON: _cron,
}
STATES: Mapping[str, tuple[str, ...]] = {
    CLUSTER: (NONE, "coming", "ready", "senseless", "suspending", "suspended", DELETING),
    JOB: (*("New", *PHASES[1:]), DELETING),
    SERVICE: (*services.TABLE, MOVING, DELETING),
    CRON: ("active", "suspended", DELETING),
}


def state_of(kind: str, resource: Object) -> str:
    """Name the state that a resource is in, as its status tells it."""
    if text_at(resource, "metadata", "deletionTimestamp"):
        return DELETING
    return READERS[kind](resource)


def table(met: Mapping[tuple[str, str, str], int]) -> Iterator[str]:
    """Yield the lines of a table for each kind: how often each fault met each state."""
    width = max((len(fault) for fault, _, _ in met), default=0)
    for kind, states in STATES.items():
        faults = sorted({fault for fault, met_kind, _ in met if met_kind == kind})
        if not faults:
            continue
        spans = [max(len(state), 6) for state in states]
        heads = (f"{state:>{span}}" for state, span in zip(states, spans, strict=True))
        yield " ".join((f"{kind:<{width}}", *heads))
        for fault in faults:
            counts = (met.get((fault, kind, state), 0) for state in states)
            cells = (f"{n or '-':>{span}}" for n, span in zip(counts, spans, strict=True))
            yield " ".join((f"{fault:<{width}}", *cells))


def unmet(met: Mapping[tuple[str, str, str], int]) -> list[str]:
    """Name the pairs that were never tried, of the faults that met the kind at all."""
    pairs = sorted({(fault, kind) for fault, kind, _ in met})
    return [
        f"{fault} x {kind} {state}"
        for fault, kind in pairs
        for state in STATES[kind]
        if (fault, kind, state) not in met
    ]
