"""What a seed chooses: which wishes, which faults, and when.

Each seed draws which kinds of faults it knows at all, so that some runs are all crashes and others
never see one; every step then has luck of its own, so that leaving one out changes no other.
"""

from random import Random

from msgspec import Struct

from tests.simulation.faults import crash, intermediate, network, stale, unobserved
from tests.simulation.faults.fault import Fault
from tests.simulation.users import DEEDS, Deed, create

FAMILIES: tuple[tuple[Fault, ...], ...] = (
    crash.FAULTS,
    network.FAULTS,
    stale.FAULTS,
    unobserved.FAULTS,
    intermediate.FAULTS,
)
SPREAD = 2.0
"""How close to each other, in seconds, things happen: troubles come together."""
CALM = 0.05
"""How many seeds have no fault at all."""


class Step(Struct, frozen=True, kw_only=True):
    """One thing that happens at a moment."""

    at: float
    luck: str
    deed: Deed | None = None
    fault: Fault | None = None


class Plan(Struct, frozen=True, kw_only=True):
    """Everything that happens before the faults stop."""

    steps: tuple[Step, ...]
    lasts: float


def draw(seed: int) -> Plan:
    """Draw a plan."""
    chance = Random(f"plan {seed}")
    lasts = chance.choice((15.0, 30.0, 45.0))
    bursts = [chance.uniform(0, lasts) for _ in range(chance.randint(1, 5))]
    known = [family for family in FAMILIES if chance.random() < 0.6] or [crash.FAULTS]
    fault_count = 0 if chance.random() < CALM else chance.randint(2, 14)
    deeds = [create, *(chance.choice(DEEDS) for _ in range(chance.randint(2, 12)))]
    faults = [chance.choice(chance.choice(known)) for _ in range(fault_count)]

    def moment() -> float:
        return min(chance.choice(bursts) + chance.expovariate(1 / SPREAD), lasts)

    steps = [
        *(Step(at=moment(), luck=f"{seed} deed {n}", deed=each) for n, each in enumerate(deeds)),
        *(Step(at=moment(), luck=f"{seed} fault {n}", fault=each) for n, each in enumerate(faults)),
    ]
    return Plan(steps=tuple(sorted(steps, key=lambda step: step.at)), lasts=lasts)
