"""What a seed chooses: which wishes, which faults, and when.

Each seed draws which kinds of faults it knows at all, so that some runs are all crashes and others
never see one; every step then has luck of its own, so that leaving one out changes no other.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from random import Random

from msgspec import Struct
from msgspec.structs import replace

from services.status.conditions.rayservice.table import BEGINNING, RETURNING, SERVING, UPGRADING
from shared.aggregates.phases import SERVICE_SUSPENDED as SUSPENDED
from shared.aggregates.phases import SERVICE_SUSPENDING as SUSPENDING
from tests.simulation import crons, jobs, services, users
from tests.simulation.crons import create_cron
from tests.simulation.faults import (
    crash,
    dashboard,
    gateways,
    intermediate,
    network,
    nodes,
    rollout,
    stale,
    unobserved,
)
from tests.simulation.faults.fault import Fault
from tests.simulation.features.worlds import extras, harm, lasts_at_least
from tests.simulation.jobs import create_job
from tests.simulation.kinds import CLUSTER, CRON, JOB, SERVICE, in_steps, kinds_of
from tests.simulation.meetings import DELETING, MOVING
from tests.simulation.services import (
    create_service,
    delete_service,
    go_back,
    suspend_or_resume_service,
    upgrade,
)
from tests.simulation.users import Deed, create

FAMILIES: tuple[tuple[Fault, ...], ...] = (
    crash.FAULTS,
    network.FAULTS,
    stale.FAULTS,
    unobserved.FAULTS,
    intermediate.FAULTS,
    nodes.FAULTS,
    rollout.FAULTS,
)
OF_RAY: tuple[Fault, ...] = dashboard.FAULTS
"""What only matters where somebody asks Ray."""
OF_GATEWAYS: tuple[Fault, ...] = gateways.FAULTS
"""What only matters where traffic moves in steps."""
FIRST: Mapping[str, Deed] = {
    CLUSTER: create,
    JOB: create_job,
    SERVICE: create_service,
    CRON: create_cron,
}
"""What users begin with."""
DEEDS_OF: Mapping[str, tuple[Deed, ...]] = {
    CLUSTER: users.DEEDS,
    JOB: (*jobs.DEEDS, *users.MISHAPS),
    SERVICE: (*services.DEEDS, *users.MISHAPS),
    CRON: crons.DEEDS,
}
SPREAD = 2.0
"""How close to each other, in seconds, things happen: troubles come together."""
EARLY, FAR = 3.0, 15.0
"""When a service is there at the latest, in seconds, so that it serves when troubles come."""
CALM = 0.05
"""How many seeds have no fault at all."""
LIGHT = 0.5
"""How many have few wishes and faults, so that those that meet are not drowned by others."""
MOST_WISHES, MOST_FAULTS = 12, 14
FEW = 4
WAITING = 0.5
"""How many faults wait for the upgrade of a service, where there is one."""
AFTER: Mapping[Deed, tuple[str, ...]] = {
    go_back: (RETURNING,),
    suspend_or_resume_service: (SUSPENDING, SUSPENDING, SUSPENDED),
    delete_service: (DELETING,),
    create_service: (BEGINNING,),
}
"""States that deeds lead to, which are soon over: one more fault waits for each."""


class Step(Struct, frozen=True, kw_only=True):
    """One thing that happens at a moment."""

    at: float
    luck: str
    deed: Deed | None = None
    fault: Fault | None = None
    awaits: str = ""
    """The state of a RayService that it waits for from then on, in vain if none comes to it."""


class Plan(Struct, frozen=True, kw_only=True):
    """Everything that happens before the faults stop."""

    steps: tuple[Step, ...]
    lasts: float


def _spans(kinds: Collection[str]) -> tuple[float, ...]:
    """Return how long a plan may last: a service takes its time, a schedule its minutes."""
    if SERVICE in kinds:
        return (60.0, 90.0)
    return (30.0, 90.0) if CRON in kinds else (10.0, 20.0, 40.0)


def _families(seed: int) -> tuple[tuple[Fault, ...], ...]:
    """Return the faults that matter in a world."""
    of_ray = () if kinds_of(seed) == (CLUSTER,) else (OF_RAY, OF_RAY)
    return (*FAMILIES, *of_ray, *((OF_GATEWAYS, OF_GATEWAYS) if in_steps(seed) else ()))


def draw(seed: int) -> Plan:
    """Draw a plan."""
    chance = Random(f"plan {seed}")
    kinds = kinds_of(seed)
    lasts = chance.choice(_spans(kinds))
    bursts = [chance.uniform(0, lasts) for _ in range(chance.randint(1, 5))]
    known = [one for one in _families(seed) if chance.random() < 0.6] or [crash.FAULTS]
    light = chance.random() < LIGHT
    fault_count = 0 if chance.random() < CALM else chance.randint(2, FEW if light else MOST_FAULTS)
    count = chance.randint(1, FEW if light else MOST_WISHES)
    firsts = [FIRST[kind] for kind in kinds]
    deeds = [*firsts, *(chance.choice(DEEDS_OF[chance.choice(kinds)]) for _ in range(count))]
    faults = [chance.choice(chance.choice(known)) for _ in range(fault_count)]

    def moment() -> float:
        return min(chance.choice(bursts) + chance.expovariate(1 / SPREAD), lasts)

    def moment_of(deed: Deed) -> float:
        return chance.uniform(0.0, EARLY) if deed is create_service else moment()

    steps = [
        *(
            Step(at=moment_of(each), luck=f"{seed} deed {n}", deed=each)
            for n, each in enumerate(deeds)
        ),
        *(Step(at=moment(), luck=f"{seed} fault {n}", fault=each) for n, each in enumerate(faults)),
        *_extras(seed, lasts),
    ]
    if SERVICE in kinds:
        steps = [*_steered(seed, steps), *_turns(seed), *_met(seed, known if faults else ())]
    return _ordered(steps, max(lasts, lasts_at_least(seed)))


def _ordered(steps: Sequence[Step], lasts: float) -> Plan:
    return Plan(steps=tuple(sorted(steps, key=lambda step: step.at)), lasts=lasts)


def _extras(seed: int, lasts: float) -> Iterator[Step]:
    """Let users of a rich world write features and make mistakes, and more befall them."""
    for number, (at, deed) in enumerate(extras(seed, lasts)):
        yield Step(at=at, luck=f"{seed} extra {number}", deed=deed)
    for number, (at, fault) in enumerate(harm(seed, lasts)):
        yield Step(at=at, luck=f"{seed} harm {number}", fault=fault)


def _turns(seed: int) -> Iterator[Step]:
    """Let a service be upgraded while it serves, and its users change their minds."""
    chance, deeds = Random(f"{seed} turns"), services.turns(seed)
    on_its_way = MOVING if in_steps(seed) else UPGRADING
    yield Step(at=EARLY, luck=f"{seed} turn", deed=upgrade, awaits=SERVING)
    for n in range(chance.choice((0, 1, 1, 2))):
        luck, deed = f"{seed} turn {n}", chance.choice(deeds)
        at = chance.uniform(EARLY, 2 * FAR)
        awaits = chance.choice((UPGRADING, on_its_way, on_its_way))
        yield Step(at=at, luck=luck, deed=deed, awaits=awaits)
        if deed is suspend_or_resume_service:
            awaits = chance.choice((SUSPENDING, SUSPENDED))
            yield Step(at=at, luck=f"{luck} back", deed=deed, awaits=awaits)
        elif deed is delete_service:
            yield Step(at=at + FAR, luck=f"{luck} again", deed=create_service)


def _steered(seed: int, steps: Sequence[Step]) -> Iterator[Step]:
    """Let some faults wait for an upgrade."""
    chance = Random(f"{seed} steered")
    for step in steps:
        if step.fault is None or chance.random() >= WAITING:
            yield step
        else:
            at, awaits = chance.uniform(0.0, 2 * FAR), chance.choice((UPGRADING, MOVING))
            yield replace(step, at=at, awaits=awaits if in_steps(seed) else UPGRADING)


def _met(seed: int, known: Sequence[tuple[Fault, ...]]) -> Iterator[Step]:
    """Let one fault wait for each state that users lead to, where there are faults at all."""
    chance = Random(f"{seed} met")
    for n, turn in enumerate(_turns(seed) if known else ()):
        states = AFTER.get(turn.deed, ()) if turn.deed is not None else ()
        if states and (in_steps(seed) or RETURNING not in states):
            fault = chance.choice(chance.choice(known))
            luck = f"{seed} met {n}"
            yield Step(at=turn.at, luck=luck, fault=fault, awaits=chance.choice(states))
