"""Whether users have in the end what they would have had without faults.

The same users with the same luck run once more in the same world, and nothing breaks. What both
runs have and what is wanted of it in both must have come to the same. How a job ends may well
depend on what befell it, so of seeds only those without jobs are compared; the stories of
`sweeping` are told so that jobs end alike.
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from tests.simulation.endings import Ending
from tests.simulation.features.settings import rich
from tests.simulation.kinds import CLUSTER, SERVICE, kinds_of
from tests.simulation.plan import Plan
from tests.simulation.run import Verdict, run_plan

EVERY = 20
"""One of so many seeds is compared, if it can be."""
SENSELESS = "SpecInvalid is True"
"""Where a spec makes no sense, what was there before stays."""
AT_REST = (
    "state: suspended",
    "jobDeploymentStatus: Complete",
    "jobDeploymentStatus: Failed",
)
"""Nothing is made any more, and services stay: they tell of when it came to that."""


def comparable(seed: int) -> bool:
    """Say whether the end of such a world is the same whatever befell it.

    In rich worlds a cluster may keep services that an earlier wish of its user asked for, if there
    was time to make them.
    """
    return set(kinds_of(seed)) <= {CLUSTER, SERVICE} and not rich(seed)


def in_turn(seed: int) -> bool:
    """Say whether it is this seed's turn to be compared, among many."""
    return seed % EVERY == 0 and comparable(seed)


def without_faults(plan: Plan) -> Plan:
    """Leave users and mishaps, and take every fault away."""
    return replace(plan, steps=tuple(step for step in plan.steps if step.fault is None))


def departures(plan: Plan, verdict: Verdict) -> tuple[str, ...]:
    """Tell what ended otherwise than without the faults of the plan."""
    theirs = run_plan(verdict.seed, without_faults(plan)).endings
    return tuple(differing(verdict.endings, theirs))


def compared(ours: Mapping[str, Ending], theirs: Mapping[str, Ending]) -> list[str]:
    """Return the names of what is wanted in the same way in both, and can be had."""
    return [
        name
        for name in sorted(ours.keys() & theirs.keys())
        if ours[name].wish == theirs[name].wish and SENSELESS not in theirs[name].told
    ]


def differing(ours: Mapping[str, Ending], theirs: Mapping[str, Ending]) -> Iterator[str]:
    """Tell of what is wanted in the same way in both, and came to something else."""
    for name in compared(ours, theirs):
        at_rest = not set(AT_REST).isdisjoint(ours[name].told)
        for field in ("told", "pods") if at_rest else ("told", "pods", "others"):
            here, there = _counted(ours[name], field), _counted(theirs[name], field)
            if here != there:
                yield f"{name} ended with {field} {here}, and without faults with {there}"


def _counted(ending: Ending, field: str) -> object:
    """Return what counts: services stay that an earlier wish asked for, if there was time."""
    if field != "others":
        return getattr(ending, field)
    return {kind: number for kind, number in ending.others.items() if kind != "services"}
