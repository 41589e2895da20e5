"""Run one seed: wishes and faults for a while, then peace, then judgement.

Safety is judged all the time. Once the faults have stopped, everything must be as the users wish
and silent for a while, within a bounded virtual time.
"""

import asyncio
from collections.abc import Callable, Coroutine
from random import Random

from msgspec import Struct

from tests.simulation.crons import end_schedules
from tests.simulation.endings import Ending, endings
from tests.simulation.faults.fault import Fault
from tests.simulation.invariants.converges import unfulfilled
from tests.simulation.invariants.log_agrees import is_of_ghost
from tests.simulation.kinds import SERVICE
from tests.simulation.loop import SimulationLoop, own_task
from tests.simulation.luck import lucky
from tests.simulation.meetings import Meetings
from tests.simulation.plan import Plan, Step, draw
from tests.simulation.story import Story
from tests.simulation.world import Complaints, World

SILENCE, LONG_SILENCE = 25.0, 330.0
"""How long nothing may happen in the end; longer than the longest pause, in every such world:"""
LISTENED_LONGER = 64
PATIENCE = 420.0
RELIST = 900.0
"""By then everything was listed anew."""
LOOK_EVERY = 2.0
MOMENTS = (0.05, 0.5, 3.0)
"""How long, in seconds, something waits at most after the state that it waited for."""


Prepare = Callable[[World], object]


def as_it_is(_world: World) -> None:
    """Leave a world as it was made."""


class Verdict(Struct, frozen=True, kw_only=True):
    """How a seed went; no violations means well. `took` is in virtual seconds."""

    seed: int
    violations: tuple[str, ...]
    story: Story
    took: float
    met: Meetings
    endings: dict[str, Ending]
    """What became of everything that users made."""


def run_seed(seed: int) -> Verdict:
    """Run what a seed chooses."""
    return run_plan(seed, draw(seed))


def run_plan(seed: int, plan: Plan, prepare: Prepare = as_it_is) -> Verdict:
    """Run a plan in the world of a seed, on a loop of its own; `prepare` is shown that world."""
    with lucky(seed), asyncio.Runner(loop_factory=SimulationLoop) as runner:
        return runner.run(_run(seed, plan, prepare))


async def _run(seed: int, plan: Plan, prepare: Prepare) -> Verdict:
    world = World(seed)
    prepare(world)
    with Complaints(world):
        world.start()
        await _live(world, plan)
        await _judge(world)
        took = asyncio.get_running_loop().time()
        ended = endings(world.scene)
        await world.end()
    return Verdict(
        seed=seed,
        violations=tuple(world.violations),
        story=world.story,
        took=took,
        met=world.met,
        endings=ended,
    )


async def _live(world: World, plan: Plan) -> None:
    faults = []
    for step in plan.steps:
        await world.wait(step.at - asyncio.get_running_loop().time())
        if world.violations:
            break
        task = _begin(world, step)
        if task is not None:
            faults.append(task)
    await world.wait(plan.lasts - asyncio.get_running_loop().time())
    faults += world.troubles
    for task in faults:
        task.cancel()
    for outcome in await asyncio.gather(*faults, return_exceptions=True):
        if isinstance(outcome, Exception):
            raise outcome
    world.say("the faults stop")
    await world.mend()
    end_schedules(world)


def _begin(world: World, step: Step) -> asyncio.Task[None] | None:
    if step.awaits:
        return own_task("", _awaited(world, step), "awaited")
    fault = _happens(world, step)
    return own_task("", fault, "fault") if fault is not None else None


async def _awaited(world: World, step: Step) -> None:
    """Wait for a RayService in some state; then it happens, a moment later."""
    await world.until(SERVICE, step.awaits)
    chance = Random(f"{step.luck} awaits")
    await asyncio.sleep(chance.uniform(0.0, chance.choice(MOMENTS)))
    fault = _happens(world, step)
    if fault is not None:
        await fault


def _happens(world: World, step: Step) -> Coroutine[None, None, None] | None:
    """Let a step happen; return what lasts of it."""
    chance = Random(step.luck)
    if step.deed is not None:
        world.say(step.deed(world, chance))
    if step.fault is None:
        return None
    world.meet(step.fault.__name__)
    return _fault(step.fault, world, chance)


async def _fault(fault: Fault, world: World, chance: Random) -> None:
    with world.weather.trouble(world.server.clock.now):
        await fault(world, chance)


def _patience(left: list[str]) -> float:
    """Return how long to wait for what is left to be done, in seconds.

    A watcher that slept with news in hand may tell of something new that is gone by then, and only
    a list finds out; nothing else may wait for the next list.
    """
    ghosts = bool(left) and all(is_of_ghost(sentence) for sentence in left)
    return RELIST if ghosts else PATIENCE


async def _judge(world: World) -> None:
    loop = asyncio.get_running_loop()
    begun = loop.time()
    silence = SILENCE if world.seed % LISTENED_LONGER else LONG_SILENCE
    left: list[str] = []
    while not world.violations and loop.time() - begun < _patience(left) + silence:
        await world.wait(max(LOOK_EVERY, silence - world.quiet.seconds()))
        if world.quiet.seconds() >= silence:
            left = list(unfulfilled(world.scene))
            if not left:
                return
    if world.violations:
        return
    for sentence in left or unfulfilled(world.scene):
        world.accuse(f"not in the end: {sentence}")
    if world.quiet.seconds() < silence:
        world.accuse(f"it never falls silent; last came {world.quiet.last}")
